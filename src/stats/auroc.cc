// Separation of two classes: the parts of order.h about pairs.
#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/detail/numbers.h"
#include "stats/order.h"

namespace sonder::stats {
namespace {

// For each observation the share of the other class it beats; ties count half. Source: [Sun2014].
struct Placements {
  std::vector<double> high;  // [m] V10
  std::vector<double> low;   // [n] V01
  double area = 0.5;
};

Placements place(std::span<const double> high, std::span<const double> low) {
  const auto m = static_cast<double>(high.size());
  const auto n = static_cast<double>(low.size());
  std::vector<double> pooled(high.begin(), high.end());
  pooled.insert(pooled.end(), low.begin(), low.end());
  const auto all = detail::mid_ranks(pooled);
  const auto own_high = detail::mid_ranks(high);
  const auto own_low = detail::mid_ranks(low);
  Placements placed;
  placed.high.resize(high.size());
  placed.low.resize(low.size());
  for (std::size_t i = 0; i < high.size(); ++i) placed.high[i] = (all[i] - own_high[i]) / n;
  for (std::size_t j = 0; j < low.size(); ++j) placed.low[j] = 1 - (all[high.size() + j] - own_low[j]) / m;
  placed.area = detail::mean_of(placed.high);
  return placed;
}

void require_scores(std::span<const double> high, std::span<const double> low) {
  detail::require_finite(high, "high class");
  detail::require_finite(low, "low class");
}

// Two-sided p of the most extreme of all ways to hand out the labels.
double extreme_p(double m, double n) {
  const double log_ways =
      boost::math::lgamma(m + n + 1) - boost::math::lgamma(m + 1) - boost::math::lgamma(n + 1);
  return std::clamp(2 * std::exp(-log_ways), std::numeric_limits<double>::min(), 1.0);
}

double concord(double high, double low) { return high > low ? 1.0 : (high < low ? 0.0 : 0.5); }

}  // namespace

double auroc(std::span<const double> high, std::span<const double> low) {
  require_scores(high, low);
  return high.empty() || low.empty() ? 0.5 : place(high, low).area;
}

Estimate delong(std::span<const double> high, std::span<const double> low) {
  require_scores(high, low);
  const auto m = static_cast<double>(high.size());
  const auto n = static_cast<double>(low.size());
  const int n_units = static_cast<int>(high.size() + low.size());
  if (high.empty() || low.empty())
    return detail::without_interval(Status::undefined, 0.5, n_units, "one class is empty", {0, 1});
  const Placements placed = place(high, low);
  if (high.size() < 2 || low.size() < 2)
    return detail::without_interval(Status::refused, placed.area, n_units,
                                    "each class needs two observations", {0, 1});

  Estimate estimate;
  estimate.value = placed.area;
  estimate.n_units = n_units;
  estimate.se = std::sqrt(detail::variance(placed.high) / m + detail::variance(placed.low) / n);
  if (estimate.se > 0) {
    detail::by_log_odds(estimate);
    detail::no_surer_than_agreed(estimate, std::min(m, n), extreme_p(m, n));
  } else {
    estimate.ci95 = detail::agreed_bound(placed.area, std::min(m, n), 0.05);
    estimate.ci90 = detail::agreed_bound(placed.area, std::min(m, n), 0.10);
    estimate.p = placed.area == 0.5 ? 1.0 : extreme_p(m, n);
    detail::flag(estimate, "no observation is out of order: the interval is the exact one-sided bound");
  }
  return estimate;
}

DeLongPair delong_paired(std::span<const double> high1, std::span<const double> low1,
                         std::span<const double> high2, std::span<const double> low2) {
  require_scores(high1, low1);
  require_scores(high2, low2);
  require(high1.size() == high2.size() && low1.size() == low2.size(),
          "both scores are of the same observations");
  DeLongPair pair;
  if (high1.empty() || low1.empty()) {
    pair.a1 = pair.a2 = 0.5;
    pair.status = Status::undefined;
    return pair;
  }
  const Placements one = place(high1, low1);
  const Placements two = place(high2, low2);
  pair.a1 = one.area;
  pair.a2 = two.area;
  if (high1.size() < 2 || low1.size() < 2) {
    pair.status = Status::refused;
    return pair;
  }
  const auto m = static_cast<double>(high1.size());
  const auto n = static_cast<double>(low1.size());
  pair.var1 = detail::variance(one.high) / m + detail::variance(one.low) / n;
  pair.var2 = detail::variance(two.high) / m + detail::variance(two.low) / n;
  pair.cov = detail::covariance(one.high, two.high) / m + detail::covariance(one.low, two.low) / n;
  // The spread of the differences, not var1 + var2 - 2 cov, which rounding can leave a hair off zero.
  const double spread = detail::variance(detail::minus(one.high, two.high)) / m +
                        detail::variance(detail::minus(one.low, two.low)) / n;
  if (spread > 0) {
    pair.z = (pair.a1 - pair.a2) / std::sqrt(spread);
    pair.p = std::min(1.0, 2 * detail::normal_tail(std::abs(pair.z)));
  } else if (pair.a1 != pair.a2) {
    pair.status = Status::undefined;
  }
  return pair;
}

Estimate concordance(std::span<const double> high, std::span<const double> low) {
  require_scores(high, low);
  require(high.size() == low.size(), "concordance is within units: one high and one low of each");
  std::vector<double> units(high.size());
  for (std::size_t i = 0; i < units.size(); ++i) units[i] = concord(high[i], low[i]);
  return detail::bounded_mean(units);
}

Estimate ladder_concordance(const Numbers& levels) {
  detail::require_finite(levels.data, "ladder");
  require(levels.n == 0 || levels.d >= 2, "a ladder has at least two levels");
  std::vector<double> units(levels.n);
  for (std::size_t i = 0; i < levels.n; ++i) {
    const auto ladder = levels.row(i);
    double total = 0;
    for (std::size_t high = 1; high < levels.d; ++high)
      for (std::size_t low = 0; low < high; ++low) total += concord(ladder[high], ladder[low]);
    units[i] = total / (static_cast<double>(levels.d * (levels.d - 1)) / 2);
  }
  return detail::bounded_mean(units);
}

}  // namespace sonder::stats
