// Least squares with errors that know about clusters, and what is built on it: conjoint effects (AMCE),
// ANCOVA, two-way clustered means. Values must be finite (Error(bad_input) otherwise); never NaN.
#pragma once

#include <span>
#include <vector>

#include "base/rows.h"
#include "stats/estimate.h"
#include "stats/mean.h"

namespace sonder::stats {

// A fitted regression. A column that the others already hold (a constant beside the intercept, an indicator
// too many) is left out: its coefficient is `undefined`, value 0, and the regression is flagged.
struct Regression {
  std::vector<Estimate> coefficient;  // [k], p against 0
  std::vector<double> df;             // [k] of each interval; 0 where undefined
  Numbers covariance;                 // [k × k] of the coefficients; rows left out are 0
  std::vector<double> residual;       // [n]
  double residual_squares = 0;        // their sum
  int n = 0;                          // rows
  int rank = 0;                       // columns kept
  int n_clusters = 0;                 // n without clusters
  Status status = Status::ok;         // undefined: fewer rows than columns, or one cluster only
  std::vector<std::string> warnings;
};

// y on the columns of x, [n × k]; the intercept is a column of ones, made by the caller. Independent errors
// of equal variance; t with n - rank df. Offsets (a column of ones present) do not cost digits.
Regression ols(const Numbers& x, std::span<const double> y);

// The same fit with a sandwich over clusters, [n] labels, independent of one another. cr1 multiplies by
// C/(C-1) · (n-1)/(n-k); cr0 and cr1 use t with C-1 df; cr2 adjusts the residuals of each cluster by the
// symmetric root and has Satterthwaite df for each coefficient (independent equal errors as working model).
// Source: [Liang1986], [Bell2002], [Pustejovsky2018], methods.md 5.1.
Regression ols(const Numbers& x, std::span<const double> y, std::span<const int> cluster,
               ClusterError how = ClusterError::cr2);

// Two ways of clustering at once: V(first) + V(second) - V(both), each with its cr1 factor; t with the fewer
// clusters less 1. A covariance that is not positive is mended by its eigenvalues, and flagged. Source:
// [Cameron2011].
Regression ols_two_way(const Numbers& x, std::span<const double> y, std::span<const int> first,
                       std::span<const int> second);

// The mean of x when rows share scenarios and raters. n_units: the fewer of the two. Either way with one
// cluster: undefined.
Estimate two_way_mean(std::span<const double> x, std::span<const int> first, std::span<const int> second);

// One attribute of a randomised profile: its level in each row, 0 the baseline.
struct Factor {
  std::vector<int> level;  // [n] in 0..n_levels-1
  int n_levels = 2;
};

// Average marginal component effects: OLS on the indicators of all levels but the baselines, errors by
// cluster. Levels are assumed randomised independently of one another. Source: [Hainmueller2014], methods.md
// 8.3.
struct Conjoint {
  std::vector<std::vector<Estimate>> effect;  // [factor][level - 1]
  Regression regression;                      // columns: intercept, then the effects in that order
};
Conjoint amce(std::span<const double> y, std::span<const Factor> factors, std::span<const int> cluster,
              ClusterError how = ClusterError::cr2);

// How the effect of `first` (level 1 against 0) changes with `second`: the product term of the two-by-two
// regression. Both factors have two levels.
Estimate interaction(std::span<const double> y, const Factor& first, const Factor& second,
                     std::span<const int> cluster, ClusterError how = ClusterError::cr2);

// |claim| / (|claim| + |class|), undefined unless one of the two 95 % intervals excludes 0. methods.md 8.3.
// No interval: bootstrap the scenarios for one. Returns {0, undefined} with the reason otherwise.
Estimate individual_share(const Estimate& claim, const Estimate& reference_class);

// A test of several coefficients at once.
struct FTest {
  double f = 0;
  double df1 = 0, df2 = 0;
  double p = 1;
  Status status = Status::undefined;
};

// y on groups and one covariate, one common slope; `homogeneity` asks whether the slopes differ, and is to be
// read first. Independent errors of equal variance, unless clusters are given. Groups 0..n_groups-1; one
// covariate value per row. Source: [Snedecor1989], methods.md 3.5.
struct Ancova {
  Estimate slope;
  std::vector<Estimate> difference;   // [n_groups - 1] of each group from group 0, at equal covariate
  std::vector<double> adjusted_mean;  // [n_groups] at the overall mean of the covariate
  FTest group;                        // all differences 0; classic
  FTest homogeneity;                  // all slopes equal; classic
  Status status = Status::ok;
  std::vector<std::string> warnings;
};
Ancova ancova(std::span<const double> y, const Factor& group, std::span<const double> covariate);
Ancova ancova(std::span<const double> y, const Factor& group, std::span<const double> covariate,
              std::span<const int> cluster, ClusterError how = ClusterError::cr2);

// log((k + .5) / (n - k + .5)): log-odds of k of n draws. n < 10: refused. se: of the same rule. methods.md
// 5.10, 8.2.
Estimate log_odds(long k, long n);

}  // namespace sonder::stats
