// Side effects of every steered arm, and the dose that the confirmatory comparison uses.
// Source: methods.md 3.1, 3.4. Chosen on development scenarios only.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "study/arms.h"
#include "study/findings.h"
#include "study/lab.h"
#include "study/play.h"

namespace sonder::study {

inline constexpr int kUnrelatedTokens = 16;  // length of the base reply on which KL is read

// Next-token KL(base || hooked) of each arm on prompts that have nothing to do with feelings, nats.
std::map<std::string, double> unrelated_kl(Lab& lab, const std::vector<Arm>& arms);

// A dose of the plan's unit (gap, norm, sd, kl) in class gaps of this direction. KL doses are searched for on
// the unrelated prompts, by sign: -.05 is .05 nats the other way.
double gaps_of(Lab& lab, const Inside& inside, double dose);

// Every arm against arms[0], which is base; cells as play() gives them.
std::vector<SideEffects> side_effects(Lab& lab, const std::vector<Arm>& arms,
                                      const std::vector<const store::Scenario*>& scenarios,
                                      const Replies& cells, const std::map<std::string, double>& kl);

// The plan's dose, or the largest positive one of this facet that passes every gate; nothing when none does.
std::optional<double> choose_dose(Lab& lab, const Inside& inside, const std::vector<SideEffects>& table);

// Does each hook really do what it says? Throws Error(engine) when a shift is off by more than 1e-3, when
// something changed below the hook, or when a push changed nothing.
std::vector<Manipulated> check_manipulations(Lab& lab, const std::vector<Arm>& arms);

}  // namespace sonder::study
