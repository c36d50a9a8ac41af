// Do raters agree, beyond chance? Krippendorff's alpha and the chance-corrected coefficients.
// Ratings must be finite (Error(bad_input) with the place otherwise); results never hold NaN.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/rows.h"
#include "base/seed.h"
#include "stats/estimate.h"

namespace sonder::stats {

// [n units × n raters]; nothing where a rater did not rate the unit.
using Ratings = Table<std::optional<double>>;

// How far two values lie apart. ratio: values must not be negative.
enum class Metric { nominal, ordinal, interval, ratio };

// Krippendorff's alpha, 1 - D_o/D_e. Units with fewer than two ratings are dropped; n_units counts the rest.
// Intervals: percentile bootstrap over units; p against 0, by the same draws, at least 2/(draws+1). Draw b
// depends on `seed` and b alone; a draw without variation has no alpha and is left out (flagged). No
// variation at all: undefined. Fewer than 2 units: the value alone, refused; fewer than 10: flagged. Assumes
// exchangeable raters and ratings missing at random. The ratio metric costs the square of the number of
// distinct values in every draw. Source: [Krippendorff2004], methods.md 6.
Estimate krippendorff(const Ratings& ratings, Metric metric, Seed seed, int draws = 9999);

// How much two different categories agree: not at all (identity), or falling with their distance on the scale
// (linear, quadratic) or in rank (ordinal: 1 - pairs spanned / most pairs).
enum class Weighting { identity, linear, quadratic, ordinal };

// (observed - expected) / (1 - expected). `estimate` has a t interval over units (n_units - 1 degrees of
// freedom, cut at 1), p against 0.
struct Agreement {
  Estimate estimate;
  double observed = 0;
  double expected = 0;
};

// What chance alone would do.
enum class Chance {
  gwet,    // AC1 (identity) and AC2: robust to skewed prevalence. Source: [Gwet2008]
  fleiss,  // one distribution for all raters; Scott's pi for two raters. Source: [Fleiss1971]
  cohen,   // each rater her own; Conger's kappa for more than two. Source: [Cohen1968], [Conger1980]
  brennan_prediger,  // all categories alike. Source: [Brennan1981]
};

// categories: the scale, in any order; the observed values when empty. An observed value outside it:
// Error(bad_input). Units without any rating are left out; units with one rating count in the distribution of
// categories, not in the observed agreement. One category observed, or no unit rated twice: undefined. One
// unit: refused. Error: linearisation over units with n - 1, as irrCAC's raw functions; for cohen each
// rater's distribution is linearised too. Source: [Gwet2014], methods.md 6.
Agreement agreement(const Ratings& ratings, Chance chance, Weighting weighting = Weighting::identity,
                    std::span<const double> categories = {});

// Of two raters, from their table of counts [q × q], whole or weighted: row of the first rater, column of the
// second, categories 1..q. Error with n, as irrCAC's table functions; 1 - 1/n of the variance of the above.
Agreement agreement_of_table(const Numbers& counts, Chance chance, Weighting weighting = Weighting::identity);

// From counts per unit and category, [n units × q categories 1..q]: every chance but cohen, which needs to
// know who rated (Error(bad_input)).
Agreement agreement_of_counts(const Numbers& counts, Chance chance,
                              Weighting weighting = Weighting::identity);

}  // namespace sonder::stats
