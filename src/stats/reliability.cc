#include "stats/reliability.h"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "stats/detail/numbers.h"
#include "stats/detail/scaled.h"

namespace sonder::stats {
namespace {

namespace bm = boost::math;

constexpr double kNothing = 1e-24;  // a sum of squares below this share of the total is arithmetic, not data
constexpr Interval kCorrelation = {-1, 1};

double f_quantile(double level, double df1, double df2) {
  return bm::quantile(bm::fisher_f(df1, df2), level);
}

// Mean squares of units × raters, values taken from their centre.
struct Squares {
  double n = 0, k = 0;
  double unit = 0, rater = 0, error = 0;  // two-way
  double within = 0;                      // one-way
};

Squares squares_of(const Numbers& scores) {
  const auto n = static_cast<double>(scores.n);
  const auto k = static_cast<double>(scores.d);
  const double centre = detail::mean_of(scores.data);
  std::vector<double> rater(scores.d);
  double all = 0;
  double units = 0;
  for (std::size_t i = 0; i < scores.n; ++i) {
    double total = 0;
    for (std::size_t j = 0; j < scores.d; ++j) {
      const double x = scores.row(i)[j] - centre;
      total += x;
      rater[j] += x;
      all += x * x;
    }
    units += total * total / k;
  }
  double raters = 0;
  for (const double total : rater) raters += total * total / n;
  const auto kept = [&](double squares) { return squares <= kNothing * all ? 0 : squares; };
  return {n,
          k,
          kept(units) / (n - 1),
          kept(raters) / (k - 1),
          kept(all - units - raters < 1e-13 * all ? 0 : all - units - raters) / ((n - 1) * (k - 1)),
          kept(all - units < 1e-13 * all ? 0 : all - units) / (n * (k - 1))};
}

bool is_mean(IccForm form) {
  return form == IccForm::one_mean || form == IccForm::two_mean || form == IccForm::three_mean;
}

double to_mean(double single, double k) { return single * k / (1 + (k - 1) * single); }

// The divisor of an ICC: 0 when there is nothing to compare.
double icc_divisor(const Squares& s, IccForm form) {
  switch (form) {
    case IccForm::one_single:
      return s.unit + (s.k - 1) * s.within;
    case IccForm::three_single:
      return s.unit + (s.k - 1) * s.error;
    case IccForm::two_single:
      return s.unit + (s.k - 1) * s.error + s.k * (s.rater - s.error) / s.n;
    case IccForm::two_mean:
      return s.unit + (s.rater - s.error) / s.n;
    case IccForm::one_mean:
    case IccForm::three_mean:
      return s.unit;
  }
  return 0;
}

double icc_value(const Squares& s, IccForm form) {
  const bool one_way = form == IccForm::one_single || form == IccForm::one_mean;
  return (s.unit - (one_way ? s.within : s.error)) / icc_divisor(s, form);
}

// Shrout and Fleiss's interval of ICC(2,1): the F test with Satterthwaite's df for the error of the units.
// Nothing when an end has no value, as far below 0 it may not.
std::optional<Interval> two_way_interval(const Squares& s, double alpha, bool of_mean) {
  const double icc = icc_value(s, IccForm::two_single);
  const double f_rater = s.rater / s.error;
  const double a = s.n * (1 + (s.k - 1) * icc) - s.k * icc;
  const double lean = s.k * icc * f_rater + a;
  const double df =
      (s.k - 1) * (s.n - 1) * lean * lean / ((s.n - 1) * s.k * s.k * icc * icc * f_rater * f_rater + a * a);
  if (!(df > 1e-6)) return std::nullopt;
  const double up = f_quantile(1 - alpha / 2, s.n - 1, df);
  const double down = f_quantile(1 - alpha / 2, df, s.n - 1);
  const double error = s.k * s.rater + (s.k * s.n - s.k - s.n) * s.error;
  Interval ends{s.n * (s.unit - up * s.error) / (up * error + s.n * s.unit),
                s.n * (down * s.unit - s.error) / (error + s.n * down * s.unit)};
  if (of_mean) {
    if (1 + (s.k - 1) * ends.low <= 0) return std::nullopt;
    ends = {to_mean(ends.low, s.k), to_mean(ends.high, s.k)};
  }
  return ends;
}

std::optional<Interval> icc_interval(const Squares& s, IccForm form, double alpha) {
  if (form == IccForm::two_single || form == IccForm::two_mean)
    return two_way_interval(s, alpha, form == IccForm::two_mean);
  const bool one_way = form == IccForm::one_single || form == IccForm::one_mean;
  const double df = one_way ? s.n * (s.k - 1) : (s.n - 1) * (s.k - 1);
  const double f = s.unit / (one_way ? s.within : s.error);
  const double low = f / f_quantile(1 - alpha / 2, s.n - 1, df);
  const double high = f * f_quantile(1 - alpha / 2, df, s.n - 1);
  if (!is_mean(form)) return Interval{(low - 1) / (low + s.k - 1), (high - 1) / (high + s.k - 1)};
  if (low <= 0) return std::nullopt;
  return Interval{1 - 1 / low, 1 - 1 / high};
}

}  // namespace

Estimate icc(const Numbers& scores, IccForm form) {
  detail::require_finite(scores.data, "scores");
  const int n = static_cast<int>(scores.n);
  if (scores.n < 2 || scores.d < 2)
    return detail::without_interval(Status::undefined, 0, n, "an ICC needs two units and two raters",
                                    kCorrelation);
  const detail::Scaled flat = detail::scaled(scores.data);
  if (!flat.varies)
    return detail::without_interval(Status::undefined, 0, n, "all scores are the same", kCorrelation);
  Numbers moved(scores.n, scores.d);
  moved.data = flat.x;
  const Squares s = squares_of(moved);
  if (icc_divisor(s, form) <= 0)
    return detail::without_interval(Status::undefined, 0, n, "the units do not differ at all", kCorrelation);
  const bool one_way = form == IccForm::one_single || form == IccForm::one_mean;
  const double error = one_way ? s.within : s.error;
  Estimate estimate;
  estimate.value = icc_value(s, form);
  estimate.n_units = n;
  if (error <= 0) {
    const bool varies = s.unit > 0;
    estimate.p = varies ? std::numeric_limits<double>::min() : 1;
    estimate.ci95 = estimate.ci90 = {estimate.value, estimate.value};
    detail::flag(estimate, "no error at all, so the interval is the point");
    return estimate;
  }
  estimate.p = detail::f_tail(s.unit / error, s.n - 1, one_way ? s.n * (s.k - 1) : (s.n - 1) * (s.k - 1));
  const auto ends95 = icc_interval(s, form, 0.05);
  const auto ends90 = icc_interval(s, form, 0.10);
  const auto holds = [&](const std::optional<Interval>& ends) {
    return ends && ends->low <= estimate.value && estimate.value <= ends->high;
  };
  if (!holds(ends95) || !holds(ends90)) {
    Estimate open =
        detail::without_interval(Status::unbounded, estimate.value, n, "no interval this far below 0");
    open.p = estimate.p;
    return open;
  }
  estimate.ci95 = *ends95;
  estimate.ci90 = *ends90;
  return detail::settled(std::move(estimate));
}

MeasurementError measurement_error(double sd, double reliability) {
  require(std::isfinite(sd) && sd >= 0, "a standard deviation is finite and not negative");
  require(std::isfinite(reliability) && reliability <= 1, "a reliability is at most 1");
  const double sem = sd * std::sqrt(1 - reliability);
  return {sem, detail::normal_quantile(0.975) * std::sqrt(2.0) * sem};
}

Estimate kendall_w(const Numbers& scores) {
  detail::require_finite(scores.data, "scores");
  const std::size_t m = scores.n;
  const std::size_t n = scores.d;
  if (m < 2 || n < 2)
    return detail::without_interval(Status::undefined, 0, static_cast<int>(n),
                                    "W needs two raters and two items", {0, 1});
  // W without item `out` (n: with all); nothing when every rater ties all.
  const auto w = [&](std::size_t out) -> std::pair<bool, double> {
    std::vector<double> total(n);
    std::vector<double> own;
    double ties = 0;
    for (std::size_t r = 0; r < m; ++r) {
      own.clear();
      for (std::size_t i = 0; i < n; ++i) {
        if (i != out) own.push_back(scores.row(r)[i]);
      }
      const std::vector<double> ranks = detail::mid_ranks(own);
      for (std::size_t i = 0; i < ranks.size(); ++i) total[i] += ranks[i];
      std::sort(own.begin(), own.end());
      for (std::size_t first = 0; first < own.size();) {
        std::size_t last = first;
        while (last < own.size() && own[last] == own[first]) ++last;
        const auto t = static_cast<double>(last - first);
        ties += t * t * t - t;
        first = last;
      }
    }
    const auto items = static_cast<double>(own.size());
    const auto raters = static_cast<double>(m);
    double squares = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const double x = total[i] - raters * (items + 1) / 2;
      squares += x * x;
    }
    const double most = raters * raters * (items * items * items - items) - raters * ties;
    return {most > 0, most > 0 ? 12 * squares / most : 0};
  };
  const auto [varies, value] = w(n);
  if (!varies)
    return detail::without_interval(Status::undefined, 0, static_cast<int>(n), "every rater ties all items",
                                    {0, 1});
  Estimate estimate;
  const auto items = static_cast<double>(n);
  const auto raters = static_cast<double>(m);
  double p = std::numeric_limits<double>::min();
  const double df = items - 1 - 2 / raters;
  if (df <= 0) {
    p = 1;
  } else if (value < 1) {
    p = detail::f_tail((raters - 1) * value / (1 - value), df, (raters - 1) * df);
  }
  if (n < 5) {
    estimate = detail::without_interval(Status::refused, value, static_cast<int>(n),
                                        "an interval needs at least five items", {0, 1});
    estimate.p = p;
    return estimate;
  }
  std::vector<double> without;
  for (std::size_t i = 0; i < n; ++i) {
    if (const auto [ok, left] = w(i); ok) without.push_back(left);
  }
  const double spread = std::sqrt(detail::variance(without) * (items - 1) * (items - 1) / items);
  estimate = detail::by_t(value, spread, items - 1, static_cast<int>(n));
  for (Interval* interval : {&estimate.ci95, &estimate.ci90})
    *interval = {std::max(0.0, interval->low), std::min(1.0, interval->high)};
  estimate.p = p;
  if (without.size() < n) detail::flag(estimate, "without one item every rater ties the rest");
  return estimate;
}

}  // namespace sonder::stats
