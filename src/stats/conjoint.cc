// Designed comparisons by regression: the parts of ols.h about attributes, groups and covariates.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "stats/detail/numbers.h"
#include "stats/ols.h"

namespace sonder::stats {
namespace {

constexpr long kFewestDraws = 10;

void require_factor(const Factor& factor, std::size_t n) {
  require(factor.level.size() == n, "a factor has one level for every row");
  require(factor.n_levels >= 2, "a factor has at least two levels");
  for (const int level : factor.level)
    require(level >= 0 && level < factor.n_levels, "a level lies in 0..n_levels-1");
}

std::size_t contrasts_of(const Factor& factor) { return static_cast<std::size_t>(factor.n_levels) - 1; }

// Writes the indicators of every level but the baseline, from column `at` on.
void write_indicators(Numbers& x, const Factor& factor, std::size_t at) {
  for (std::size_t i = 0; i < x.n; ++i)
    if (factor.level[i] > 0) x.row(i)[at + static_cast<std::size_t>(factor.level[i]) - 1] = 1;
}

Numbers with_intercept(std::size_t n, std::size_t others) {
  Numbers x(n, 1 + others);
  for (std::size_t i = 0; i < n; ++i) x.row(i)[0] = 1;
  return x;
}

// Does the wider model fit better than the narrower one within it?
FTest compare(const Regression& narrow, const Regression& wide) {
  FTest test;
  test.df1 = wide.rank - narrow.rank;
  test.df2 = wide.n - wide.rank;
  if (test.df1 <= 0 || test.df2 <= 0) return test;
  const double gained = std::max(0.0, narrow.residual_squares - wide.residual_squares);
  if (!(wide.residual_squares > 0) || !std::isfinite(gained)) return test;
  test.f = gained / test.df1 / (wide.residual_squares / test.df2);
  if (!std::isfinite(test.f)) return {};
  test.p = detail::f_tail(test.f, test.df1, test.df2);
  test.status = Status::ok;
  return test;
}

struct Designs {
  Numbers line;    // intercept, covariate
  Numbers common;  // and groups
  Numbers own;     // and a slope for each group
};

Designs designs_of(const Factor& group, std::span<const double> covariate) {
  const std::size_t n = covariate.size();
  const std::size_t more = contrasts_of(group);
  Designs x{with_intercept(n, 1), with_intercept(n, 1 + more), with_intercept(n, 1 + 2 * more)};
  write_indicators(x.common, group, 2);
  write_indicators(x.own, group, 2);
  const double centre = detail::mean_of(covariate);
  for (std::size_t i = 0; i < n; ++i) {
    const double value = covariate[i] - centre;
    x.line.row(i)[1] = x.common.row(i)[1] = x.own.row(i)[1] = value;
    if (group.level[i] > 0) x.own.row(i)[1 + more + static_cast<std::size_t>(group.level[i])] = value;
  }
  return x;
}

Ancova read(const Designs& x, std::span<const double> y, const Regression& fitted) {
  Ancova out;
  out.status = fitted.status;
  out.warnings = fitted.warnings;
  out.slope = fitted.coefficient[1];
  out.difference.assign(fitted.coefficient.begin() + 2, fitted.coefficient.end());
  out.adjusted_mean.push_back(fitted.coefficient[0].value);  // the covariate is centred
  for (const Estimate& difference : out.difference)
    out.adjusted_mean.push_back(fitted.coefficient[0].value + difference.value);
  const Regression common = ols(x.common, y);
  out.group = compare(ols(x.line, y), common);
  out.homogeneity = compare(common, ols(x.own, y));
  return out;
}

void require_ancova(std::span<const double> y, const Factor& group, std::span<const double> covariate) {
  require_factor(group, y.size());
  require(covariate.size() == y.size(), "every row of an ANCOVA needs its covariate");
  detail::require_finite(covariate, "covariate");
}

constexpr double kTooLarge = 1e150;  // squares beyond are infinite

// The analysis of groups whose covariate cannot be centred and squared.
std::optional<Ancova> too_large(const Factor& group, std::span<const double> covariate) {
  if (std::all_of(covariate.begin(), covariate.end(), [](double v) { return std::abs(v) < kTooLarge; }))
    return {};
  Ancova out;
  out.slope = detail::without_interval(Status::undefined, 0, static_cast<int>(covariate.size()),
                                       "the numbers are too large to compute with");
  out.difference.assign(contrasts_of(group), out.slope);
  out.adjusted_mean.assign(contrasts_of(group) + 1, 0.0);
  out.status = Status::undefined;
  out.warnings = out.slope.warnings;
  return out;
}

bool excludes_zero(const Estimate& estimate) {
  return estimate.usable() && (estimate.ci95.low > 0 || estimate.ci95.high < 0);
}

}  // namespace

Conjoint amce(std::span<const double> y, std::span<const Factor> factors, std::span<const int> cluster,
              ClusterError how) {
  require(!factors.empty(), "a conjoint analysis needs at least one factor");
  std::size_t columns = 0;
  for (const Factor& factor : factors) {
    require_factor(factor, y.size());
    columns += contrasts_of(factor);
  }
  Numbers x = with_intercept(y.size(), columns);
  std::size_t at = 1;
  for (const Factor& factor : factors) {
    write_indicators(x, factor, at);
    at += contrasts_of(factor);
  }
  Conjoint out{{}, ols(x, y, cluster, how)};
  auto next = out.regression.coefficient.begin() + 1;
  for (const Factor& factor : factors) {
    const auto end = next + static_cast<std::ptrdiff_t>(contrasts_of(factor));
    out.effect.emplace_back(next, end);
    next = end;
  }
  return out;
}

Estimate interaction(std::span<const double> y, const Factor& first, const Factor& second,
                     std::span<const int> cluster, ClusterError how) {
  require_factor(first, y.size());
  require_factor(second, y.size());
  require(first.n_levels == 2 && second.n_levels == 2, "this interaction is of two factors of two levels");
  Numbers x = with_intercept(y.size(), 3);
  write_indicators(x, first, 1);
  write_indicators(x, second, 2);
  for (std::size_t i = 0; i < x.n; ++i) x.row(i)[3] = x.row(i)[1] * x.row(i)[2];
  return ols(x, y, cluster, how).coefficient[3];
}

Estimate individual_share(const Estimate& claim, const Estimate& reference_class) {
  const int n = std::min(claim.n_units, reference_class.n_units);
  if (!excludes_zero(claim) && !excludes_zero(reference_class))
    return detail::without_interval(Status::undefined, 0, n, "neither effect is told apart from zero",
                                    {0, 1});
  const double individual = std::abs(claim.value);
  Estimate share =
      detail::without_interval(Status::flagged, individual / (individual + std::abs(reference_class.value)),
                               n, "no interval here: bootstrap the scenarios", {0, 1});
  return share;
}

Ancova ancova(std::span<const double> y, const Factor& group, std::span<const double> covariate) {
  require_ancova(y, group, covariate);
  if (auto none = too_large(group, covariate)) return *std::move(none);
  const Designs x = designs_of(group, covariate);
  return read(x, y, ols(x.common, y));
}

Ancova ancova(std::span<const double> y, const Factor& group, std::span<const double> covariate,
              std::span<const int> cluster, ClusterError how) {
  require_ancova(y, group, covariate);
  if (auto none = too_large(group, covariate)) return *std::move(none);
  const Designs x = designs_of(group, covariate);
  return read(x, y, ols(x.common, y, cluster, how));
}

Estimate log_odds(long k, long n) {
  require(n >= 0 && k >= 0 && k <= n && n <= std::numeric_limits<int>::max(),
          "log-odds need 0 <= k <= n, and n below 2^31");
  const double yes = static_cast<double>(k) + .5;
  const double no = static_cast<double>(n - k) + .5;
  const double value = std::log(yes / no);
  if (n < kFewestDraws)
    return detail::without_interval(Status::refused, value, static_cast<int>(n),
                                    "log-odds from samples need at least 10 draws");
  Estimate estimate;
  estimate.value = value;
  estimate.n_units = static_cast<int>(n);
  estimate.se = std::sqrt(1 / yes + 1 / no);
  const double z95 = detail::normal_quantile(0.975);
  const double z90 = detail::normal_quantile(0.95);
  estimate.ci95 = {value - z95 * estimate.se, value + z95 * estimate.se};
  estimate.ci90 = {value - z90 * estimate.se, value + z90 * estimate.se};
  estimate.p = std::min(1.0, 2 * detail::normal_tail(std::abs(value) / estimate.se));
  return estimate;
}

}  // namespace sonder::stats
