// How often the verdict lattice says each word when the truth is known: the operating characteristics of a
// plan, by simulation. Source: methods.md 7.4.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/progress.h"
#include "base/seed.h"
#include "study/verdict.h"

namespace sonder::study {

// One instrument, one effect. All in units of the natural gap, whose mean is 1.
struct Assumed {
  int n_scenarios = 60;
  double theta = 0;  // the true share of the gap
  double ladder_step =
      0;  // between adjacent levels of the supportive ladder; 0: the instrument is blind there
  double effect_sd = 0.45;
  double gap_sd = 0.35;
  double ladder_sd = 0.35;
  int levels = 4;
  double within_p = 0.01;            // gate V2: Page's p below this,
  double within_concordance = 0.55;  // and the lower end of the concordance above that
  bool operator==(const Assumed&) const = default;
};

// Shares of the runs, summing to 1, by the word of `rule`: UNMEASURABLE, INCONCLUSIVE, NO_EFFECT_EQUIVALENT,
// TRIVIAL, PARTIAL, REVERSED. One instrument can never rule CONTROLS; `controls_level` is the share of runs
// with its interval above tau, which `rule` calls PARTIAL.
struct Operating {
  std::map<std::string, double> share;
  double controls_level = 0;
  double of(const std::string& word) const;  // 0 where it was never said
  double partial() const;                    // PARTIAL below tau
};

// Independent normal scenarios; the gates are Fieller's g < 1 and V2; every side condition is met. Run r
// depends on the seed and r alone. A share p has standard error sqrt(p (1 - p) / runs). n_scenarios >= 2,
// levels >= 2, spreads >= 0, runs >= 1: Error(bad_input) otherwise.
Operating operate(const Assumed& assumed, const Limits& limits, Seed seed, int runs = 3000);

// One line of a table of operating characteristics.
struct Outlook {
  Assumed assumed;
  Operating operating;
};

// operate() for every design of a table: a row depends on its design, the seed and the runs, never on its
// neighbours. Throws Error(cancelled) when asked to stop.
std::vector<Outlook> outlooks(std::span<const Assumed> designs, const Limits& limits, Seed seed, int runs,
                              const OnProgress& progress, const Cancel& cancel);

}  // namespace sonder::study
