#include "stats/multiple.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "base/error.h"

namespace sonder::stats {

std::vector<double> bonferroni(std::span<const double> p) {
  std::vector<double> adjusted;
  adjusted.reserve(p.size());
  for (const double one : p) {
    require(one >= 0 && one <= 1, "a p value lies in [0, 1]");
    adjusted.push_back(std::min(1.0, one * static_cast<double>(p.size())));
  }
  return adjusted;
}

std::vector<double> e_adjusted(std::span<const double> e) {
  for (const double one : e) require(one >= 0, "an e-value is not negative");
  std::vector<std::size_t> falling(e.size());
  std::iota(falling.begin(), falling.end(), std::size_t{0});
  std::stable_sort(falling.begin(), falling.end(), [&](std::size_t a, std::size_t b) { return e[a] > e[b]; });
  std::vector<double> adjusted(e.size());
  const auto m = static_cast<double>(e.size());
  double least = 1;
  for (std::size_t k = falling.size(); k-- > 0;) {
    const double value = e[falling[k]];
    if (value > 0) least = std::min(least, m / (value * static_cast<double>(k + 1)));
    adjusted[falling[k]] = least;
  }
  return adjusted;
}

std::vector<bool> e_benjamini_hochberg(std::span<const double> e, double alpha) {
  require(alpha > 0 && alpha < 1, "the false discovery rate lies inside (0, 1)");
  for (const double one : e) require(one >= 0, "an e-value is not negative");
  std::vector<double> falling(e.begin(), e.end());
  std::sort(falling.rbegin(), falling.rend());
  const auto m = static_cast<double>(e.size());
  std::size_t rejected = 0;
  for (std::size_t k = 1; k <= falling.size(); ++k)
    if (falling[k - 1] >= m / (alpha * static_cast<double>(k))) rejected = k;
  std::vector<bool> out(e.size(), false);
  if (rejected == 0) return out;
  const double least = falling[rejected - 1];
  for (std::size_t i = 0; i < e.size(); ++i) out[i] = e[i] >= least;
  return out;
}

}  // namespace sonder::stats
