// Scenarios and judges as samples: linear mixed models by restricted maximum likelihood.
// A check of the scenario-level estimates, not their replacement. Values must be finite (Error(bad_input)
// otherwise); results never hold NaN.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/rows.h"
#include "stats/estimate.h"

namespace sonder::stats {

// (1 + slopes | group), or (1 + slopes || group) without correlations.
struct RandomTerm {
  std::string name;            // of the group, for warnings
  std::span<const int> group;  // [n] any labels
  Numbers slopes;              // [n × s]; no row at all: an intercept only
  bool correlated = true;
};

// What was kept of a term. sd, correlation: the intercept first, then the slopes; 0 for what was dropped.
struct RandomPart {
  std::string name;
  std::vector<double> sd;  // [1 + s], in the unit of y per unit of the slope
  Numbers correlation;     // [1 + s × 1 + s]
  int n_groups = 0;
  int n_kept = 0;  // slopes still in the model
  bool correlated = false;
};

// `fixed`: t intervals and p against 0 with Satterthwaite's degrees of freedom `df`. n_units: the groups of
// the first term. covariance: of the fixed effects [p × p]. criterion: the REML deviance, -2 log restricted
// likelihood.
struct Mixed {
  std::vector<std::string> names;
  std::vector<Estimate> fixed;
  std::vector<double> df;
  Numbers covariance;
  std::vector<RandomPart> random;
  double residual_sd = 0;
  double criterion = 0;
  Status status = Status::ok;
  std::vector<std::string> warnings;
};

// y: [n]; x: [n × p], the column of ones included; terms: crossed or nested as the labels say, at least one.
// Singular fit: the correlations of the term are dropped, then its slopes without variance, and the fit is
// flagged; an intercept without variance stays (flagged). Slopes that the number of rows cannot tell from the
// residual are dropped at once. Undefined: dependent columns of x, n <= p, a term with one group or as many
// groups as rows, an exact fit. Fewer than 10 groups in the first term: flagged. Assumes normal effects and
// errors. Source: [Bates2015], [Kuznetsova2017], methods.md 5.5.
Mixed mixed(std::span<const double> y, const Numbers& x, std::span<const RandomTerm> terms,
            std::span<const std::string> names = {});

// y ~ cond * facet + (1 + cond | scenario) + (1 | judge). All [n]; any labels, the lowest cond and facet are
// the reference. An empty judge: without that term. names: "1", "cond 2", "facet 1", "cond 2 : facet 1" …
struct Design {
  std::span<const int> cond, facet, scenario, judge;
};
Mixed condition_by_facet(std::span<const double> y, const Design& design);

}  // namespace sonder::stats
