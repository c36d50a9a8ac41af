// The interval of the sign-flip test for any number of units. The test itself is in mean.h.
#pragma once

#include <span>

#include "base/seed.h"
#include "stats/estimate.h"

namespace sonder::stats {

// The centre of x with the interval of what the sign-flip test does not reject. n <= 20: exact, as
// sign_flip_mean (n < 6: refused). Else from `draws` random subset means, whose order statistics are an exact
// interval whatever the number of draws. p as in sign_flip. Assumes symmetry about the centre; the
// studentised statistic gives the same test, as flips leave the sum of squares alone. draws >= 99. Source:
// [Hartigan1969], methods.md 5.1, 5.3.
Estimate sign_flip_interval(std::span<const double> x, Seed seed, int draws = 9999);

// The same for rows in clusters: the cluster sums are flipped, and the interval is for the mean of rows.
// n_units: clusters. Clusters of unequal size count by their rows, so the interval inverts flips of
// sum_c - size_c · theta. Fewer than 6 clusters: refused.
Estimate sign_flip_interval(std::span<const double> x, std::span<const int> cluster, Seed seed,
                            int draws = 9999);

}  // namespace sonder::stats
