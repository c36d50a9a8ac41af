// Directions: how they are fitted, and what they do when pushed. Source: methods.md 2.2, 3.1, 3.3.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/rows.h"
#include "base/seed.h"
#include "model/hook.h"
#include "model/model.h"

namespace sonder::latent {

// A unit vector at one layer, with the scales that give doses their meaning (all in residual units).
struct Direction {
  std::string facet;
  std::string method;  // dom | lda | logistic | placebo kind
  int layer = 0;
  std::vector<float> unit;  // [n_embd]
  double class_gap = 0;     // |mu1 - mu0|: dose unit "gap"
  double median_norm = 0;   // median ||x||: dose unit "norm"
  double sd_neutral = 0;    // SD of u'x on neutral text: dose unit "sd"
  double neutral_mean = 0;  // u'mu of neutral text: what mean ablation keeps
  bool operator==(const Direction&) const = default;
};

// Readers: vectors that point from low to high. high, low: [n × d], row i of both from the same scenario.
// Throw Error(bad_input) when the tables are empty, differ in shape or hold a number that is not finite.
std::vector<double> difference_of_means(const Rows& high,
                                        const Rows& low);  // not normalised: its length is the gap
// Unit vector S_w^-1 (mu1 - mu0), pooled within-class covariance shrunk towards a multiple of the identity.
// Solved in sample space, so d may be far above n. Source: [Ledoit2004] or [Chen2010], methods.md 2.2.
enum class Shrinkage { ledoit_wolf, oas };
std::vector<double> lda(const Rows& high, const Rows& low, Shrinkage shrinkage = Shrinkage::ledoit_wolf);

// Minimises sum_i log(1 + exp(-z_i (b + w'x_i))) + lambda/2 |w|^2, intercept unpenalised. scikit-learn's C =
// 1/lambda. Source: [Rasmussen2006] algorithm 3.1 for the dual.
struct Logistic {
  double intercept = 0;
  std::vector<double> w;                // [d]
  double log_likelihood = 0;            // nats, without the penalty
  std::vector<double> standard_errors;  // [1 + d], intercept first; empty unless lambda is 0
};
// z: [n] 0 or 1. lambda > 0, or 0 when d < n and the classes overlap; else Error(bad_input).
Logistic logistic(const Rows& x, std::span<const int> z, double lambda);

// The direction to write with: difference of means at one layer, with its scales (sd and mean on the low
// texts). Throws Error(bad_input) when the class means coincide.
Direction fit(const std::string& facet, int layer, const Rows& high, const Rows& low);
// The same direction with `sd_neutral` and `neutral_mean` measured on these texts. neutral: [n × n_embd], n
// >= 2. A random direction needs this before it can stand in for an ablation.
Direction with_neutral(Direction d, const Rows& neutral);

// Placebos at the layer and scales of `like`, unit length (methods.md 3.3). `neutral_mean` is 0: see
// with_neutral.
Direction random_direction(const Direction& like, Seed seed);                 // P1
Direction variance_matched(const Direction& like, const Rows& x, Seed seed);  // P2: N(0, S_x)
Direction shuffled_labels(const Direction& like, const Rows& high, const Rows& low, Seed seed);  // P3
Direction unrelated_concept(const Direction& like, const Rows& high, const Rows& low);           // P5

double cosine(std::span<const float> a, std::span<const float> b);  // see similarity.h for more

enum class DoseUnit { gap, norm, sd };  // a fourth, KL, is a target rather than a unit: dose.h
// Residual units in one dose of `d`'s scale. Throws Error(bad_input) when that scale was not measured.
double size_of(DoseUnit unit, const Direction& d);
// A push of `dose` units of `scale`, along `d`, on the rows of `span`. `scale` may be another direction
// (placebos are pushed by the amount of the direction they stand in for). Dose 0 gives an empty hook.
model::Hook push(const Direction& d, double dose, DoseUnit unit, const Direction& scale, model::Span span);
// Mean ablation x - u (u'x - u'mu), one direction per layer, any order; two at one layer: Error(bad_input).
model::Hook ablate(std::span<const Direction> per_layer, model::Span span);

// What a direction file holds: directions of one facet, at most one a layer.
struct DirectionFile {
  std::vector<Direction> directions;  // ascending layers
  std::string model_sha256, model_name, bank_sha256;
  std::string hook = "residual after block";
  std::string operation = "push";
  double auroc = 0, concordance = 0;  // training scores
  bool operator==(const DirectionFile&) const = default;
};

// GGUF that llama.cpp's --control-vector-scaled FILE:a reads: tensor direction.<k> is class_gap * unit, so
// that strength a is a dose of `a` gaps after block k. That loader refuses layer 0 and tensors of other
// names, so the vector of layer 0 lives in the metadata only, with a note. Throws Error(io) when the file
// cannot be written.
void write_directions(const std::string& path, const DirectionFile& file);
// Throws Error(io) when absent, Error(bad_input) when it is no direction file of Sonder's (a control vector
// of another program states neither its layer convention nor its scale), Error(corrupt) when damaged.
DirectionFile read_directions(const std::string& path);
// Throws Error(bad_input) naming both hashes (or widths, or layers) when these directions belong to another
// model.
void require_fits(const DirectionFile& file, const model::Card& card);

}  // namespace sonder::latent
