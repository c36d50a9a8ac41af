// More doors to the equivalence test of mean.h: paired values, and two groups from their values.
#pragma once

#include <span>

#include "stats/mean.h"

namespace sonder::stats {

// first - second of the same units, [n] each: is the mean difference inside (-bound, bound)? As `tost`.
Tost tost_paired(std::span<const double> first, std::span<const double> second, double bound);

// Two independent groups of unequal spread; each at least 6 (refused). Source: [Schuirmann1987], [Welch1947].
WelchTost welch_tost(std::span<const double> first, std::span<const double> second, double bound);

}  // namespace sonder::stats
