#include "stats/equivalence.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "stats/detail/numbers.h"

namespace sonder::stats {
namespace {

Summary summary_of(std::span<const double> x) {
  detail::require_finite(x, "group");
  return {detail::mean_of(x), std::sqrt(detail::variance(x)), static_cast<int>(x.size())};
}

}  // namespace

Tost tost_paired(std::span<const double> first, std::span<const double> second, double bound) {
  detail::require_finite(first, "first of each pair");
  detail::require_finite(second, "second of each pair");
  auto difference = detail::minus(first, second);
  if (std::all_of(difference.begin(), difference.end(), [](double d) { return std::isfinite(d); }))
    return tost(difference, bound);
  Tost none;
  none.mean = detail::without_interval(Status::undefined, 0, static_cast<int>(difference.size()),
                                       "the numbers are too large to compute with");
  return none;
}

WelchTost welch_tost(std::span<const double> first, std::span<const double> second, double bound) {
  const Summary one = summary_of(first);
  const Summary two = summary_of(second);
  const double numbers[] = {one.mean, one.sd, two.mean, two.sd};
  if (std::all_of(std::begin(numbers), std::end(numbers), [](double v) { return std::isfinite(v); }))
    return welch_tost(one, two, bound);
  WelchTost none;
  none.tost.mean = detail::without_interval(Status::undefined, 0, one.n + two.n,
                                            "the numbers are too large to compute with");
  return none;
}

}  // namespace sonder::stats
