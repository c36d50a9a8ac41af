#include "stats/roc.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "stats/detail/labels.h"
#include "stats/detail/numbers.h"
#include "stats/order.h"

namespace sonder::stats {
namespace {

struct Classes {
  std::vector<double> high, low;
  std::vector<std::size_t> high_cluster, low_cluster;
};

detail::Labels require_scored(const Scored& rows) {
  detail::require_finite(rows.score, "scores");
  require(rows.high.size() == rows.score.size() && rows.cluster.size() == rows.score.size(),
          "every score needs its class and its cluster");
  return detail::dense(rows.cluster);
}

Classes split(const Scored& rows, const detail::Labels& labels) {
  Classes classes;
  for (std::size_t i = 0; i < rows.score.size(); ++i) {
    const bool high = rows.high[i] != 0;
    (high ? classes.high : classes.low).push_back(rows.score[i]);
    (high ? classes.high_cluster : classes.low_cluster).push_back(labels.of[i]);
  }
  return classes;
}

// Of each observation: the share of the other class it beats. Ranks once over all, once within the class.
std::vector<double> beaten(std::span<const double> own, std::span<const double> other) {
  std::vector<double> sorted(other.begin(), other.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> share;
  share.reserve(own.size());
  for (const double value : own) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
    share.push_back((static_cast<double>(first - sorted.begin()) + .5 * static_cast<double>(last - first)) /
                    static_cast<double>(sorted.size()));
  }
  return share;
}

// Sums over clusters of (share beaten - area): [C].
std::vector<double> cluster_sums(std::span<const double> share, std::span<const std::size_t> cluster,
                                 double area, std::size_t count) {
  std::vector<double> sums(count, 0.0);
  for (std::size_t i = 0; i < share.size(); ++i) sums[cluster[i]] += share[i] - area;
  return sums;
}

double inner(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::size_t distinct(std::vector<std::size_t> labels) {
  std::sort(labels.begin(), labels.end());
  return static_cast<std::size_t>(std::unique(labels.begin(), labels.end()) - labels.begin());
}

// Rows in order of score with the end of every run of ties, so that one pass gives a weighted area.
struct Ordered {
  std::vector<std::size_t> cluster;
  std::vector<char> high;
  std::vector<char> last_of_run;
};

Ordered order_rows(const Scored& rows, const detail::Labels& labels) {
  std::vector<std::size_t> order(rows.score.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(rows.score[a], a) < std::pair(rows.score[b], b);
  });
  Ordered out;
  for (std::size_t i = 0; i < order.size(); ++i) {
    out.cluster.push_back(labels.of[order[i]]);
    out.high.push_back(rows.high[order[i]] != 0 ? 1 : 0);
    out.last_of_run.push_back(i + 1 == order.size() || rows.score[order[i + 1]] != rows.score[order[i]] ? 1
                                                                                                        : 0);
  }
  return out;
}

// Area where every row counts as often as its cluster was drawn; -1 without both classes.
double weighted_area(const Ordered& rows, std::span<const std::uint32_t> times) {
  double below = 0;
  double pairs = 0;
  double n_high = 0;
  double run_high = 0;
  double run_low = 0;
  for (std::size_t i = 0; i < rows.cluster.size(); ++i) {
    (rows.high[i] != 0 ? run_high : run_low) += times[rows.cluster[i]];
    if (rows.last_of_run[i] == 0) continue;
    pairs += run_high * (below + run_low / 2);
    below += std::exchange(run_low, 0.0);
    n_high += std::exchange(run_high, 0.0);
  }
  return n_high > 0 && below > 0 ? pairs / (n_high * below) : -1;
}

// Both moments and df of one sample, observations of both classes apart.
struct Moments {
  double area = 0.5, variance = 0, df_part = 0;
};

Moments moments_of(std::span<const double> high, std::span<const double> low) {
  const auto m = static_cast<double>(high.size());
  const auto n = static_cast<double>(low.size());
  const auto v10 = beaten(high, low);
  const auto beaten_by_low = beaten(low, high);
  Moments out;
  out.area = detail::mean_of(v10);
  out.variance = detail::variance(v10) / m + detail::variance(beaten_by_low) / n;
  out.df_part = out.variance * out.variance / (m + n - 1);
  return out;
}

}  // namespace

DeLongUnpaired delong_unpaired(std::span<const double> high1, std::span<const double> low1,
                               std::span<const double> high2, std::span<const double> low2) {
  DeLongUnpaired out;
  for (const auto part : {high1, low1, high2, low2}) detail::require_finite(part, "scores");
  const int n = static_cast<int>(high1.size() + low1.size() + high2.size() + low2.size());
  const auto none = [&](Status status, double value, const char* why) {
    out.difference = detail::without_interval(status, value, n, why, {-1, 1});
    return out;
  };
  const auto least = std::min({high1.size(), low1.size(), high2.size(), low2.size()});
  if (least == 0) return none(Status::undefined, 0, "one class is empty");
  const Moments one = moments_of(high1, low1);
  const Moments two = moments_of(high2, low2);
  out.a1 = one.area;
  out.a2 = two.area;
  out.var1 = one.variance;
  out.var2 = two.variance;
  const double difference = out.a1 - out.a2;
  if (least < 2) return none(Status::refused, difference, "each class needs two observations");
  const double variance = out.var1 + out.var2;
  if (!(variance > 0)) {
    if (difference != 0) return none(Status::undefined, difference, "the areas differ but nothing varies");
    none(Status::flagged, 0, "neither area varies: nothing tells them apart, or alike");
    return out;
  }
  out.df = variance * variance / (one.df_part + two.df_part);
  out.t = difference / std::sqrt(variance);
  out.difference = detail::settled(detail::by_t(difference, std::sqrt(variance), out.df, n));
  return out;
}

Estimate clustered_auroc(const Scored& rows) {
  const detail::Labels labels = require_scored(rows);
  const Classes classes = split(rows, labels);
  const int n_clusters = static_cast<int>(labels.count);
  if (classes.high.empty() || classes.low.empty())
    return detail::without_interval(Status::undefined, .5, n_clusters, "one class is empty", {0, 1});
  Estimate out;
  out.n_units = n_clusters;
  const auto v10 = beaten(classes.high, classes.low);
  auto v01 = beaten(classes.low, classes.high);
  for (double& share : v01) share = 1 - share;
  out.value = detail::mean_of(v10);
  if (n_clusters < 2)
    return detail::without_interval(Status::undefined, out.value, n_clusters,
                                    "one cluster has no spread between clusters", {0, 1});
  const auto with_high = static_cast<double>(distinct(classes.high_cluster));
  const auto with_low = static_cast<double>(distinct(classes.low_cluster));
  const auto m = static_cast<double>(classes.high.size());
  const auto n = static_cast<double>(classes.low.size());
  const auto c = static_cast<double>(n_clusters);
  const auto high = cluster_sums(v10, classes.high_cluster, out.value, labels.count);
  const auto low = cluster_sums(v01, classes.low_cluster, out.value, labels.count);
  double variance = 2 * c / (c - 1) * inner(high, low) / (m * n);
  if (with_high > 1) variance += with_high / (with_high - 1) * inner(high, high) / (m * m);
  if (with_low > 1) variance += with_low / (with_low - 1) * inner(low, low) / (n * n);
  if (with_high < 2 || with_low < 2 || !(variance > 1e-24) || out.value <= 0 || out.value >= 1) {
    out.ci95 = detail::agreed_bound(out.value, c, .05);
    out.ci90 = detail::agreed_bound(out.value, c, .10);
    detail::flag(out, "no spread between clusters to measure: the interval is a bound of as many units");
    return out;
  }
  out.se = std::sqrt(variance);
  detail::by_log_odds(out);
  detail::no_surer_than_agreed(out, c, detail::agreed_p(n_clusters - 1));
  return detail::settled(std::move(out));
}

Estimate bootstrap_auroc(const Scored& rows, Seed seed, int draws) {
  require(draws > 0, "a bootstrap needs at least one draw");
  const detail::Labels labels = require_scored(rows);
  const Ordered ordered = order_rows(rows, labels);
  const int n_clusters = static_cast<int>(labels.count);
  std::vector<std::uint32_t> times(labels.count, 1);
  const double area = weighted_area(ordered, times);
  if (area < 0)
    return detail::without_interval(Status::undefined, .5, n_clusters, "one class is empty", {0, 1});
  if (n_clusters < 2)
    return detail::without_interval(Status::undefined, area, n_clusters,
                                    "one cluster has no spread between clusters", {0, 1});
  std::vector<double> replicates;
  for (int b = 0; b < draws; ++b) {
    Stream stream(seed.child(static_cast<std::uint64_t>(b)));
    std::fill(times.begin(), times.end(), 0U);
    for (std::size_t c = 0; c < labels.count; ++c) ++times[stream.below(labels.count)];
    const double replicate = weighted_area(ordered, times);
    if (replicate >= 0) replicates.push_back(replicate);
  }
  if (replicates.size() * 2 <= static_cast<std::size_t>(draws))
    return detail::without_interval(Status::undefined, area, n_clusters, "most resamples lose one class",
                                    {0, 1});
  std::sort(replicates.begin(), replicates.end());
  Estimate out;
  out.value = area;
  out.n_units = n_clusters;
  out.se = std::sqrt(detail::variance(replicates));
  if (out.se == 0) {
    out.ci95 = detail::agreed_bound(area, n_clusters, .05);
    out.ci90 = detail::agreed_bound(area, n_clusters, .10);
    detail::flag(out, "all resamples agree: the interval is a bound of as many units");
    return out;
  }
  out.ci95 = {detail::sorted_quantile(replicates, .025), detail::sorted_quantile(replicates, .975)};
  out.ci90 = {detail::sorted_quantile(replicates, .05), detail::sorted_quantile(replicates, .95)};
  const auto up_to = std::upper_bound(replicates.begin(), replicates.end(), .5) - replicates.begin();
  const auto below = std::lower_bound(replicates.begin(), replicates.end(), .5) - replicates.begin();
  const double size = static_cast<double>(replicates.size()) + 1;
  const double tail = std::min(static_cast<double>(up_to), size - 1 - static_cast<double>(below));
  out.p = std::min(1.0, 2 * (tail + 1) / size);
  detail::no_surer_than_agreed(out, n_clusters, 0);
  if (replicates.size() < static_cast<std::size_t>(draws))
    detail::flag(out, std::to_string(static_cast<std::size_t>(draws) - replicates.size()) +
                          " resamples lost one class");
  if (n_clusters < 10) detail::flag(out, "fewer than 10 clusters: the interval is too short");
  return out;
}

Estimate within_concordance(const Scored& rows) {
  const detail::Labels labels = require_scored(rows);
  std::vector<std::vector<double>> high(labels.count);
  std::vector<std::vector<double>> low(labels.count);
  for (std::size_t i = 0; i < rows.score.size(); ++i)
    (rows.high[i] != 0 ? high : low)[labels.of[i]].push_back(rows.score[i]);
  std::vector<double> areas;
  for (std::size_t c = 0; c < labels.count; ++c)
    if (!high[c].empty() && !low[c].empty()) areas.push_back(auroc(high[c], low[c]));
  Estimate out = detail::bounded_mean(areas);
  if (areas.size() < labels.count && out.usable())
    detail::flag(out,
                 std::to_string(labels.count - areas.size()) + " clusters lack one class and were left out");
  return out;
}

}  // namespace sonder::stats
