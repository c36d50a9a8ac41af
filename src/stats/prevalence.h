// How common is a thing, when a judge that errs counted it?
#pragma once

#include "stats/estimate.h"

namespace sonder::stats {

// k of n.
struct Count {
  long k = 0, n = 0;
};

// Rogan and Gladen's share of positives, (p + q0 - 1) / (q0 + q1 - 1), clipped to [0, 1] (flagged when it was
// outside). said_yes: the judge's positives in the test set; sensitivity: of the true positives of a
// calibration set, those the judge found; specificity: of its true negatives, those it left. Intervals of Lee
// et al.; `value` is not shrunk. p: normal, two-sided against 1/2. n_units: the test set. Assumes that
// sensitivity and specificity carry over to the test set; another prevalence there does no harm, other texts
// do. Sensitivity + specificity <= 1, or an empty set: undefined. Source: [Rogan1978], [Lee2025],
// methods.md 4.8.
Estimate rogan_gladen(Count said_yes, Count sensitivity, Count specificity);

}  // namespace sonder::stats
