// How much of the spread lies between clusters, and what that costs.
#pragma once

#include <span>

#include "stats/estimate.h"

namespace sonder::stats {

// One-way ANOVA of x, [n], over clusters, [n] labels. `icc` may be negative and is not clipped. k0 is the
// size of a cluster, corrected for unequal sizes; deff = 1 + (k0 - 1) icc multiplies the variance of a mean.
// Fewer than two clusters, or singletons only: undefined, all 0 and deff 1. No spread at all: undefined.
// Source: [Donner1980], methods.md M29.
struct DesignEffect {
  double icc = 0;
  double k0 = 0;
  double deff = 1;
  double effective_n = 0;  // n / deff; n where deff < 1
  Status status = Status::undefined;
};
DesignEffect design_effect(std::span<const double> x, std::span<const int> cluster);

}  // namespace sonder::stats
