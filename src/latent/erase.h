// Taking a concept out of hidden states, on the states themselves. What a model does without it needs a hook:
// `ablate` in direction.h. Source: methods.md 2.2.
#pragma once

#include <span>
#include <vector>

#include "base/rows.h"

namespace sonder::latent {

// r(x) = mean + project (x - mean).
struct Erasure {
  std::vector<double> mean;                                   // [d]
  Numbers project;                                            // [d × d]
  std::vector<double> apply(std::span<const float> x) const;  // x: [d]
};

// The least change, in the metric of S_xx, after which no linear reader beats a constant: the class means
// coincide. No shrinkage and no bound on the trace, unlike the authors' program by default. Directions in
// which x does not vary are left alone. x: [n × d], n >= 2; label: [n], any numbers, at least two different
// ones. Time O(n d² + d³). Error(bad_input) otherwise. Source: [Belrose2023] theorem 4.2.
Erasure leace(const Rows& x, std::span<const int> label);

// The plain one: x - u u'(x - mean), u the unit vector along `direction`, [d], not zero.
Erasure project_out(std::span<const double> direction, std::span<const double> mean);

// Takes out, one after another, what `n_directions` logistic readers find, each fitted on what the earlier
// ones left. Greedy: it depends on lambda and takes out more than LEACE; for comparison only. label: [n] 0 or
// 1; lambda > 0. Source: [Ravfogel2020].
Erasure inlp(const Rows& x, std::span<const int> label, int n_directions, double lambda);

}  // namespace sonder::latent
