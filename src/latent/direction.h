// Directions: how they are fitted, and what they do when pushed. Source: methods.md 2.2, 3.1, 3.3.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/rows.h"
#include "base/seed.h"
#include "model/hook.h"

namespace sonder::latent {

// A unit vector at one layer, with the scales that give doses their meaning (all in residual units).
struct Direction {
  std::string facet;
  std::string method;            // dom | lda | logistic | placebo kind
  int layer = 0;
  std::vector<float> unit;       // [n_embd]
  double class_gap = 0;          // |mu1 - mu0|: dose unit "gap"
  double median_norm = 0;        // median ||x||: dose unit "norm"
  double sd_neutral = 0;         // SD of u'x on neutral text: dose unit "sd"
  double neutral_mean = 0;       // u'mu of neutral text: what mean ablation keeps
  bool operator==(const Direction&) const = default;
};

// Readers. high, low: [n × d], row i of both from the same scenario. Unit vectors; lda: Ledoit–Wolf shrinkage;
// logistic: L2 penalty `lambda` on w, intercept free, solved in the dual.
std::vector<double> difference_of_means(const Rows& high, const Rows& low);  // not normalised: its length is the gap
std::vector<double> lda(const Rows& high, const Rows& low);
struct Logistic {
  double intercept = 0;
  std::vector<double> w;
};
Logistic logistic(const Rows& x, std::span<const int> z, double lambda);  // z: 0 or 1

// The direction to write with: difference of means at one layer, with its scales.
Direction fit(const std::string& facet, int layer, const Rows& high, const Rows& low);

// Placebos at the layer and scales of `like`, unit length (methods.md 3.3).
Direction random_direction(const Direction& like, Seed seed);                          // P1
Direction variance_matched(const Direction& like, const Rows& x, Seed seed);           // P2: N(0, S_x)
Direction shuffled_labels(const Direction& like, const Rows& high, const Rows& low, Seed seed);  // P3
Direction unrelated_concept(const Direction& like, const Rows& high, const Rows& low);  // P5

double cosine(std::span<const float> a, std::span<const float> b);

enum class DoseUnit { gap, norm, sd };
// A push of `dose` units of `scale`, along `d`, on the rows of `span`. `scale` may be another direction (placebos are
// pushed by the amount of the direction they stand in for).
model::Hook push(const Direction& d, double dose, DoseUnit unit, const Direction& scale, model::Span span);
// Mean ablation x - u (u'x - u'mu) at every layer in `at` (one direction per layer).
model::Hook ablate(std::span<const Direction> per_layer, model::Span span);

// The dose along `d` at which `kl_of(dose)` reaches `target`, by bisection on an increasing function; dose unit "kl".

// GGUF, readable by llama.cpp's --control-vector (direction.<layer>, llama.cpp's numbering), with our metadata.
struct DirectionFile {
  std::vector<Direction> directions;
  std::string model_sha256, model_name, bank_sha256;
  std::string hook = "residual after block";
  std::string operation = "push";
  double auroc = 0, concordance = 0;  // training scores
};
void write_directions(const std::string& path, const DirectionFile& file);
DirectionFile read_directions(const std::string& path);

}  // namespace sonder::latent
