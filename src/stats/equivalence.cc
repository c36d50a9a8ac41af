#include "stats/equivalence.h"

#include <cmath>

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
  return tost(detail::minus(first, second), bound);
}

WelchTost welch_tost(std::span<const double> first, std::span<const double> second, double bound) {
  return welch_tost(summary_of(first), summary_of(second), bound);
}

}  // namespace sonder::stats
