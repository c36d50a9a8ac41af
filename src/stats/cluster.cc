#include "stats/cluster.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "stats/detail/labels.h"
#include "stats/detail/numbers.h"

namespace sonder::stats {

DesignEffect design_effect(std::span<const double> x, std::span<const int> cluster) {
  detail::require_finite(x, "clustered values");
  require(x.size() == cluster.size(), "every row needs its cluster");
  const detail::Labels labels = detail::dense(cluster);
  const auto n = static_cast<double>(x.size());
  const auto c = static_cast<double>(labels.count);
  DesignEffect out;
  out.effective_n = n;
  if (labels.count < 2 || labels.count == x.size() || detail::variance(x) == 0) return out;
  const double centre = detail::mean_of(x);
  std::vector<double> total(labels.count, 0.0);
  std::vector<double> size(labels.count, 0.0);
  double squares = 0;  // about the overall mean
  for (std::size_t i = 0; i < x.size(); ++i) {
    total[labels.of[i]] += x[i] - centre;
    size[labels.of[i]] += 1;
    squares += (x[i] - centre) * (x[i] - centre);
  }
  double between = 0;
  double sizes = 0;
  for (std::size_t g = 0; g < labels.count; ++g) {
    between += total[g] * total[g] / size[g];
    sizes += size[g] * size[g];
  }
  const double msb = between / (c - 1);
  const double msw = std::max(0.0, squares - between) / (n - c);
  out.k0 = (n - sizes / n) / (c - 1);
  const double whole = msb + (out.k0 - 1) * msw;
  if (!(whole > 0) || !std::isfinite(whole)) return out;
  out.icc = (msb - msw) / whole;
  out.deff = 1 + (out.k0 - 1) * out.icc;
  out.effective_n = out.deff > 1 ? n / out.deff : n;
  out.status = Status::ok;
  return out;
}

}  // namespace sonder::stats
