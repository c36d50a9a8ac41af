// Small arithmetic that the study's parts share: estimates as figures, differences and means over scenarios.
#pragma once

#include <vector>

#include "stats/estimate.h"
#include "study/findings.h"
#include "study/witness.h"

namespace sonder::study {

Figure figure_of(
    const stats::Estimate& estimate);  // not usable: missing, with the first warning as its reason

double mean_of(const std::vector<double>& x);  // 0 when empty

// a[i] - b[i]; the same length.
std::vector<double> minus(const std::vector<double>& a, const std::vector<double>& b);

// Those that are there, as numbers.
std::vector<double> present(const std::vector<Score>& scores);

// Scores as numbers; `with` stands in for what is missing.
std::vector<double> filled(const std::vector<Score>& scores, double with);

}  // namespace sonder::study
