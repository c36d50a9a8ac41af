// Is the facet decodable? Nested, scenario-grouped cross-validation with its nulls. Source: methods.md 2.3
// to 2.5.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/progress.h"
#include "base/rows.h"
#include "base/seed.h"
#include "stats/estimate.h"

namespace sonder::latent {

// Pairs within scenarios. high[l], low[l]: [n_pairs × n_embd] at layers[l]. Pairs of one scenario share a
// family.
struct Pairs {
  std::vector<int> layers;
  std::vector<Rows> high;
  std::vector<Rows> low;
  std::vector<int> scenario;  // [n_pairs] 0-based scenario of each pair
  std::vector<int> family;    // [n_pairs] fold group
};

struct DetectOptions {
  std::vector<std::string> methods = {"dom", "lda", "logistic"};
  std::vector<double> lambdas = {1e-2, 1, 1e2, 1e4};  // of the logistic reader, chosen inside
  int folds = 5;                                      // at most one per family; three families at least
  int permutations = 199;
  int random_directions = 1000;
};

struct SweepPoint {
  int layer = 0;
  std::string method;
  double auroc = 0;        // mean over outer folds
  double concordance = 0;  // mean over scenarios, each scored by the fold that held it out
};

struct Null {
  std::string kind;
  double mean = 0, p95 = 0, p99 = 0;  // of max(A, 1-A)
  int n = 0;
};

struct Detected {
  int layer = 0;  // chosen on all pairs by the same inner rule
  std::string method;
  double lambda = 0;                        // of the logistic reader, else 0
  double auroc = 0;                         // nested, mean over outer folds
  stats::Estimate concordance;              // nested, over scenarios; read `p` below, not its own
  std::vector<double> concordance_by_pair;  // [n_pairs] 1, .5 or 0: for paired comparison with baselines
  // (1 + #{T_b >= T}) / (B + 1). T: nested concordance, its ties broken by nested AUROC.
  double p = 1;
  std::vector<SweepPoint> sweep;
  std::vector<Null> nulls;  // isotropic, variance-matched at the chosen layer
};

// Outer folds group families; within an outer-training set, the layer, the method and lambda are chosen by
// the other folds in turn: best mean concordance, then AUROC, then margin, then first in order. Columns are
// standardised on training texts only (lda and logistic; difference of means reads raw states). The null
// swaps high and low within scenarios and runs all of this again. Depends on the seed and on the family
// numbers, not on the order of pairs. Throws Error(bad_input) for fewer than three families, shapes that
// disagree, or numbers that are not finite.
Detected detect(const Pairs& pairs, const DetectOptions& options, Seed seed, const OnProgress& progress,
                const Cancel& cancel);

// A text-only rival: features [n_pairs × k] of high and low texts, L2 logistic, lambda chosen inside. With
// the seed that `detect` gets, it has the same folds. Length is k = 1.
struct Rival {
  std::string name;
  double auroc = 0;
  double concordance = 0;                   // mean over pairs
  std::vector<double> concordance_by_pair;  // [n_pairs]
};
Rival rival(const std::string& name, const Rows& high, const Rows& low, std::span<const int> family,
            const DetectOptions& options, Seed seed);
// Bag of words: lower-cased 1–2-grams, tf-idf as scikit-learn's default (smooth idf, unit length), vocabulary
// and idf from training folds only. Letters outside ASCII are kept as they are.
Rival bag_of_words(std::span<const std::string> high, std::span<const std::string> low,
                   std::span<const int> family, const DetectOptions& options, Seed seed);

}  // namespace sonder::latent
