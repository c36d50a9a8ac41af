// Sums, spreads, ranks and distributions that every estimator of the room shares. Finite in, finite out.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stats/estimate.h"

namespace sonder::stats::detail {

// Throws Error(bad_input) when a value is infinite or not a number; `what` names the argument and
// the message the place, counted from 1.
void require_finite(std::span<const double> x, std::string_view what);

// Compensated (Neumaier), so that the order of millions of rows does not show.
double sum(std::span<const double> x);
double mean_of(std::span<const double> x);  // 0 for an empty span

// n - 1 in the denominator; 0 when n < 2 or when the spread is below rounding.
double variance(std::span<const double> x);
double covariance(std::span<const double> x, std::span<const double> y);

std::vector<double> minus(std::span<const double> x, std::span<const double> y);

// Ranks from 1; ties share their mean rank.
std::vector<double> mid_ranks(std::span<const double> x);

// Type 7 (the default of R), of values already in order. Source: [Hyndman1996].
double sorted_quantile(std::span<const double> sorted, double level);

double t_quantile(double level, double df);
double t_tail(double t, double df);    // P(T > t), never 0
double normal_quantile(double level);  // level strictly inside (0, 1)
double normal_cdf(double z);
double normal_tail(double z);                     // P(Z > z), never 0
double f_tail(double f, double df1, double df2);  // P(F > f), never 0; f <= 0: 1
double chi2_tail(double chi2, double df);         // the same of chi-squared
double logistic(double x);
double two_sided(double tail);
double agreed_p(int n_coins);  // 2^-n_coins, never 0: that so many fair coins agree

// Every number: an interval nothing can be concluded from, for estimates that are not usable.
Interval whole_line();

// An estimate without an interval: [low, high] stands for "anything".
Estimate without_interval(Status status, double value, int n_units, std::string why,
                          Interval any = whole_line());

// Adds a warning; an ok estimate becomes a flagged one.
void flag(Estimate& estimate, std::string why);

// Student's t intervals and the p against `null`. se = 0: the intervals are the point, p is 2^(1-n_units) (as
// many units agree) or 1, and the estimate is flagged.
Estimate by_t(double value, double se, double df, int n_units, double null = 0);

// Of an area strictly inside (0, 1) with se > 0: intervals on the scale of its log-odds, p against 1/2 by the
// normal.
void by_log_odds(Estimate& estimate);

// The interval of n units in [0, 1] that agree on c: [c q, c q + 1 - q], q = alpha^(1/n). Values that n units
// did not show may have a share of up to 1 - q. When c is 0 or 1 it is the exact one-sided bound.
Interval agreed_bound(double c, double n, double alpha);

// Units that differ say no more than as many that agree: both intervals are widened to hold agreed_bound of
// the value, and p is at least `least_p`. Without this a tie among agreements would shorten the interval.
void no_surer_than_agreed(Estimate& estimate, double n, double least_p);

// The mean of values in [0, 1], t interval clipped, p against 1/2, no surer than as many units that agree.
Estimate bounded_mean(std::span<const double> x);

// A last look: numbers too large for the machine make the estimate undefined instead of NaN.
Estimate settled(Estimate estimate);

}  // namespace sonder::stats::detail
