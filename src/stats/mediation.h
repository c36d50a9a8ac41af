// How much of an effect runs through a mediator (length), and how much hidden confounding would undo that.
// A description, not a proof: see methods.md 3.5 for the designs that come first.
#pragma once

#include <optional>
#include <span>

#include "base/seed.h"
#include "stats/estimate.h"

namespace sonder::stats {

// Linear model, no treatment-by-mediator interaction:
//   mediator = . + a treatment ;  y = . + direct treatment + b mediator ;  indirect = a b ;  total = direct +
//   a b
// a, b, direct, total: classic errors. indirect: percentile interval over clusters drawn with replacement
// (rows, where no cluster is given); sobel_se beside it in `indirect.se`. Rows of paired designs: take the
// scenario means off first, or give differences. Source: [Baron1986], [Sobel1982], [Imai2010].
//
// Sensitivity: rho is the correlation of the two errors that a hidden common cause would make. The indirect
// effect is 0 at `rho_at_zero`; indirect_at gives it for any rho. A small |rho_at_zero| means fragile.
struct Mediation {
  Estimate a, b, direct, total, indirect;
  std::optional<double>
      proportion;  // indirect / total: only where the signs agree and total's ci95 excludes 0
  double rho_at_zero = 0;
  double sd_y = 0, sd_mediator = 0;  // of the errors of y on treatment, and of the mediator on treatment
  Status status = Status::ok;        // undefined: no spread in treatment or mediator, or fewer than 5 rows
};
Mediation mediation(std::span<const double> treatment, std::span<const double> mediator,
                    std::span<const double> y, Seed seed, int draws = 2000);
Mediation mediation(std::span<const double> treatment, std::span<const double> mediator,
                    std::span<const double> y, std::span<const int> cluster, Seed seed, int draws = 2000);

// The indirect effect if the errors correlate by rho in (-1, 1). rho = 0 is the estimate itself.
double indirect_at(const Mediation& found, double rho);

// The share of wins at equal length. win: [n] in [0, 1] (ties .5); longer: [n] how much longer the
// winner-to-be is, in any unit, centre and spread of its own; item: [n] which prompt.
//   logit P(win) = alpha + phi tanh(longer / SD) + gamma_item
// read at longer = 0 and averaged over rows. gamma (ridge 1) only where some item has two rows or more; a
// slight ridge on phi keeps it finite. Interval: percentile over items drawn with replacement. Every row won
// or lost: flagged, the exact bound. No spread of length: the raw share, flagged. n_units: items; fewer than
// two: undefined. p: against 1/2. Source: [Dubois2024], methods.md 3.5.
struct LengthControlled {
  Estimate win_rate;
  double raw = .5;  // mean of win
  double phi = 0;   // log-odds from -1 to +1 SD and beyond: how much length wins
};
LengthControlled length_controlled_win_rate(std::span<const double> win, std::span<const double> longer,
                                            std::span<const int> item, Seed seed, int draws = 1000);

}  // namespace sonder::stats
