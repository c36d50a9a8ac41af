#include "stats/detail/scaled.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "stats/detail/numbers.h"

namespace sonder::stats::detail {
namespace {

constexpr double kRounding = 1e-14;  // a range below this share of the largest value is arithmetic, not data

}  // namespace

Scaled scaled(std::span<const double> x) {
  Scaled out;
  out.x.assign(x.size(), 0.0);
  if (x.empty()) return out;
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const double middle = *low / 2 + *high / 2;
  out.half_range = *high / 2 - *low / 2;
  if (out.half_range <= std::numeric_limits<double>::min()) {  // a subnormal range cannot be divided by
    out.half_range = 0;
    return out;
  }
  out.varies = out.half_range > kRounding * std::max(std::abs(*low), std::abs(*high));
  for (std::size_t i = 0; i < x.size(); ++i) out.x[i] = (x[i] - middle) / out.half_range;
  return out;
}

int as_units(double count) {
  constexpr double kMost = std::numeric_limits<int>::max();
  return static_cast<int>(std::clamp(count, 0.0, kMost));
}

void require_counts(std::span<const double> counts) {
  require_finite(counts, "counts");
  require(std::all_of(counts.begin(), counts.end(), [](double n) { return n >= 0 && n <= 1e15; }),
          "a count lies between 0 and 1e15");
}

}  // namespace sonder::stats::detail
