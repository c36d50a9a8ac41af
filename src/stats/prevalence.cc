#include "stats/prevalence.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "stats/detail/numbers.h"

namespace sonder::stats {
namespace {

double share(Count c) { return static_cast<double>(c.k) / static_cast<double>(c.n); }

struct Shrunk {
  double value = 0, se = 0;
  Interval interval;
};

// Lee et al.: the shares pulled towards 1/2, then the delta method with a shift of the centre.
Shrunk shrunk(Count said_yes, Count sensitivity, Count specificity, double confidence) {
  const double z = detail::normal_quantile((1 + confidence) / 2);
  const double n = static_cast<double>(said_yes.n) + z * z;
  const double m1 = static_cast<double>(sensitivity.n) + 2;
  const double m0 = static_cast<double>(specificity.n) + 2;
  const double p = (static_cast<double>(said_yes.k) + z * z / 2) / n;
  const double q1 = (static_cast<double>(sensitivity.k) + 1) / m1;
  const double q0 = (static_cast<double>(specificity.k) + 1) / m0;
  const double power = q0 + q1 - 1;
  if (power <= 0) return {};
  const double theta = (p + q0 - 1) / power;
  const double of_0 = q0 * (1 - q0) / m0;
  const double of_1 = q1 * (1 - q1) / m1;
  const double shift = 2 * z * z * (-(1 - theta) * of_0 + theta * of_1);
  const double se =
      std::sqrt(p * (1 - p) / n + (1 - theta) * (1 - theta) * of_0 + theta * theta * of_1) / power;
  const double centre = theta + shift;
  return {theta, se, {std::clamp(centre - z * se, 0.0, 1.0), std::clamp(centre + z * se, 0.0, 1.0)}};
}

}  // namespace

Estimate rogan_gladen(Count said_yes, Count sensitivity, Count specificity) {
  for (const Count& c : {said_yes, sensitivity, specificity})
    require(c.k >= 0 && c.k <= c.n, "a count is k of n with 0 <= k <= n");
  const int n_units = static_cast<int>(said_yes.n);
  if (said_yes.n == 0 || sensitivity.n == 0 || specificity.n == 0)
    return detail::without_interval(Status::undefined, 0, n_units,
                                    "a test set, true positives and true negatives are all needed", {0, 1});
  const double power = share(sensitivity) + share(specificity) - 1;
  // Counts, not shares, decide whether the judge is no better than a coin: 0.7 + 0.3 - 1 is not 0.
  if (sensitivity.k * specificity.n + specificity.k * sensitivity.n <= sensitivity.n * specificity.n)
    return detail::without_interval(Status::undefined, 0, n_units,
                                    "the judge is no better than a coin: its share says nothing", {0, 1});
  const Shrunk at95 = shrunk(said_yes, sensitivity, specificity, 0.95);
  const Shrunk at90 = shrunk(said_yes, sensitivity, specificity, 0.90);
  const double raw = (share(said_yes) + share(specificity) - 1) / power;
  Estimate estimate;
  estimate.n_units = n_units;
  estimate.value = std::clamp(raw, 0.0, 1.0);
  if (at95.se <= 0)
    return detail::without_interval(Status::refused, estimate.value, n_units,
                                    "too few calibration units to tell the judge from a coin", {0, 1});
  estimate.se = at95.se;
  estimate.ci95 = at95.interval;
  estimate.ci90 = at90.interval;
  estimate.p = std::min(1.0, 2 * detail::normal_tail(std::abs(at95.value - 0.5) / at95.se));
  if (raw < 0 || raw > 1) detail::flag(estimate, "the corrected share lay outside 0 to 1 and was clipped");
  return detail::settled(std::move(estimate));
}

}  // namespace sonder::stats
