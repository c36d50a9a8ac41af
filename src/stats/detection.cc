#include "stats/detection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.h"
#include "stats/detail/numbers.h"
#include "stats/mean.h"

namespace sonder::stats {
namespace {

double density(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi); }

double log_linear(long k, long n) { return (static_cast<double>(k) + .5) / (static_cast<double>(n) + 1); }

// Variance of z of a share estimated from n.
double z_variance(double share, long n) {
  const double slope = density(detail::normal_quantile(share));
  return share * (1 - share) / (static_cast<double>(n) * slope * slope);
}

Estimate by_normal(double value, double se, int n_units) {
  Estimate out;
  out.value = value;
  out.se = se;
  out.n_units = n_units;
  const double z95 = detail::normal_quantile(0.975);
  const double z90 = detail::normal_quantile(0.95);
  out.ci95 = {value - z95 * se, value + z95 * se};
  out.ci90 = {value - z90 * se, value + z90 * se};
  out.p = std::min(1.0, 2 * detail::normal_tail(std::abs(value) / se));
  return out;
}

void require_count(long k, long n) {
  require(n >= 0 && k >= 0 && k <= n && n <= std::numeric_limits<int>::max(),
          "a share needs 0 <= k <= n, and n below 2^31");
}

}  // namespace

double dprime_2afc(double share) {
  require(share > 0 && share < 1, "d' of a share of 0 or 1 is infinite: give counts instead");
  return std::numbers::sqrt2 * detail::normal_quantile(share);
}

Estimate dprime_2afc(long right, long n) {
  require_count(right, n);
  if (n == 0) return detail::without_interval(Status::undefined, 0, 0, "a share of nothing");
  const double share = log_linear(right, n);
  Estimate out = by_normal(dprime_2afc(share), std::sqrt(2 * z_variance(share, n)), static_cast<int>(n));
  out.p = exact_share(right, n).p;
  return out;
}

YesNo yes_no(double hit_rate, double false_alarm_rate) {
  require(hit_rate > 0 && hit_rate < 1 && false_alarm_rate > 0 && false_alarm_rate < 1,
          "d' of a rate of 0 or 1 is infinite: give counts instead");
  const double hit = detail::normal_quantile(hit_rate);
  const double alarm = detail::normal_quantile(false_alarm_rate);
  const char* why = "rates carry no interval: give counts";
  return {detail::without_interval(Status::flagged, hit - alarm, 0, why),
          detail::without_interval(Status::flagged, -(hit + alarm) / 2, 0, why)};
}

YesNo yes_no(long hits, long signals, long false_alarms, long noises) {
  require_count(hits, signals);
  require_count(false_alarms, noises);
  const int n = static_cast<int>(std::min<long>(signals + noises, std::numeric_limits<int>::max()));
  if (signals == 0 || noises == 0) {
    const Estimate none = detail::without_interval(Status::undefined, 0, n, "d' needs signals and noise");
    return {none, none};
  }
  const double h = log_linear(hits, signals);
  const double f = log_linear(false_alarms, noises);
  const YesNo plain = yes_no(h, f);
  const double se = std::sqrt(z_variance(h, signals) + z_variance(f, noises));
  return {by_normal(plain.dprime.value, se, n), by_normal(plain.criterion.value, se / 2, n)};
}

}  // namespace sonder::stats
