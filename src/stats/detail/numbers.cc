#include "stats/detail/numbers.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.h"

namespace sonder::stats::detail {
namespace {

namespace bm = boost::math;
constexpr double kSmallestP = std::numeric_limits<double>::min();
constexpr double kRounding = 1e-14;  // a spread below this share of the largest value is arithmetic, not data

double largest(std::span<const double> x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

}  // namespace

void require_finite(std::span<const double> x, std::string_view what) {
  const auto bad = std::find_if(x.begin(), x.end(), [](double value) { return !std::isfinite(value); });
  if (bad != x.end())
    throw Error(ErrorKind::bad_input, std::string(what) + ": value " + std::to_string(bad - x.begin() + 1) +
                                          " is not a finite number; leave missing ones out before");
}

double sum(std::span<const double> x) {
  double total = 0;
  double lost = 0;
  for (const double value : x) {
    const double next = total + value;
    lost += std::abs(total) >= std::abs(value) ? (total - next) + value : (value - next) + total;
    total = next;
  }
  return total + lost;
}

double mean_of(std::span<const double> x) { return x.empty() ? 0 : sum(x) / static_cast<double>(x.size()); }

double variance(std::span<const double> x) {
  if (x.size() < 2) return 0;
  const double centre = mean_of(x);
  double squares = 0;
  double off = 0;  // what rounding the mean leaves over: matters under a huge offset
  for (const double value : x) {
    squares += (value - centre) * (value - centre);
    off += value - centre;
  }
  if (!std::isfinite(squares)) return squares;  // too large: the caller's `settled` says so
  const double found =
      std::max(0.0, squares - off * off / static_cast<double>(x.size())) / static_cast<double>(x.size() - 1);
  return std::sqrt(found) <= kRounding * largest(x) ? 0 : found;
}

double covariance(std::span<const double> x, std::span<const double> y) {
  require(x.size() == y.size(), "a covariance needs two series of equal length");
  if (x.size() < 2) return 0;
  const double mx = mean_of(x);
  const double my = mean_of(y);
  double products = 0;
  for (std::size_t i = 0; i < x.size(); ++i) products += (x[i] - mx) * (y[i] - my);
  return products / static_cast<double>(x.size() - 1);
}

std::vector<double> minus(std::span<const double> x, std::span<const double> y) {
  require(x.size() == y.size(), "paired values come in pairs: two series of equal length");
  std::vector<double> difference(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) difference[i] = x[i] - y[i];
  return difference;
}

std::vector<double> mid_ranks(std::span<const double> x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<double> ranks(x.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && x[order[last + 1]] == x[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) ranks[order[i]] = static_cast<double>(first + last) / 2 + 1;
    first = last + 1;
  }
  return ranks;
}

double sorted_quantile(std::span<const double> sorted, double level) {
  const double place = std::clamp(level, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double t_quantile(double level, double df) { return bm::quantile(bm::students_t(df), level); }

double t_tail(double t, double df) {
  return std::max(kSmallestP, bm::cdf(bm::complement(bm::students_t(df), std::clamp(t, -1e150, 1e150))));
}

double normal_quantile(double level) { return bm::quantile(bm::normal(), level); }
double normal_cdf(double z) { return bm::cdf(bm::normal(), std::clamp(z, -1e150, 1e150)); }
double normal_tail(double z) { return std::max(kSmallestP, normal_cdf(-z)); }
double f_tail(double f, double df1, double df2) {
  if (f <= 0) return 1;
  return std::max(kSmallestP, bm::cdf(bm::complement(bm::fisher_f(df1, df2), std::min(f, 1e150))));
}

double chi2_tail(double chi2, double df) {
  if (chi2 <= 0) return 1;
  return std::max(kSmallestP, bm::cdf(bm::complement(bm::chi_squared(df), std::min(chi2, 1e150))));
}

double logistic(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
double two_sided(double tail) { return std::min(1.0, 2 * std::min(tail, 1 - tail)); }
double agreed_p(int n_coins) { return std::max(kSmallestP, std::exp2(-n_coins)); }

Interval whole_line() { return {std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max()}; }

Estimate without_interval(Status status, double value, int n_units, std::string why, Interval any) {
  Estimate estimate;
  estimate.value = std::isfinite(value) ? value : 0;
  estimate.ci95 = estimate.ci90 = any;
  estimate.status = status;
  estimate.n_units = n_units;
  estimate.warnings.push_back(std::move(why));
  return estimate;
}

void flag(Estimate& estimate, std::string why) {
  if (estimate.status == Status::ok) estimate.status = Status::flagged;
  estimate.warnings.push_back(std::move(why));
}

Estimate by_t(double value, double se, double df, int n_units, double null) {
  Estimate estimate;
  estimate.value = value;
  estimate.se = se;
  estimate.n_units = n_units;
  const double half95 = t_quantile(0.975, df) * se;
  const double half90 = t_quantile(0.95, df) * se;
  estimate.ci95 = {value - half95, value + half95};
  estimate.ci90 = {value - half90, value + half90};
  if (se > 0) {
    estimate.p = std::min(1.0, 2 * t_tail(std::abs(value - null) / se, df));
  } else {
    estimate.p = value == null ? 1.0 : agreed_p(n_units - 1);
    flag(estimate, "all units agree exactly, so the spread and the interval are zero");
  }
  return estimate;
}

void by_log_odds(Estimate& estimate) {
  const double centre = std::log(estimate.value / (1 - estimate.value));
  const double scale = estimate.se / (estimate.value * (1 - estimate.value));
  const auto ends = [&](double z) {
    return Interval{logistic(centre - z * scale), logistic(centre + z * scale)};
  };
  estimate.ci95 = ends(normal_quantile(0.975));
  estimate.ci90 = ends(normal_quantile(0.95));
  estimate.p = std::min(1.0, 2 * normal_tail(std::abs(estimate.value - 0.5) / estimate.se));
}

Interval agreed_bound(double c, double n, double alpha) {
  const double q = std::pow(alpha, 1 / n);
  return {c * q, c * q + 1 - q};
}

void no_surer_than_agreed(Estimate& estimate, double n, double least_p) {
  const auto widen = [&](Interval& interval, double alpha) {
    const Interval agreed = agreed_bound(estimate.value, n, alpha);
    interval = {std::min(interval.low, agreed.low), std::max(interval.high, agreed.high)};
  };
  widen(estimate.ci95, 0.05);
  widen(estimate.ci90, 0.10);
  estimate.p = std::max(estimate.p, least_p);
}

Estimate bounded_mean(std::span<const double> x) {
  const int n = static_cast<int>(x.size());
  const double value = mean_of(x);
  if (n < 2)
    return without_interval(Status::undefined, value, n, "an interval needs at least two units", {0, 1});
  Estimate estimate = by_t(value, std::sqrt(variance(x) / n), n - 1, n, 0.5);
  if (estimate.se > 0) {
    for (Interval* interval : {&estimate.ci95, &estimate.ci90})
      *interval = {std::max(0.0, interval->low), std::min(1.0, interval->high)};
    no_surer_than_agreed(estimate, n, agreed_p(n - 1));
  } else {
    no_surer_than_agreed(estimate, n, 0);  // by_t's intervals are the point
    estimate.warnings = {"all units agree: the interval is the exact one-sided bound"};
  }
  return estimate;
}

Estimate settled(Estimate estimate) {
  const double numbers[] = {estimate.value,     estimate.se,       estimate.p,        estimate.ci95.low,
                            estimate.ci95.high, estimate.ci90.low, estimate.ci90.high};
  if (std::all_of(std::begin(numbers), std::end(numbers),
                  [](double number) { return std::isfinite(number); }))
    return estimate;
  return without_interval(Status::undefined, 0, estimate.n_units,
                          "the numbers are too large to compute with");
}

}  // namespace sonder::stats::detail
