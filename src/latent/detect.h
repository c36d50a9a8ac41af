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

// Pairs within scenarios. high[l], low[l]: [n_pairs × n_embd] at layers[l].
struct Pairs {
  std::vector<int> layers;
  std::vector<Rows> high;
  std::vector<Rows> low;
  std::vector<int> scenario;  // [n_pairs] 0-based scenario of each pair
  std::vector<int> family;    // [n_pairs] fold group
};

struct DetectOptions {
  std::vector<std::string> methods = {"dom", "lda", "logistic"};
  int folds = 5;
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
  double auroc = 0;                         // nested
  stats::Estimate concordance;              // nested, scenario bootstrap
  std::vector<double> concordance_by_pair;  // [n_pairs] 1, .5 or 0: for paired comparison with baselines
  double p = 1;                             // (1 + #{T_b >= T}) / (B + 1)
  std::vector<SweepPoint> sweep;
  std::vector<Null> nulls;  // isotropic, variance-matched at the chosen layer
};

Detected detect(const Pairs& pairs, const DetectOptions& options, Seed seed, const OnProgress& progress,
                const Cancel& cancel);

// A text-only rival: features [n_pairs × k] of high and low texts, same folds, L2 logistic. Length is k = 1.
struct Rival {
  std::string name;
  double auroc = 0;
  double concordance = 0;
  std::vector<double> concordance_by_pair;
};
Rival rival(const std::string& name, const Rows& high, const Rows& low, std::span<const int> family,
            const DetectOptions& options, Seed seed);
// Bag of words (1–2-grams, tf-idf fitted on training folds only).
Rival bag_of_words(std::span<const std::string> high, std::span<const std::string> low,
                   std::span<const int> family, const DetectOptions& options, Seed seed);

}  // namespace sonder::latent
