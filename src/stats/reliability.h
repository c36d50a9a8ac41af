// How far can scores be trusted? Intraclass and rank correlations, and the shares of variance that items,
// rubrics and judges hold. Values must be finite (Error(bad_input) with the place otherwise); results never
// hold NaN.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/rows.h"
#include "stats/estimate.h"

namespace sonder::stats {

// The six forms of Shrout and Fleiss. one_: each unit has its own raters; two_: the same raters, a sample
// (absolute agreement); three_: these raters only (consistency). _single: one rating; _mean: the mean of the
// k.
enum class IccForm { one_single, two_single, three_single, one_mean, two_mean, three_mean };

// Intraclass correlation of scores [n units × k raters], complete. Exact F intervals (two_: Satterthwaite's
// approximation); p: one-sided F test of no difference between units; se: none (0). A negative estimate is
// reported as it is. three_mean is Cronbach's alpha. n < 2, k < 2 or no variation: undefined; raters who
// agree exactly: a point, flagged; so far below 0 that an end has no value: unbounded; a _mean form whose
// units agree exactly while raters do not: undefined (minus infinity). Source: [Shrout1979], [McGraw1996],
// methods.md 4.3.
Estimate icc(const Numbers& scores, IccForm form);

// The error of one score, sd sqrt(1 - reliability), and the smallest difference of two scores that is more
// than error, 1.96 sqrt(2) sem. sd >= 0, reliability <= 1. Source: methods.md 4.3.
struct MeasurementError {
  double sem = 0;
  double smallest_difference = 0;
};
MeasurementError measurement_error(double sd, double reliability);

// Kendall's tau-b of two series [n]. p: two-sided, exact without ties for n <= 33, else normal with the
// variance given the ties. Interval: leave-one-out error on Fisher's scale, n - 1 df; n < 5: refused (value
// and p stand). A constant series: undefined. O(n log n). Source: [Kendall1990].
Estimate kendall_tau_b(std::span<const double> x, std::span<const double> y);

// Kendall's W of m raters over n items; scores [m raters × n items], ranked by each rater, mid-ranks with the
// correction for ties. p: F test with the corrected degrees of freedom. Interval: leave-one-item-out, t with
// n - 1 df, within [0, 1]; n < 5: refused (value and p stand). m < 2, n < 2 or all tied: undefined. n_units:
// items. Source: [Kendall1990].
Estimate kendall_w(const Numbers& scores);

// ---- Generalisability: item × rubric × judge, crossed and random, one score per cell (average repeats
// first).

// score(item, rubric, judge) is data[(item * n_rubrics + rubric) * n_judges + judge].
struct Cube {
  std::size_t n_items = 0, n_rubrics = 0, n_judges = 0;
  std::vector<double> data;
};

// Variance of a single score by source. `error` holds the three-way part and everything else.
struct Components {
  double item = 0, rubric = 0, judge = 0, item_rubric = 0, item_judge = 0, rubric_judge = 0, error = 0;
};

// How well the mean over n_rubrics × n_judges tells items apart: by order (generalizability; relative error)
// and by level (dependability; absolute error). sem_: standard errors of one item's mean. 0 when nothing
// varies.
struct Decision {
  double generalizability = 0, dependability = 0;
  double sem_relative = 0, sem_absolute = 0;
};
Decision decide(const Components& components, int n_rubrics, int n_judges);

// How many judges, with `n_rubrics` rubrics each, for that dependability; 0 when more than `most` are needed.
int judges_needed(const Components& components, int n_rubrics, double dependability, int most = 1000);

// Components by the expected mean squares of the ANOVA; negative ones are set to 0 in `components`, kept in
// `raw`, and flagged. `dependability` is that of the design as it stands: interval by leaving out one item at
// a time, Fisher's scale, n_items - 1 df; p: one-sided F test (Satterthwaite) of no difference between items.
// Fewer than 2 items, rubrics or judges, or no variation: undefined. Source: [Brennan2001], methods.md 4.3.
struct Generalizability {
  Estimate dependability;
  Components components, raw;
  Decision decision;
};
Generalizability generalizability(const Cube& scores);

}  // namespace sonder::stats
