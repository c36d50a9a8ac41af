#include "stats/dif.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "stats/detail/by_normal.h"
#include "stats/detail/cumulative.h"
#include "stats/detail/labels.h"
#include "stats/detail/numbers.h"

namespace sonder::stats {
namespace {

constexpr Interval kOdds = {0, std::numeric_limits<double>::max()};

void require_both(std::span<const int> x, const char* promise) {
  require(std::all_of(x.begin(), x.end(), [](int v) { return v == 0 || v == 1; }), promise);
}

// The sums over strata that the odds ratio, its variance and the test are made of.
struct Sums {
  double right = 0, wrong = 0;       // Σ AD/N, Σ BC/N
  double pr = 0, ps_qr = 0, qs = 0;  // Robins, Breslow and Greenland
  double observed = 0, expected = 0, variance = 0;
  double n = 0;
  int n_strata = 0;

  void add(const Stratum& s) {
    const double reference = s.reference_right + s.reference_wrong;
    const double focal = s.focal_right + s.focal_wrong;
    const double all = reference + focal;
    const double rights = s.reference_right + s.focal_right;
    const double wrongs = s.reference_wrong + s.focal_wrong;
    if (reference <= 0 || focal <= 0) return;
    n += all;
    if (rights <= 0 || wrongs <= 0 || all <= 1) return;
    ++n_strata;
    const double p = (s.reference_right + s.focal_wrong) / all;
    const double q = (s.reference_wrong + s.focal_right) / all;
    const double r = s.reference_right / all * s.focal_wrong;
    const double t = s.reference_wrong / all * s.focal_right;
    right += r;
    wrong += t;
    pr += p * r;
    ps_qr += p * t + q * r;
    qs += q * t;
    observed += s.reference_right;
    expected += reference / all * rights;
    variance += reference / all * focal / all * rights * wrongs / (all - 1);
  }
};

}  // namespace

MantelHaenszel mantel_haenszel(std::span<const Stratum> strata) {
  Sums sums;
  for (const Stratum& s : strata) {
    const double counts[] = {s.reference_right, s.reference_wrong, s.focal_right, s.focal_wrong};
    detail::require_finite(counts, "counts of a stratum");
    require(*std::min_element(std::begin(counts), std::end(counts)) >= 0, "counts are 0 or more");
    sums.add(s);
  }
  MantelHaenszel out;
  out.n_strata = sums.n_strata;
  const int n = static_cast<int>(std::min(sums.n, 2e9));
  if (sums.n_strata == 0 || sums.right <= 0 || sums.wrong <= 0) {
    out.odds = detail::without_interval(
        Status::undefined, 1, n,
        sums.n_strata == 0 ? "no stratum holds both groups and both answers" : "the odds ratio is not finite",
        kOdds);
    return out;
  }
  out.log_odds = std::log(sums.right) - std::log(sums.wrong);
  out.log_odds_se =
      std::sqrt(sums.pr / (2 * sums.right * sums.right) + sums.ps_qr / (2 * sums.right * sums.wrong) +
                sums.qs / (2 * sums.wrong * sums.wrong));
  const Estimate on_log = detail::by_normal(out.log_odds, out.log_odds_se, n);
  const double off = std::max(0.0, std::abs(sums.observed - sums.expected) - 0.5);
  out.chi2 = sums.variance > 0 ? off * off / sums.variance : 0;
  out.delta = -2.35 * out.log_odds;
  const double size = std::abs(out.delta);
  out.dif = size < 1 ? DifClass::negligible : size < 1.5 ? DifClass::moderate : DifClass::large;
  out.odds = on_log;
  out.odds.value = std::exp(out.log_odds);
  out.odds.se = out.odds.value * out.log_odds_se;
  out.odds.ci95 = {std::exp(on_log.ci95.low), std::exp(on_log.ci95.high)};
  out.odds.ci90 = {std::exp(on_log.ci90.low), std::exp(on_log.ci90.high)};
  out.odds.p = detail::chi2_tail(out.chi2, 1);
  out.odds = detail::settled(std::move(out.odds));
  if (!out.odds.usable()) out.odds.ci95 = out.odds.ci90 = kOdds;
  return out;
}

MantelHaenszel mantel_haenszel(std::span<const int> right, std::span<const int> focal,
                               std::span<const int> stratum) {
  require(right.size() == focal.size() && right.size() == stratum.size(), "three series of equal length");
  require_both(right, "an answer is right, 1, or wrong, 0");
  require_both(focal, "a group is focal, 1, or reference, 0");
  const detail::Labels labels = detail::dense(stratum);
  std::vector<Stratum> strata(labels.count);
  for (std::size_t i = 0; i < right.size(); ++i) {
    Stratum& s = strata[labels.of[i]];
    if (focal[i] == 1) {
      (right[i] == 1 ? s.focal_right : s.focal_wrong) += 1;
    } else {
      (right[i] == 1 ? s.reference_right : s.reference_wrong) += 1;
    }
  }
  return mantel_haenszel(strata);
}

OrdinalDif ordinal_dif(std::span<const int> score, std::span<const double> ability,
                       std::span<const int> focal) {
  require(score.size() == ability.size() && score.size() == focal.size(), "three series of equal length");
  detail::require_finite(ability, "abilities");
  require_both(focal, "a group is focal, 1, or reference, 0");
  const int n = static_cast<int>(score.size());
  OrdinalDif out;
  const auto without = [&](Status status, const char* why) {
    out.uniform = out.nonuniform = detail::without_interval(status, 0, n, why);
    return out;
  };
  std::vector<int> levels(score.begin(), score.end());
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  const auto in_focal = std::count(focal.begin(), focal.end(), 1);
  const double sd = std::sqrt(detail::variance(ability));
  if (levels.size() < 2) return without(Status::undefined, "all scores are the same");
  if (in_focal == 0 || in_focal == n) return without(Status::undefined, "there is one group only");
  if (sd <= 0 || !std::isfinite(sd)) return without(Status::undefined, "ability does not vary");
  if (n < 30) return without(Status::refused, "fewer than 30 scores");
  const int n_levels = static_cast<int>(levels.size());
  std::vector<int> level;
  for (const int s : score)
    level.push_back(static_cast<int>(std::lower_bound(levels.begin(), levels.end(), s) - levels.begin()));
  const double centre = detail::mean_of(ability);
  Eigen::MatrixXd x(n, 3);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double a = (ability[at] - centre) / sd;
    x.row(i) << a, focal[at], a * focal[at];
  }
  const auto none = detail::fit_cumulative(level, n_levels, x.leftCols(0));
  const auto plain = detail::fit_cumulative(level, n_levels, x.leftCols(1));
  const auto uniform = detail::fit_cumulative(level, n_levels, x.leftCols(2));
  const auto all = detail::fit_cumulative(level, n_levels, x);
  if (!plain.settled || !uniform.settled || !all.settled)
    return without(Status::undefined, "ability or group separates the scores: there is no finite maximum");
  const auto slope = [&](const detail::Cumulative& fit, Eigen::Index at, double below) {
    const Eigen::Index cut = n_levels - 1;
    Estimate e = detail::by_normal(fit.slopes[at], std::sqrt(fit.covariance(cut + at, cut + at)), n);
    e.p = detail::chi2_tail(2 * (fit.log_likelihood - below), 1);
    return detail::settled(std::move(e));
  };
  out.uniform = slope(uniform, 1, plain.log_likelihood);
  out.nonuniform = slope(all, 2, uniform.log_likelihood);
  out.chi2 = std::max(0.0, 2 * (all.log_likelihood - plain.log_likelihood));
  out.p = detail::chi2_tail(out.chi2, 2);
  const auto nagelkerke = [&](const detail::Cumulative& fit) {
    return -std::expm1(2 * (none.log_likelihood - fit.log_likelihood) / n) /
           -std::expm1(2 * none.log_likelihood / n);
  };
  out.gain = nagelkerke(all) - nagelkerke(plain);
  out.dif = out.gain < .035 ? DifClass::negligible : out.gain < .07 ? DifClass::moderate : DifClass::large;
  return out;
}

}  // namespace sonder::stats
