#include "stats/calibration.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "stats/detail/numbers.h"
#include "stats/mean.h"

namespace sonder::stats {
namespace {

void require_chances(std::span<const double> predicted, std::span<const int> happened) {
  detail::require_finite(predicted, "chances");
  require(predicted.size() == happened.size(), "every chance needs its outcome");
  for (const double p : predicted) require(p >= 0 && p <= 1, "a chance lies in [0, 1]");
  for (const int y : happened) require(y == 0 || y == 1, "an outcome is 0 or 1");
}

}  // namespace

Estimate brier(std::span<const double> predicted, std::span<const int> happened) {
  require_chances(predicted, happened);
  std::vector<double> apart(predicted.size());
  for (std::size_t i = 0; i < apart.size(); ++i) {
    const double distance = predicted[i] - happened[i];
    apart[i] = distance * distance;
  }
  return detail::bounded_mean(apart);
}

std::vector<ReliabilityBin> reliability_diagram(std::span<const double> predicted,
                                                std::span<const int> happened, std::size_t n_bins) {
  require_chances(predicted, happened);
  require(n_bins >= 1, "a diagram has at least one group");
  std::vector<std::size_t> order(predicted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(predicted[a], a) < std::pair(predicted[b], b);
  });
  std::vector<ReliabilityBin> out;
  for (std::size_t bin = 0, at = 0; bin < n_bins; ++bin) {
    std::size_t end = std::max(at, (bin + 1) * order.size() / n_bins);
    while (end > at && end < order.size() && predicted[order[end]] == predicted[order[end - 1]]) ++end;
    if (end == at) continue;
    ReliabilityBin one;
    long yes = 0;
    for (std::size_t i = at; i < end; ++i) {
      one.stated += predicted[order[i]];
      yes += happened[order[i]];
    }
    one.n = static_cast<int>(end - at);
    one.stated /= one.n;
    const Estimate share = wilson(yes, one.n);
    one.share = share.value;
    one.share95 = share.ci95;
    out.push_back(one);
    at = end;
  }
  return out;
}

}  // namespace sonder::stats
