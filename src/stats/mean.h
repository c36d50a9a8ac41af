// Means, differences and shares over scenarios. Every input row is one scenario unless stated.
#pragma once

#include <functional>
#include <span>

#include "base/rows.h"
#include "base/seed.h"
#include "stats/estimate.h"

namespace sonder::stats {

// Mean of x with Student's t interval, n-1 degrees of freedom. p: two-sided against 0. n < 2: undefined.
Estimate mean(std::span<const double> x);

// Mean with a cluster-robust error (CR1 factor C/(C-1)), t with C-1 df. cluster: [n] any labels.
// One cluster: undefined. Source: [Miller2024], methods.md 5.1.
Estimate clustered_mean(std::span<const double> x, std::span<const int> cluster);

// Share of the natural gap: mean(shift) / mean(gap), Fieller intervals paired by scenario. [n] each, same order.
// g >= 1: unbounded; n < 6: refused. `fieller_g` is the Fieller g at the 95 % level. Source: [Fieller1954], methods.md 1.
struct Ratio {
  Estimate theta;
  double fieller_g = 0;
};
Ratio fieller(std::span<const double> shift, std::span<const double> gap);

// Two-sided sign-flip permutation test of mean 0. Exact when n <= 20, else `draws` Monte Carlo flips with the +1 rule.
// Returns p; 1 when all are zero. Source: methods.md 5.3.
struct SignFlip {
  double p = 1;
  double p_greater = 1;  // one-sided, mean > 0
  bool exact = true;
};
SignFlip sign_flip(std::span<const double> x, Seed seed, int draws = 9999);

// BCa bootstrap over units of any statistic of a resample. `statistic` gets indices into the units, [n], with repeats.
// Mid-rank z0 for ties; degenerate cases flagged as methods.md 5.4 says.
Estimate bca(std::size_t n_units, const std::function<double(std::span<const std::size_t>)>& statistic, Seed seed,
             int draws = 9999);

// Equivalence: is the mean of x inside (-bound, bound)? p is the larger of the two one-sided p. n < 6: refused.
// Source: [Schuirmann1987], methods.md 5.6.
struct Tost {
  Estimate mean;
  double p = 1;
  bool equivalent = false;  // ci90 strictly inside the bounds
};
Tost tost(std::span<const double> x, double bound);

// Wilson score interval of k successes of n, at 95 % and 90 %. n = 0: undefined. Source: [Wilson1927].
Estimate wilson(long k, long n);

}  // namespace sonder::stats
