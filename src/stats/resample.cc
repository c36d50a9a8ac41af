// Sign flips and the bootstrap: the parts of mean.h that resample.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "stats/detail/draw.h"
#include "stats/detail/flips.h"
#include "stats/detail/numbers.h"
#include "stats/mean.h"

namespace sonder::stats {
namespace {

constexpr std::size_t kExactFlips = 20;
constexpr double kTie = 1e-12;  // relative: sums of the same numbers in another order are ties

// All 2^k signed sums of x, by doubling.
std::vector<double> signed_sums(std::span<const double> x) {
  std::vector<double> sums{0};
  sums.reserve(std::size_t{1} << x.size());
  for (const double value : x) {
    const std::size_t have = sums.size();
    for (std::size_t i = 0; i < have; ++i) {
      sums.push_back(sums[i] - value);
      sums[i] += value;
    }
  }
  return sums;
}

struct Tally {
  std::size_t greater = 0;
  std::size_t extreme = 0;
};

// Two half tables: each total is one addition away, with no drift.
Tally enumerate(std::span<const double> x, double observed, double tie) {
  const auto left = signed_sums(x.first(x.size() / 2));
  const auto right = signed_sums(x.subspan(x.size() / 2));
  Tally tally;
  for (const double one : left) {
    for (const double other : right) {
      const double total = one + other;
      tally.greater += total >= observed - tie ? 1U : 0U;
      tally.extreme += std::abs(total) >= std::abs(observed) - tie ? 1U : 0U;
    }
  }
  return tally;
}

Tally simulate(std::span<const double> x, double observed, double tie, Seed seed, int draws) {
  Tally tally;
  const detail::Flips flips(x);
  for (int b = 0; b < draws; ++b) {
    Stream stream(seed.child(static_cast<std::uint64_t>(b)));
    const double total = flips.signed_sum(stream);
    tally.greater += total >= observed - tie ? 1U : 0U;
    tally.extreme += std::abs(total) >= std::abs(observed) - tie ? 1U : 0U;
  }
  return tally;
}

// The p does not depend on the unit; dividing by the largest keeps every sum finite.
std::vector<double> to_largest_one(std::span<const double> x) {
  double largest = 0;
  for (const double value : x) largest = std::max(largest, std::abs(value));
  std::vector<double> scaled(x.begin(), x.end());
  for (double& value : scaled) value /= largest;
  return scaled;
}

std::vector<double> leave_one_out(std::size_t n_units, const Statistic& statistic) {
  std::vector<double> values(n_units);
  std::vector<std::size_t> others(n_units - 1);
  std::iota(others.begin(), others.end(), std::size_t{1});
  for (std::size_t left_out = 0; left_out < n_units; ++left_out) {
    values[left_out] = statistic(others);
    if (left_out < others.size()) others[left_out] = left_out;
  }
  return values;
}

// The level a BCa end moves to; outside (0, 1) when the acceleration breaks the formula down.
double moved_level(double z0, double acceleration, double level) {
  const double z = z0 + detail::normal_quantile(level);
  const double room = 1 - acceleration * z;
  return room > 0 ? detail::normal_cdf(z0 + z / room) : -1.0;
}

// Two-sided p against 0 from a share below 0: the level whose BCa end is 0.
double inverted_p(double below_zero, const Bca& bca, double smallest) {
  if (below_zero <= 0 || below_zero >= 1) return smallest;
  const double z = detail::normal_quantile(below_zero) - bca.z0;
  const double room = 1 + bca.acceleration * z;
  if (room <= 0) return smallest;
  return std::max(smallest, detail::two_sided(detail::normal_cdf(z / room - bca.z0)));
}

// Share of replicates below a value, ties by the rule.
double share_below(std::span<const double> sorted, double value, double tie, Ties ties) {
  const auto below = std::lower_bound(sorted.begin(), sorted.end(), value - tie) - sorted.begin();
  const auto up_to = std::upper_bound(sorted.begin(), sorted.end(), value + tie) - sorted.begin();
  const double equal = ties == Ties::half ? 0.5 * static_cast<double>(up_to - below) : 0.0;
  return (static_cast<double>(below) + equal) / static_cast<double>(sorted.size());
}

Interval ends(std::span<const double> sorted, Interval levels) {
  return {detail::sorted_quantile(sorted, levels.low), detail::sorted_quantile(sorted, levels.high)};
}

// Keeps the numbers; a statistic may have no value on a resample (a correlation of equal points).
std::vector<double> finite_sorted(std::span<const double> replicates) {
  std::vector<double> kept;
  kept.reserve(replicates.size());
  std::copy_if(replicates.begin(), replicates.end(), std::back_inserter(kept),
               [](double t) { return std::isfinite(t); });
  std::sort(kept.begin(), kept.end());
  return kept;
}

void place_intervals(Bca& bca, std::span<const double> sorted, double below) {
  constexpr Interval kLevels95{0.025, 0.975};
  constexpr Interval kLevels90{0.05, 0.95};
  bca.percentile95 = ends(sorted, kLevels95);
  bca.levels95 = kLevels95;
  Interval levels90 = kLevels90;
  if (below <= 0 || below >= 1) {
    detail::flag(bca.estimate, "every resample lies on one side of the estimate: percentile interval");
  } else {
    bca.z0 = detail::normal_quantile(below);
    const Interval moved95{moved_level(bca.z0, bca.acceleration, 0.025),
                           moved_level(bca.z0, bca.acceleration, 0.975)};
    const Interval moved90{moved_level(bca.z0, bca.acceleration, 0.05),
                           moved_level(bca.z0, bca.acceleration, 0.95)};
    if (std::min({moved95.low, moved95.high, moved90.low, moved90.high}) < 0) {
      detail::flag(bca.estimate, "the skew is too strong for the correction: percentile interval");
    } else {
      bca.levels95 = moved95;
      levels90 = moved90;
    }
  }
  bca.estimate.ci95 = ends(sorted, bca.levels95);
  bca.estimate.ci90 = ends(sorted, levels90);
}

}  // namespace

SignFlip sign_flip(std::span<const double> x, Seed seed, int draws) {
  detail::require_finite(x, "sign flip");
  require(draws > 0, "a permutation test needs at least one draw");
  SignFlip result;
  result.exact = x.size() <= kExactFlips;
  if (std::all_of(x.begin(), x.end(), [](double value) { return value == 0; })) return result;
  const std::vector<double> scaled = to_largest_one(x);
  double observed = 0;
  double size = 0;
  for (const double value : scaled) {
    observed += value;
    size += std::abs(value);
  }
  const double tie = kTie * size;
  const Tally tally =
      result.exact ? enumerate(scaled, observed, tie) : simulate(scaled, observed, tie, seed, draws);
  const double all = result.exact ? std::exp2(static_cast<double>(x.size())) : draws + 1.0;
  const double own = result.exact ? 0 : 1;  // the observed signs are among the enumerated ones already
  result.p_greater = (own + static_cast<double>(tally.greater)) / all;
  result.p = (own + static_cast<double>(tally.extreme)) / all;
  return result;
}

Estimate sign_flip_mean(std::span<const double> x) {
  detail::require_finite(x, "sign flip");
  require(x.size() <= kExactFlips, "the exact sign-flip interval is for at most 20 units; use mean");
  const int n = static_cast<int>(x.size());
  const double value = detail::mean_of(x);
  if (n < 6)
    return detail::without_interval(Status::refused, value, n, "no 95 % sign-flip interval below 6 units");
  std::vector<double> totals{0};
  std::vector<int> counts{0};
  for (const double one : x) {
    const std::size_t have = totals.size();
    for (std::size_t i = 0; i < have; ++i) {
      totals.push_back(totals[i] + one);
      counts.push_back(counts[i] + 1);
    }
  }
  std::vector<double> means;
  means.reserve(totals.size() - 1);
  for (std::size_t i = 1; i < totals.size(); ++i) means.push_back(totals[i] / counts[i]);
  std::sort(means.begin(), means.end());
  const auto interval = [&](double alpha) {
    const auto k = static_cast<std::size_t>(alpha / 2 * std::exp2(n));
    return Interval{means[k - 1], means[means.size() - k]};
  };
  Estimate estimate;
  estimate.value = value;
  estimate.se = std::sqrt(detail::variance(x) / n);
  estimate.n_units = n;
  estimate.ci95 = interval(0.05);
  estimate.ci90 = interval(0.10);
  estimate.p = sign_flip(x, Seed(0), 1).p;  // exact: the seed is not used
  if (estimate.se == 0)
    detail::flag(estimate, "all units agree exactly, so the spread and the interval are zero");
  return detail::settled(std::move(estimate));
}

Jackknife jackknife(double value, std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double centre = detail::mean_of(values);
  Jackknife result;
  if (n < 2 || detail::variance(values) == 0) return result;
  double squares = 0;
  double cubes = 0;
  for (const double one : values) {
    const double d = centre - one;
    squares += d * d;
    cubes += d * d * d;
  }
  result.bias = (n - 1) * (centre - value);
  result.se = std::sqrt((n - 1) / n * squares);
  const double scale = 6 * squares * std::sqrt(squares);
  result.acceleration = scale > 0 && std::isfinite(scale) ? cubes / scale : 0;
  return result;
}

Bca bca_of(double value, std::span<const double> replicates, std::span<const double> leave_one_out_values,
           Ties ties) {
  Bca bca;
  const int n = static_cast<int>(leave_one_out_values.size());
  if (!std::isfinite(value)) {
    bca.estimate =
        detail::without_interval(Status::undefined, 0, n, "the statistic has no value on these units");
    return bca;
  }
  const std::vector<double> sorted = finite_sorted(replicates);
  if (n < 2 || sorted.size() * 2 <= replicates.size() || sorted.empty()) {
    bca.estimate = detail::without_interval(
        Status::undefined, value, n,
        n < 2 ? "an interval needs at least two units" : "the statistic has no value on most resamples");
    return bca;
  }
  bca.estimate.value = value;
  bca.estimate.n_units = n;
  bca.estimate.se = std::sqrt(detail::variance(sorted));
  if (sorted.size() < replicates.size())
    detail::flag(bca.estimate,
                 std::to_string(replicates.size() - sorted.size()) + " resamples gave no value");
  if (n < 10) detail::flag(bca.estimate, "fewer than 10 units: prefer the sign-flip interval");
  const bool known = std::all_of(leave_one_out_values.begin(), leave_one_out_values.end(),
                                 [](double t) { return std::isfinite(t); });
  if (known)
    bca.acceleration = jackknife(value, leave_one_out_values).acceleration;
  else
    detail::flag(bca.estimate, "the statistic has no value without one of the units: no acceleration");

  const double tie = kTie * std::max({std::abs(value), std::abs(sorted.front()), std::abs(sorted.back())});
  if (bca.estimate.se == 0) {
    detail::flag(bca.estimate, "all resamples agree exactly, so the interval is a point");
    bca.estimate.ci95 = bca.estimate.ci90 = bca.percentile95 = {value, value};
    bca.levels95 = {0.025, 0.975};
    bca.estimate.p = std::abs(value) <= tie ? 1.0 : detail::agreed_p(n - 1);
  } else {
    place_intervals(bca, sorted, share_below(sorted, value, tie, ties));
    bca.estimate.p = inverted_p(share_below(sorted, 0, tie, Ties::half), bca,
                                std::min(1.0, 2.0 / (static_cast<double>(sorted.size()) + 1)));
  }
  bca.estimate = detail::settled(std::move(bca.estimate));
  return bca;
}

Estimate bca(std::size_t n_units, const Statistic& statistic, Seed seed, int draws) {
  require(draws > 0, "a bootstrap needs at least one draw");
  require(n_units <= std::numeric_limits<std::uint32_t>::max(), "a bootstrap holds at most 2^32 units");
  if (n_units < 2)
    return detail::without_interval(Status::undefined, 0, static_cast<int>(n_units),
                                    "an interval needs at least two units");
  std::vector<std::size_t> resample(n_units);
  std::iota(resample.begin(), resample.end(), std::size_t{0});
  const double value = statistic(resample);
  const auto jack = leave_one_out(n_units, statistic);
  std::vector<double> replicates(static_cast<std::size_t>(draws));
  for (std::size_t b = 0; b < replicates.size(); ++b) {
    Stream stream(seed.child(b));
    for (auto& unit : resample) unit = detail::index_below(stream, static_cast<std::uint32_t>(n_units));
    replicates[b] = statistic(resample);
  }
  return bca_of(value, replicates, jack).estimate;
}

Estimate bca_mean(std::span<const double> x, Seed seed, int draws) {
  detail::require_finite(x, "bootstrap");
  return bca(
      x.size(),
      [x](std::span<const std::size_t> units) {
        double total = 0;
        for (const std::size_t unit : units) total += x[unit];
        return total / static_cast<double>(units.size());
      },
      seed, draws);
}

Estimate bca_mean(std::span<const double> x, std::span<const int> cluster, Seed seed, int draws) {
  detail::require_finite(x, "bootstrap");
  require(x.size() == cluster.size(), "every row of a clustered mean needs its cluster");
  struct Part {
    double total = 0;
    double size = 0;
  };
  std::map<int, std::size_t> place;
  std::vector<Part> parts;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto [at, fresh] = place.try_emplace(cluster[i], parts.size());
    if (fresh) parts.emplace_back();
    parts[at->second].total += x[i];
    parts[at->second].size += 1;
  }
  return bca(
      parts.size(),
      [&parts](std::span<const std::size_t> units) {
        Part all;
        for (const std::size_t unit : units) {
          all.total += parts[unit].total;
          all.size += parts[unit].size;
        }
        return all.total / all.size;
      },
      seed, draws);
}

}  // namespace sonder::stats
