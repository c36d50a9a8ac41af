// What a design can show before anything is run: the scenarios that each verdict needs, and the smallest
// shift that can be found. Source: methods.md 4.5, 5.2. All in natural gaps.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "stats/power.h"
#include "study/findings.h"
#include "study/verdict.h"

namespace sonder::study {

// The SD of N_s - theta D_s, which the interval of a share rests on: sqrt(effect_sd^2 + theta^2 gap_sd^2).
double spread_at(double theta, double effect_sd, double gap_sd);

// The scenarios to end with this word, with the goal's power, when the truth is `theta`.
struct Needed {
  std::string word;  // NO_EFFECT_EQUIVALENT | PARTIAL | CONTROLS
  double theta = 0;
  double bound = 0;  // delta of an equivalence, 0 for PARTIAL, tau for CONTROLS: what the interval must clear
  double sd = 0;     // SD of the scenario shifts at theta 0
  int n = 0;
};

// Equivalence at theta 0 for every delta of `deltas`, PARTIAL (the interval above 0) at delta and .25 where
// that is more, CONTROLS' interval above tau at tau + .2; each for every SD. Certificates and side conditions
// are taken to hold. sds > 0, gap_sd >= 0: Error(bad_input) otherwise.
std::vector<Needed> scenarios_needed(std::span<const double> sds, double gap_sd,
                                     std::span<const double> deltas, const Limits& limits,
                                     stats::Goal goal = {});

// The spread that a finished run showed: SD of its scenario shifts, by instrument and facet, at the
// confirmatory dose (where none: the first positive one). From the half width of the 95 % interval,
// t(n - 1) * sd / sqrt(n).
struct Pilot {
  std::string instrument, facet, arm;
  double sd = 0;
  int n_scenarios = 0;
};
std::vector<Pilot> pilot_spreads(const Findings& findings);

}  // namespace sonder::study
