// Order and separation: does high beat low, do levels rise, is a curve monotone?
// Values must be finite (Error(bad_input) otherwise); results never hold NaN.
#pragma once

#include <span>
#include <vector>

#include "base/rows.h"
#include "base/seed.h"
#include "stats/estimate.h"

namespace sonder::stats {

// P(high > low) + .5 P(tie) over all pairs of one from each class. An empty class: undefined (value 0.5).
double auroc(std::span<const double> high, std::span<const double> low);

// AUROC with DeLong's variance: Wald in `se`, logit interval in ci95/ci90, p against 1/2. n_units: all
// observations. Without spread (A is 0 or 1, or all scores are equal) flagged, with the exact one-sided bound
// of min(m, n) pairs, and p of the extreme permutation; with spread it is never surer than that. An empty
// class: undefined; a class of one: refused.
// Source: [DeLong1988], methods.md 2.4.
Estimate delong(std::span<const double> high, std::span<const double> low);
// Two scores of the same observations. z = 0, p = 1 when they order them alike; `undefined` when they differ
// but nothing varies.
struct DeLongPair {
  double a1 = 0, a2 = 0, var1 = 0, var2 = 0, cov = 0, z = 0, p = 1;
  Status status = Status::ok;
};
DeLongPair delong_paired(std::span<const double> high1, std::span<const double> low1,
                         std::span<const double> high2, std::span<const double> low2);

// Within-unit concordance: mean over units of 1, .5 or 0 (high > low, tie, less). [n] pairs from the same
// unit. Interval by t over units, clipped to [0, 1]; when all agree, flagged, with the exact one-sided
// binomial bound alpha^(1/n) (the two-sided one would rank 32 of 32 below 31 of 32). Units that differ are
// never surer than as many that agree, so that no tie helps. p: against 1/2. n < 2: undefined.
Estimate concordance(std::span<const double> high, std::span<const double> low);

// Concordance over all ordered pairs of levels within a unit; levels: [n_units × k], low to high. Averages
// per unit first; then as above. Source: methods.md 4.5 V2.
Estimate ladder_concordance(const Numbers& levels);

// Page's L for ordered alternatives; blocks: [n × k]. Mid-ranks for ties; expectation and variance given the
// ties. One-sided p: exact by convolution over the permutations of each block, ties included, when k <= 7 and
// n k <= 400, else normal. No block or k < 2, or all tied: undefined, p = 1. Source: [Page1963],
// methods.md 3.2.
struct Page {
  double l = 0, expected = 0, variance = 0, z = 0;
  double p_normal = 1;
  double p = 1;  // the exact one where it exists
  bool exact = false;
  Status status = Status::ok;
};
Page page(const Numbers& blocks);

// Pool-adjacent-violators fit, increasing, equal weights. Source: [Barlow1972], methods.md 3.2.
std::vector<double> isotonic(std::span<const double> y);
// index: 1 - SSE_iso / SST_dose over the dose means; curves: [n_units × k doses], dose 0 first. 0 when flat.
// p by permuting doses within units, +1 rule, of the explained part SST - SSE_iso: the index itself is 1 for
// every rising curve however small, so that chance alone would reach it once in k! times.
struct Monotonicity {
  double index = 0;
  double p = 1;
};
Monotonicity monotonicity(const Numbers& curves, Seed seed, int draws = 999);

// (1 + #{null >= observed}) / (B + 1), equal up to 1e-12 relative: never 0. null: [B], statistics of permuted
// data.
double permutation_p(double observed, std::span<const double> null);

// Holm's adjusted p, in input order. Source: [Holm1979].
std::vector<double> holm(std::span<const double> p);
// Benjamini–Hochberg's adjusted p, in input order. Source: [Benjamini1995].
std::vector<double> benjamini_hochberg(std::span<const double> p);

}  // namespace sonder::stats
