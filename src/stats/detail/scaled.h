// For coefficients that do not depend on unit or origin: values moved to [-1, 1], so that neither a huge
// offset nor huge numbers matter. Counts as int.
#pragma once

#include <span>
#include <vector>

namespace sonder::stats::detail {

// (x - middle of the range) / half the range; all 0 when x is constant. varies: the range is more than
// rounding.
struct Scaled {
  std::vector<double> x;
  double half_range = 0;
  bool varies = false;
};
Scaled scaled(std::span<const double> x);

// A count as n_units; the largest int when it is larger.
int as_units(double count);

// Throws Error(bad_input) unless every count lies between 0 and 1e15.
void require_counts(std::span<const double> counts);

}  // namespace sonder::stats::detail
