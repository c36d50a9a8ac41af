// More of the bootstrap than mean.h holds: every resample there is, percentile intervals, and two ways at
// once.
#pragma once

#include <functional>
#include <span>

#include "base/seed.h"
#include "stats/mean.h"

namespace sonder::stats {

// The BCa interval from all n^n resamples: no seed, no Monte Carlo error. n_units 2..7, else
// Error(bad_input). The statistic must not care about the order of units: each multiset is computed once and
// counted as often as it occurs. Source: [Efron1987], methods.md 5.4.
Bca bca_enumerated(std::size_t n_units, const Statistic& statistic, Ties ties = Ties::half);

// The plain percentile interval: for a statistic whose leave-one-out values say little (a median). As `bca`
// otherwise; the same draws for the same seed.
Estimate percentile_bootstrap(std::size_t n_units, const Statistic& statistic, Seed seed, int draws = 9999);

// A statistic of weighted rows: weight: [n], how often each row counts. May be infinite or NaN where it does
// not exist; such draws are left out and counted.
using WeightedStatistic = std::function<double(std::span<const double> weight)>;

// Rows crossed by raters and scenarios: both are drawn with replacement, independently, and a row counts
// times(first) × times(second). BCa with the influence of both kinds in the acceleration; `percentile95`
// beside it. n_units: the fewer of the two; fewer than two of either: undefined. On the safe side: where the
// single answer's noise dominates, its share of the variance counts up to three times. Source: [Owen2007],
// methods.md 6.
Bca two_way_bootstrap(std::span<const int> first, std::span<const int> second,
                      const WeightedStatistic& statistic, Seed seed, int draws = 9999);
Bca two_way_bootstrap_mean(std::span<const double> x, std::span<const int> first, std::span<const int> second,
                           Seed seed, int draws = 9999);

}  // namespace sonder::stats
