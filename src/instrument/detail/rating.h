// From token probabilities to a rating. Private to the room.
#pragma once

#include <span>

#include "base/measured.h"

namespace sonder::instrument::detail {

inline constexpr double kLeastMass = 0.80;  // below it a rating is missing, never renormalised in silence

struct Rating {
  double score = 0;  // expected level
  double sd = 0;     // of the level
  double mass = 0;   // probability on any level
};

// score = sum k p_k / sum p_k. p: [levels], of the levels first_level, first_level + 1, …, not normalised.
// Missing when their sum is below kLeastMass. Source: [Liu2023] (G-Eval), methods.md 4.2.
Measured<Rating> rating_of(std::span<const double> p, int first_level);

}  // namespace sonder::instrument::detail
