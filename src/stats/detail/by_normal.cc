#include "stats/detail/by_normal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/detail/numbers.h"

namespace sonder::stats::detail {

Interval normal_interval(double value, double se, double confidence) {
  const double half = normal_quantile((1 + confidence) / 2) * se;
  return {value - half, value + half};
}

Estimate by_normal(double value, double se, int n_units, double null) {
  Estimate estimate;
  estimate.value = value;
  estimate.se = se;
  estimate.n_units = n_units;
  estimate.ci95 = normal_interval(value, se, 0.95);
  estimate.ci90 = normal_interval(value, se, 0.90);
  if (se > 0) {
    estimate.p = std::min(1.0, 2 * normal_tail(std::abs(value - null) / se));
  } else {
    estimate.p = value == null ? 1.0 : std::numeric_limits<double>::min();
    flag(estimate, "no spread at all, so the interval is the point");
  }
  return estimate;
}

}  // namespace sonder::stats::detail
