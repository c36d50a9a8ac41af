// Means, differences and shares over scenarios. Every input row is one scenario unless stated.
// Values must be finite (Error(bad_input) otherwise). Results never hold NaN: an estimate that is not
// usable() carries an interval as wide as the scale, so that nothing can be concluded from it by accident.
#pragma once

#include <functional>
#include <span>

#include "base/rows.h"
#include "base/seed.h"
#include "stats/estimate.h"

namespace sonder::stats {

// Mean of x with Student's t interval, n-1 degrees of freedom. p: two-sided against 0. n < 2: undefined.
// No spread at all: a point interval, flagged, p = 2^(1-n) (1 at zero).
Estimate mean(std::span<const double> x);

// Quantile of type 7 (R's default), level in [0, 1]. An empty x: Error(bad_input). Source: [Hyndman1996].
double quantile7(std::span<const double> x, double level);

// How the error of a clustered mean is made. C clusters.
enum class ClusterError {
  cr0,  // the plain sandwich; t with C-1 df
  cr1,  // times C/(C-1); t with C-1 df. Inspect AI's form
  cr2,  // Bell and McCaffrey's, with Satterthwaite df: for C < 50
};
// Mean with a cluster-robust error. cluster: [n] any labels. Singletons allowed; one cluster: undefined.
// Source: [Miller2024], [Bell2002], methods.md 5.1.
struct ClusteredMean {
  Estimate mean;
  double df = 0;
};
ClusteredMean clustered_mean(std::span<const double> x, std::span<const int> cluster, ClusterError how);
Estimate clustered_mean(std::span<const double> x, std::span<const int> cluster);  // cr1

// Share of the natural gap: mean(shift) / mean(gap), Fieller intervals paired by scenario. [n] each, same
// order. g >= 1: unbounded; n < 6: refused; mean gap 0: undefined. A negative gap turns both series round and
// flags. `fieller_g` is the Fieller g at the 95 % level. p: two-sided, share 0. se: delta method. Source:
// [Fieller1954], methods.md 1.
struct Ratio {
  Estimate theta;
  double fieller_g = 0;
};
Ratio fieller(std::span<const double> shift, std::span<const double> gap);

// Two-sided sign-flip permutation test of mean 0. Exact when n <= 20, else `draws` Monte Carlo flips with the
// +1 rule. Returns p; 1 when all are zero. The studentised statistic gives the same p: flips leave the sum of
// squares alone. Source: methods.md 5.3.
struct SignFlip {
  double p = 1;
  double p_greater = 1;  // one-sided, mean > 0
  bool exact = true;
};
SignFlip sign_flip(std::span<const double> x, Seed seed, int draws = 9999);

// The centre of x with the interval that the exact sign-flip test does not reject: order statistics of all
// subset means. For small n. n < 6: refused (no 95 % interval exists); n > 20: Error(bad_input). p as in
// sign_flip. Source: [Hartigan1969].
Estimate sign_flip_mean(std::span<const double> x);

// A statistic of a resample: indices into the units, with repeats; [n_units], and [n_units - 1] for
// leave-one-out.
using Statistic = std::function<double(std::span<const std::size_t>)>;

// BCa bootstrap over units of any statistic of a resample. Draw b depends on `seed` and b alone.
// Mid-rank z0 for ties; degenerate cases flagged as methods.md 5.4 says. p: two-sided against 0, by inverting
// the interval, at least 2/(draws+1). n_units < 2: undefined; < 10: flagged (prefer sign_flip_mean). Source:
// [Efron1987], methods.md 5.4.
Estimate bca(std::size_t n_units, const Statistic& statistic, Seed seed, int draws = 9999);

// BCa of a plain mean over units (for a paired gain: of the differences), and of a mean of rows over
// clusters.
Estimate bca_mean(std::span<const double> x, Seed seed, int draws = 9999);
Estimate bca_mean(std::span<const double> x, std::span<const int> cluster, Seed seed, int draws = 9999);

// The parts of a BCa interval from replicates made elsewhere (a full enumeration, say).
// replicates: [B]; leave_one_out: [n_units]. Ties::strict counts only t* < t, as R's boot does.
enum class Ties { half, strict };
struct Bca {
  Estimate estimate;
  double z0 = 0;
  double acceleration = 0;
  Interval levels95;      // where in the replicates the 95 % ends lie
  Interval percentile95;  // the plain percentile interval, for comparison
};
Bca bca_of(double value, std::span<const double> replicates, std::span<const double> leave_one_out,
           Ties ties = Ties::half);

// Leave-one-out bias, error and acceleration. [n_units]. Source: [Efron1987].
struct Jackknife {
  double bias = 0;
  double se = 0;
  double acceleration = 0;  // 0 when all leave-one-out values agree
};
Jackknife jackknife(double value, std::span<const double> leave_one_out);

// Equivalence: is the mean of x inside (-bound, bound)? p is the larger of the two one-sided p. n < 6:
// refused. bound > 0, in the unit of x, fixed beforehand. Touching the bound is not inside. Source:
// [Schuirmann1987], methods.md 5.6.
struct Tost {
  Estimate mean;
  double t_low = 0, t_high = 0;  // (mean ± bound) / se; 0 without spread
  double p_low = 1, p_high = 1;  // one-sided: mean > -bound, mean < bound
  double p = 1;
  bool equivalent = false;  // ci90 strictly inside the bounds
};
Tost tost(std::span<const double> x, double bound);

// The same for two independent groups of unequal spread, from their summaries: first minus second.
struct Summary {
  double mean = 0;
  double sd = 0;
  int n = 0;
};
struct WelchTost {
  Tost tost;
  double df = 0;
};
WelchTost welch_tost(const Summary& first, const Summary& second, double bound);

// Wilson score interval of k successes of n, at 95 % and 90 %. n = 0: undefined. p: exact binomial against
// 1/2. Source: [Wilson1927].
Estimate wilson(long k, long n);

// The same share with Clopper and Pearson's interval and the exact two-sided p (sum of the no likelier
// outcomes) against `null` in (0, 1). Source: [Clopper1934].
Estimate exact_share(long k, long n, double null = 0.5);

}  // namespace sonder::stats
