// Nested, grouped cross-validation of linear readers on Gram matrices, for many labelings at once.
//
// Folds are drawn once, by family. The inner folds of an outer fold are the other outer folds. So the reader
// trained without folds j and k is the inner reader of both "outer j, inner k" and "outer k, inner j": each
// is fitted once. Grams do not depend on labels, so a labeling costs some 24 × 24 solves a layer and no pass
// over the hidden states.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/progress.h"
#include "base/seed.h"
#include "latent/detail/dual.h"

namespace sonder::latent::detail {

enum class Method { dom, lda, logistic };
Method method_named(const std::string& name);
std::string name_of(Method method);

// fold[i]: of pair i, 0 .. n_folds-1. Families stay whole; folds are as even in pairs as families allow.
struct Folds {
  int n_folds = 0;
  std::vector<int> fold;  // [n_pairs]
};
Folds assign_folds(std::span<const int> family, int n_folds, Seed seed);

// The pairs as the engine sees them. Text 2i is the high text of pair i, text 2i+1 its low text.
struct Design {
  Folds folds;
  std::vector<int> scenario;  // [n_pairs] 0 .. n_scenarios-1
  int n_scenarios = 0;
  int n_layers = 0;
  std::vector<Method> methods;
  std::vector<double> lambdas;  // falling
  std::size_t n_pairs() const { return folds.fold.size(); }
};

// Gram matrix of all texts at a layer: raw for difference of means, else on the scale of the training texts
// alone. is_training: [n_texts]. `width`: what Ledoit–Wolf calls p.
struct Kernel {
  Matrix gram;
  double width = 1;
};
using KernelOf = std::function<Kernel(int layer, bool raw, const std::vector<char>& is_training)>;

// A labeling: swapped[s] says that scenario s has its high and low texts exchanged.
using Labeling = std::vector<char>;

struct Candidate {
  int layer = 0;
  Method method = Method::dom;
  double lambda = 0;
};

// How well held-out pairs were told apart; compared in this order. All three are means over folds or
// scenarios.
struct Score {
  double concordance = 0;
  double auroc = 0;
  double margin = 0;  // mean of high - low over its root mean square, so that readers of any scale compare
};
bool better(const Score& a, const Score& b);

// Scores of held-out pairs: by pair, each from the fold that held it out.
struct Held {
  std::vector<double> high, low;  // [n_pairs]
  double concordance = 0;         // mean over scenarios of the mean over their pairs
  double auroc = 0;               // mean over folds
};

struct Nested {
  std::vector<Held> held;  // one per labeling: the nested, honest scores
  // For the first labeling only:
  std::vector<Held> sweep;  // [n_layers × n_methods], layer-major; lambda chosen inside
  Candidate chosen;         // on all pairs by the inner rule
};
// labelings[0] is the observed one.
Nested nested(const Design& design, const KernelOf& kernel, const std::vector<Labeling>& labelings,
              const OnProgress& progress, const Cancel& cancel);

// 1 when high is above low, .5 on a tie, else 0.
constexpr double won(double high, double low) { return high > low ? 1.0 : high == low ? 0.5 : 0.0; }
// Plain double loop: folds are small, and this is the hottest line of a permutation.
double pairwise_auroc(const std::vector<double>& high, const std::vector<double>& low);
// Concordance and AUROC of held-out scores under a design.
void summarise(const Design& design, Held& held);

}  // namespace sonder::latent::detail
