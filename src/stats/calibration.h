// How well stated chances fit what happened. Source: methods.md 4.8.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/estimate.h"

namespace sonder::stats {

// Mean squared distance of the stated chance from the outcome: 0 perfect, .25 for "one half" always.
// predicted: [n] in [0, 1]; happened: [n] 0 or 1. t interval over rows; n < 2: undefined. Source:
// [Brier1950].
Estimate brier(std::span<const double> predicted, std::span<const int> happened);

// The reliability diagram: rows in order of the stated chance, in `n_bins` groups as equal as can be without
// parting equal chances. Groups without rows are left out. Wilson intervals of the share, 95 %.
struct ReliabilityBin {
  double stated = 0, share = 0;  // means over its rows
  Interval share95;
  int n = 0;
};
std::vector<ReliabilityBin> reliability_diagram(std::span<const double> predicted,
                                                std::span<const int> happened, std::size_t n_bins = 10);

}  // namespace sonder::stats
