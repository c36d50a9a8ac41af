// For tests and screenshots only: findings as a real run would give them, figures near the pilot's (parts of
// the founding picture: affective in part, cognitive unmeasurable).
#pragma once

#include "study/findings.h"

namespace sonder::report {

// n_scenarios: shown ones; the replies of every arm are there for each, `repeats` times.
study::Findings sample_findings(int n_scenarios = 4, int repeats = 1);

// Findings whose every text tries to break out of the page.
study::Findings hostile_findings();

}  // namespace sonder::report
