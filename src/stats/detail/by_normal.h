// An estimate with normal intervals, for the estimators whose errors are asymptotic.
#pragma once

#include "stats/estimate.h"

namespace sonder::stats::detail {

// p: two-sided against `null`. se = 0: the intervals are the point, p is 1 at the null, else the smallest p,
// and the estimate is flagged.
Estimate by_normal(double value, double se, int n_units, double null = 0);

// The interval at that confidence, value ± z se.
Interval normal_interval(double value, double se, double confidence);

}  // namespace sonder::stats::detail
