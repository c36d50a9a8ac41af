// Krippendorff's alpha: the part of agreement.h that resamples.
//
// Nominal aside, every metric used in a draw is a sum over units plus one number per distinct value. The
// ordinal distance of two values is the difference of their mid-ranks among all pairable values, so that
// ordinal alpha is interval alpha on ranks, and only the ranks change from draw to draw.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "stats/agreement.h"
#include "stats/detail/draw.h"
#include "stats/detail/numbers.h"
#include "stats/detail/scaled.h"

namespace sonder::stats {
namespace {

// The pairable ratings: unit u holds places start[u]..start[u+1] of `value`, each an index into `levels`.
struct Pairable {
  std::vector<double> levels;  // distinct values, rising
  std::vector<std::uint32_t> value;
  std::vector<std::size_t> start{0};
  std::size_t units() const { return start.size() - 1; }
  std::span<const std::uint32_t> unit(std::size_t u) const {
    return std::span(value).subspan(start[u], start[u + 1] - start[u]);
  }
};

Pairable pairable(const Ratings& ratings) {
  std::vector<double> kept;
  Pairable data;
  for (std::size_t u = 0; u < ratings.n; ++u) {
    const auto row = ratings.row(u);
    const auto rated = std::count_if(row.begin(), row.end(), [](const auto& r) { return r.has_value(); });
    if (rated < 2) continue;
    for (const auto& rating : row) {
      if (rating) kept.push_back(*rating);
    }
    data.start.push_back(kept.size());
  }
  data.levels = kept;
  std::sort(data.levels.begin(), data.levels.end());
  data.levels.erase(std::unique(data.levels.begin(), data.levels.end()), data.levels.end());
  data.value.reserve(kept.size());
  for (const double value : kept)
    data.value.push_back(static_cast<std::uint32_t>(
        std::lower_bound(data.levels.begin(), data.levels.end(), value) - data.levels.begin()));
  return data;
}

// Sum over ordered pairs within a unit of squared differences, over m - 1.
double spread_within(std::span<const std::uint32_t> unit, std::span<const double> place) {
  double total = 0;
  double squares = 0;
  const double first = place[unit[0]];
  for (const std::uint32_t v : unit) {
    const double x = place[v] - first;
    total += x;
    squares += x * x;
  }
  const auto m = static_cast<double>(unit.size());
  return 2 * (m * squares - total * total) / (m - 1);
}

double ratio_distance(double a, double b) {
  const double total = a / 2 + b / 2;
  const double share = total > 0 ? (a / 2 - b / 2) / total : 0;
  return share * share;
}

// The same for a distance that is no square of a difference.
template <class Distance>
double pairs_within(std::span<const std::uint32_t> unit, const Distance& distance) {
  double total = 0;
  for (std::size_t i = 0; i < unit.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) total += distance(unit[i], unit[j]);
  }
  return 2 * total / static_cast<double>(unit.size() - 1);
}

class Alpha {
 public:
  Alpha(Pairable data, Metric metric) : data_(std::move(data)), metric_(metric), place_(data_.levels) {
    place_ = detail::scaled(place_).x;
    within_.resize(data_.units());
    for (std::size_t u = 0; u < data_.units(); ++u) within_[u] = within(data_.unit(u));
    if (metric_ == Metric::ratio) {
      const std::size_t n = data_.levels.size();
      distance_ = Numbers(n, n);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j)
          distance_.row(i)[j] = ratio_distance(data_.levels[i], data_.levels[j]);
      }
    }
  }

  const Pairable& data() const { return data_; }

  // Alpha of the units each taken `times` times; nothing when they do not vary.
  std::optional<double> of(std::span<const std::uint32_t> times) {
    count_.assign(data_.levels.size(), 0.0);
    for (std::size_t u = 0; u < times.size(); ++u) {
      if (times[u] == 0) continue;
      for (const std::uint32_t v : data_.unit(u)) count_[v] += times[u];
    }
    if (metric_ == Metric::ordinal) rank();
    const double expected = between();
    if (expected <= 0) return std::nullopt;
    double observed = 0;
    double n = 0;
    for (std::size_t u = 0; u < times.size(); ++u) {
      if (times[u] == 0) continue;
      const auto unit = data_.unit(u);
      n += static_cast<double>(times[u] * unit.size());
      observed += times[u] * (metric_ == Metric::ordinal ? spread_within(unit, place_) : within_[u]);
    }
    return 1 - (n - 1) * observed / expected;
  }

 private:
  double within(std::span<const std::uint32_t> unit) const {
    if (metric_ == Metric::interval) return spread_within(unit, place_);
    if (metric_ == Metric::nominal)
      return pairs_within(unit, [](std::uint32_t a, std::uint32_t b) { return a == b ? 0.0 : 1.0; });
    if (metric_ == Metric::ratio)
      return pairs_within(unit, [this](std::uint32_t a, std::uint32_t b) {
        return ratio_distance(data_.levels[a], data_.levels[b]);
      });
    return 0;  // ordinal: depends on the draw
  }

  void rank() {
    double below = 0;
    for (std::size_t v = 0; v < count_.size(); ++v) {
      place_[v] = below + count_[v] / 2;
      below += count_[v];
    }
    for (double& x : place_) x -= below / 2;
  }

  // Sum over ordered pairs of all values.
  double between() const {
    if (metric_ == Metric::ratio) {
      double total = 0;
      for (std::size_t i = 0; i < count_.size(); ++i) {
        if (count_[i] == 0) continue;
        const auto row = distance_.row(i);
        double partial = 0;
        for (std::size_t j = 0; j < i; ++j) partial += count_[j] * row[j];
        total += count_[i] * partial;
      }
      return 2 * total;
    }
    double n = 0;
    double total = 0;
    double squares = 0;
    double same = 0;
    for (std::size_t v = 0; v < count_.size(); ++v) {
      n += count_[v];
      same += count_[v] * count_[v];
      total += count_[v] * place_[v];
      squares += count_[v] * place_[v] * place_[v];
    }
    if (same == n * n) return 0;  // one value only
    return metric_ == Metric::nominal ? n * n - same : 2 * (n * squares - total * total);
  }

  Pairable data_;
  Metric metric_;
  std::vector<double> place_;   // where each level lies: its value, or its rank in the draw
  std::vector<double> within_;  // [n units] disagreement of one unit
  std::vector<double> count_;   // [n levels] in the draw
  Numbers distance_;            // ratio only
};

void add_bootstrap(Estimate& estimate, Alpha& alpha, Seed seed, int draws) {
  const std::size_t n = alpha.data().units();
  std::vector<std::uint32_t> times(n);
  std::vector<double> found;
  found.reserve(static_cast<std::size_t>(draws));
  double squares = 0;
  std::size_t below = 0;
  std::size_t above = 0;
  for (int b = 0; b < draws; ++b) {
    Stream stream(seed.child(static_cast<std::uint64_t>(b)));
    std::fill(times.begin(), times.end(), 0U);
    for (std::size_t i = 0; i < n; ++i) ++times[detail::index_below(stream, static_cast<std::uint32_t>(n))];
    const auto drawn = alpha.of(times);
    if (!drawn) continue;
    found.push_back(*drawn);
    below += *drawn <= 0 ? 1 : 0;
    above += *drawn >= 0 ? 1 : 0;
  }
  if (found.empty()) {
    estimate = detail::without_interval(Status::refused, estimate.value, estimate.n_units,
                                        "no resample of the units varies, so there is no interval", {-1, 1});
    return;
  }
  if (found.size() < static_cast<std::size_t>(draws))
    detail::flag(estimate, std::to_string(static_cast<std::size_t>(draws) - found.size()) +
                               " resamples hold one value only and were left out");
  std::sort(found.begin(), found.end());
  const double middle = detail::mean_of(found);
  for (const double x : found) squares += (x - middle) * (x - middle);
  estimate.se = found.size() > 1 ? std::sqrt(squares / static_cast<double>(found.size() - 1)) : 0;
  estimate.ci95 = {detail::sorted_quantile(found, 0.025), detail::sorted_quantile(found, 0.975)};
  estimate.ci90 = {detail::sorted_quantile(found, 0.05), detail::sorted_quantile(found, 0.95)};
  estimate.p = std::min(
      1.0, 2 * static_cast<double>(std::min(below, above) + 1) / static_cast<double>(found.size() + 1));
}

}  // namespace

Estimate krippendorff(const Ratings& ratings, Metric metric, Seed seed, int draws) {
  require(draws >= 1, "a bootstrap needs at least one draw");
  std::vector<double> all;
  for (const auto& rating : ratings.data) all.push_back(rating.value_or(0));
  detail::require_finite(all, "ratings");
  require(metric != Metric::ratio || std::all_of(all.begin(), all.end(), [](double x) { return x >= 0; }),
          "the ratio metric is for values from 0 upwards");
  Alpha alpha(pairable(ratings), metric);
  const std::size_t n = alpha.data().units();
  require(n < (std::size_t{1} << 31U), "at most 2^31 units");
  const std::vector<std::uint32_t> once(n, 1U);
  const auto value = alpha.of(once);
  const int n_units = static_cast<int>(n);
  if (!value)
    return detail::without_interval(Status::undefined, 0, n_units,
                                    n == 0 ? "no unit has two ratings" : "all ratings are the same value",
                                    {-1, 1});
  if (n < 2)
    return detail::without_interval(Status::refused, *value, n_units, "an interval needs at least two units",
                                    {-1, 1});
  Estimate estimate;
  estimate.value = *value;
  estimate.n_units = n_units;
  if (n < 10) detail::flag(estimate, "fewer than 10 units: the bootstrap interval is too short");
  add_bootstrap(estimate, alpha, seed, draws);
  if (estimate.usable() && *value == 1)
    detail::flag(estimate, "all raters agree, so the interval is the point");
  return detail::settled(std::move(estimate));
}

}  // namespace sonder::stats
