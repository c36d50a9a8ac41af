// Few human labels stretched by a judge's many: prediction-powered inference.
// A judge that does not follow the humans inside the class of interest is given weight 0: this cannot rescue
// an insensitive judge. Values must be finite (Error(bad_input) otherwise); results never hold NaN.
#pragma once

#include <span>
#include <vector>

#include "stats/estimate.h"

namespace sonder::stats {

// How much weight the judge gets.
enum class Tuning {
  cross_fitted,  // each labelled unit by the weight that all other units ask for
  tuned,         // one weight from all units, as ppi_py: its error is a little too small
  fixed,         // PpiOptions::lambda
};
enum class PpiInterval {
  student,  // variances with n - 1, t with n - 1 degrees of freedom, n labelled units
  normal,   // ppi_py: variances with n, normal quantile; n < 30: refused
};
struct PpiOptions {
  Tuning tuning = Tuning::cross_fitted;
  double lambda = 1;  // of `fixed`; 0 leaves the humans alone
  PpiInterval interval = PpiInterval::student;
};

struct Ppi {
  Estimate estimate;    // p: two-sided against 0; n_units: labelled
  double lambda = 0;    // in [0, 1] unless fixed; the mean one when cross-fitted
  Interval normal95;    // value ± 1.96 se whatever n is: to compare with ppi_py, not to conclude from
  double se_human = 0;  // of the human labels alone
};

// Mean of the human score. human, judge: [n] the same labelled units; judge_only: [N] units that no human
// labelled. One value per scenario (average first): units are independent, and the labelled ones are a
// *random* subset. n < 2: undefined; a judge without spread, or no unit without label: lambda 0 (flagged);
// n < 30: flagged, or refused under `normal`. Source: [Angelopoulos2023], methods.md 4.8.
Ppi ppi_mean(std::span<const double> human, std::span<const double> judge, std::span<const double> judge_only,
             PpiOptions options = {});

// Mean over scenarios of the difference first minus second. [n] and [N] as above.
struct Arms {
  std::span<const double> first, second;
};
Ppi ppi_difference(const Arms& human, const Arms& judge, const Arms& judge_only, PpiOptions options = {});

// A weighted mean over strata (facets, conditions), each with its own lambda. weight: share of the
// population, any positive scale. A stratum that is not usable makes the whole not usable. Degrees of
// freedom: Satterthwaite over strata. `lambda`: the weighted mean. Source: [Fisch2024].
struct PpiStratum {
  std::span<const double> human, judge, judge_only;
  double weight = 1;
};
Ppi ppi_stratified(std::span<const PpiStratum> strata, PpiOptions options = {});

}  // namespace sonder::stats
