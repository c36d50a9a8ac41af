#include "stats/proportion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "stats/detail/numbers.h"
#include "stats/mean.h"

namespace sonder::stats {
namespace {

// Newcombe's method 10 from the two Wilson intervals; phi: correlation of the two answers.
Interval newcombe(double after, Interval after_ci, double before, Interval before_ci, double phi) {
  const double change = after - before;
  const auto reach = [&](double a, double b) {
    return std::sqrt(std::max(0.0, a * a - 2 * phi * a * b + b * b));
  };
  const double down = reach(after - after_ci.low, before_ci.high - before);
  const double up = reach(after_ci.high - after, before - before_ci.low);
  return {std::max(-1.0, change - down), std::min(1.0, change + up)};
}

}  // namespace

McNemar mcnemar(long gained, long lost) {
  require(gained >= 0 && lost >= 0, "counts are not negative");
  McNemar out;
  out.share = exact_share(gained, gained + lost);
  if (gained + lost == 0) return out;
  const auto all = static_cast<double>(gained + lost);
  const double apart = std::abs(static_cast<double>(gained - lost));
  const double closer = std::max(0.0, apart - 1);
  out.chi2 = apart * apart / all;
  out.corrected = closer * closer / all;
  // The square of a normal: twice its tail.
  out.p_chi2 = std::min(1.0, 2 * detail::normal_tail(apart / std::sqrt(all)));
  out.p_corrected = std::min(1.0, 2 * detail::normal_tail(closer / std::sqrt(all)));
  return out;
}

Estimate paired_change(long both, long gained, long lost, long neither) {
  require(both >= 0 && gained >= 0 && lost >= 0 && neither >= 0, "counts are not negative");
  const long n = both + gained + lost + neither;
  if (n == 0) return detail::without_interval(Status::undefined, 0, 0, "a change of nothing", {-1, 1});
  const auto size = static_cast<double>(n);
  const Estimate before = wilson(both + lost, n);
  const Estimate after = wilson(both + gained, n);
  const double margins = std::sqrt(static_cast<double>(both + lost) * static_cast<double>(gained + neither)) *
                         std::sqrt(static_cast<double>(both + gained) * static_cast<double>(lost + neither));
  // Newcombe's correction: half of n is taken from a positive determinant, but not beyond zero.
  double determinant = static_cast<double>(both) * static_cast<double>(neither) -
                       static_cast<double>(gained) * static_cast<double>(lost);
  if (determinant > 0) determinant = std::max(0.0, determinant - size / 2);
  const double phi = margins > 0 ? determinant / margins : 0;
  Estimate out;
  out.value = static_cast<double>(gained - lost) / size;
  out.n_units = static_cast<int>(n);
  const auto g = static_cast<double>(gained);
  const auto l = static_cast<double>(lost);
  out.se = std::sqrt(std::max(0.0, g + l - (g - l) * (g - l) / size)) / size;
  out.ci95 = newcombe(after.value, after.ci95, before.value, before.ci95, phi);
  out.ci90 = newcombe(after.value, after.ci90, before.value, before.ci90, phi);
  out.p = mcnemar(gained, lost).share.p;
  return out;
}

}  // namespace sonder::stats
