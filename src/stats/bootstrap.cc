#include "stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "stats/detail/draw.h"
#include "stats/detail/labels.h"
#include "stats/detail/numbers.h"

namespace sonder::stats {
namespace {

constexpr std::size_t kMostEnumerated = 7;  // 7^7 = 823,543 resamples

std::vector<double> without_each(std::size_t n_units, const Statistic& statistic) {
  std::vector<double> values;
  for (std::size_t left_out = 0; left_out < n_units; ++left_out) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < n_units; ++i)
      if (i != left_out) others.push_back(i);
    values.push_back(statistic(others));
  }
  return values;
}

// Every multiset of n of n units, each as often as it occurs among the n^n resamples.
class Multisets {
 public:
  Multisets(std::size_t n_units, const Statistic& statistic) : n_(n_units), statistic_(statistic) {
    units_.reserve(n_);
    extend(0, 1);
  }
  std::vector<double> take() { return std::move(replicates_); }

 private:
  // orders: in how many ways the units chosen so far fall on places.
  void extend(std::size_t unit, double orders) {
    if (units_.size() == n_) {
      replicates_.insert(replicates_.end(), static_cast<std::size_t>(std::lround(orders)),
                         statistic_(units_));
      return;
    }
    if (unit == n_) return;
    const std::size_t had = units_.size();
    for (std::size_t k = 0; had + k <= n_; ++k) {
      if (k > 0) {
        units_.push_back(unit);
        orders *= static_cast<double>(n_ - had - k + 1) / static_cast<double>(k);  // free places over k
      }
      extend(unit + 1, orders);
    }
    units_.resize(had);
  }

  std::size_t n_;
  const Statistic& statistic_;
  std::vector<std::size_t> units_;
  std::vector<double> replicates_;
};

struct TwoWays {
  detail::Labels first, second;
};

TwoWays ways_of(std::span<const int> first, std::span<const int> second) {
  require(first.size() == second.size(), "every row needs both its clusters");
  return {detail::dense(first), detail::dense(second)};
}

void weigh(const TwoWays& ways, std::span<const double> first, std::span<const double> second,
           std::vector<double>& weight) {
  for (std::size_t i = 0; i < weight.size(); ++i)
    weight[i] = first[ways.first.of[i]] * second[ways.second.of[i]];
}

// Leave-one-out deviations of one kind, scaled to influences of like size over both kinds.
void add_influences(const TwoWays& ways, const WeightedStatistic& statistic, bool of_first, double value,
                    std::vector<double>& out) {
  std::vector<double> first(ways.first.count, 1.0);
  std::vector<double> second(ways.second.count, 1.0);
  std::vector<double>& left = of_first ? first : second;
  std::vector<double> weight(ways.first.of.size());
  std::vector<double> values;
  for (double& times : left) {
    times = 0;
    weigh(ways, first, second, weight);
    values.push_back(statistic(weight));
    times = 1;
  }
  const double centre = detail::mean_of(values);
  const auto n = static_cast<double>(values.size());
  for (const double one : values) out.push_back(value + (one - centre) * (n - 1) / n);
}

Bca undefined_two_way(double value, int n_units) {
  Bca out;
  out.estimate = detail::without_interval(Status::undefined, std::isfinite(value) ? value : 0, n_units,
                                          "both ways need at least two clusters");
  out.percentile95 = out.estimate.ci95;
  return out;
}

}  // namespace

Bca bca_enumerated(std::size_t n_units, const Statistic& statistic, Ties ties) {
  require(n_units >= 2 && n_units <= kMostEnumerated, "every resample can be listed for 2 to 7 units");
  std::vector<std::size_t> all(n_units);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return bca_of(statistic(all), Multisets(n_units, statistic).take(), without_each(n_units, statistic), ties);
}

Estimate percentile_bootstrap(std::size_t n_units, const Statistic& statistic, Seed seed, int draws) {
  require(draws > 0, "a bootstrap needs at least one draw");
  require(n_units <= std::numeric_limits<std::uint32_t>::max(), "a bootstrap holds at most 2^32 units");
  const int n = static_cast<int>(n_units);
  std::vector<std::size_t> resample(n_units);
  std::iota(resample.begin(), resample.end(), std::size_t{0});
  if (n < 2) return detail::without_interval(Status::undefined, 0, n, "an interval needs at least two units");
  const double value = statistic(resample);
  std::vector<double> replicates(static_cast<std::size_t>(draws));
  for (std::size_t b = 0; b < replicates.size(); ++b) {
    Stream stream(seed.child(b));
    for (auto& unit : resample) unit = detail::index_below(stream, static_cast<std::uint32_t>(n_units));
    replicates[b] = statistic(resample);
  }
  // Without leave-one-out values there is no acceleration; without z0 the ends are the plain quantiles.
  std::vector<double> sorted;
  std::copy_if(replicates.begin(), replicates.end(), std::back_inserter(sorted),
               [](double t) { return std::isfinite(t); });
  if (!std::isfinite(value) || sorted.size() * 2 <= replicates.size())
    return detail::without_interval(Status::undefined, std::isfinite(value) ? value : 0, n,
                                    "the statistic has no value on these units or on most resamples");
  std::sort(sorted.begin(), sorted.end());
  Estimate out;
  out.value = value;
  out.n_units = n;
  out.se = std::sqrt(detail::variance(sorted));
  out.ci95 = {detail::sorted_quantile(sorted, .025), detail::sorted_quantile(sorted, .975)};
  out.ci90 = {detail::sorted_quantile(sorted, .05), detail::sorted_quantile(sorted, .95)};
  const auto not_above = std::upper_bound(sorted.begin(), sorted.end(), 0.0) - sorted.begin();
  const auto below = std::lower_bound(sorted.begin(), sorted.end(), 0.0) - sorted.begin();
  const auto size = static_cast<double>(sorted.size());
  const double tail = std::min(static_cast<double>(not_above), size - static_cast<double>(below));
  out.p = std::min(1.0, 2 * (tail + 1) / (size + 1));
  if (sorted.size() < replicates.size())
    detail::flag(out, std::to_string(replicates.size() - sorted.size()) + " resamples gave no value");
  if (n < 10) detail::flag(out, "fewer than 10 units: the interval is too short");
  if (out.se == 0) detail::flag(out, "all resamples agree exactly, so the interval is a point");
  return detail::settled(std::move(out));
}

Bca two_way_bootstrap(std::span<const int> first, std::span<const int> second,
                      const WeightedStatistic& statistic, Seed seed, int draws) {
  require(draws > 0, "a bootstrap needs at least one draw");
  const TwoWays ways = ways_of(first, second);
  std::vector<double> weight(first.size(), 1.0);
  const int fewer = static_cast<int>(std::min(ways.first.count, ways.second.count));
  if (fewer < 2) return undefined_two_way(first.empty() ? 0 : statistic(weight), fewer);
  const double value = statistic(weight);
  std::vector<double> influences;
  add_influences(ways, statistic, true, value, influences);
  add_influences(ways, statistic, false, value, influences);
  std::vector<double> replicates(static_cast<std::size_t>(draws));
  std::vector<double> times_first(ways.first.count);
  std::vector<double> times_second(ways.second.count);
  const auto draw = [](std::vector<double>& times, Stream stream) {
    std::fill(times.begin(), times.end(), 0.0);
    for (std::size_t i = 0; i < times.size(); ++i) ++times[stream.below(times.size())];
  };
  for (std::size_t b = 0; b < replicates.size(); ++b) {
    draw(times_first, Stream(seed.child(b).child("first")));
    draw(times_second, Stream(seed.child(b).child("second")));
    weigh(ways, times_first, times_second, weight);
    replicates[b] = statistic(weight);
  }
  Bca out = bca_of(value, replicates, influences);
  out.estimate.n_units = fewer;
  if (fewer < 10 && influences.size() >= 10 && out.estimate.usable())
    detail::flag(out.estimate, "fewer than 10 clusters one of the ways: the interval is rough");
  return out;
}

Bca two_way_bootstrap_mean(std::span<const double> x, std::span<const int> first, std::span<const int> second,
                           Seed seed, int draws) {
  detail::require_finite(x, "bootstrap");
  require(x.size() == first.size(), "every row needs both its clusters");
  return two_way_bootstrap(
      first, second,
      [x](std::span<const double> weight) {
        double total = 0;
        double size = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
          total += weight[i] * x[i];
          size += weight[i];
        }
        return size > 0 ? total / size : std::numeric_limits<double>::quiet_NaN();
      },
      seed, draws);
}

}  // namespace sonder::stats
