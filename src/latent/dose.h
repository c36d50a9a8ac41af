// The fourth unit of dose: how far the next-token distribution moves. The other three (gap, norm, sd) are
// scales of a direction and live in direction.h. Source: methods.md 3.1.
#pragma once

#include <functional>

namespace sonder::latent {

// What a search for a dose may assume and where it ends. Doses in any one unit, >= 0.
struct DoseSearch {
  double target = 0.1;      // nats
  double upper = 8;         // largest dose tried
  double tolerance = 0.02;  // ends when KL is within this share of the target …
  int most_steps = 30;      // … or after so many halvings
};

struct DoseFound {
  double dose = 0;
  double kl = 0;         // at that dose
  bool reached = false;  // false: even `upper` stays below the target, and `dose` is `upper`
};

// The dose at which `kl_of(dose)` reaches the target, by bisection on [0, upper]. `kl_of` is asked for doses
// > 0 only and taken to increase; KL(0) is 0. Throws Error(bad_input) when target or upper is not positive,
// Error(engine) when `kl_of` gives a number that is negative or not finite.
DoseFound dose_for_kl(const std::function<double(double)>& kl_of, const DoseSearch& search);

}  // namespace sonder::latent
