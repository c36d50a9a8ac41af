// Rising with the dose: unpaired groups, and the slope of each scenario. Paired blocks are in order.h (page).
#pragma once

#include <span>
#include <vector>

#include "base/rows.h"
#include "base/seed.h"
#include "stats/estimate.h"

namespace sonder::stats {

// Jonckheere–Terpstra: do values rise from group to group? groups: low dose first, each any size, independent
// units. J counts pairs in order, ties half. `z` uses the variance without ties (as the tables do; no
// continuity correction), `z_ties` the variance given the ties. `p`, one-sided: of the exact distribution
// given the ties where that is within reach (every value has one of few places: about 60 values in three
// groups), else by `draws` permutations with the +1 rule. Fewer than two groups with values, or no spread:
// undefined, p = 1. Source: [Jonckheere1954], methods.md 3.2.
struct Jonckheere {
  double j = 0, expected = 0, variance = 0, variance_ties = 0, z = 0, z_ties = 0;
  double p_normal = 1;       // of z
  double p_normal_ties = 1;  // of z_ties
  double p = 1;
  bool exact = false;
  Status status = Status::ok;
};
Jonckheere jonckheere(std::span<const std::vector<double>> groups, Seed seed, int draws = 9999);

// The least-squares slope of y on dose in each scenario. curves: [n_units × k doses]; doses: [k], not all
// equal. After Tan et al. 2024, methods.md 3.2.
//
// Noise alone turns slopes negative. `noise_sd`: the SD of one score about its scenario's line, known from
// replicates; 0: taken from the residuals, pooled over scenarios (k >= 3, which assumes straight lines).
// Then slope_s = true_s + noise, noise variance v = noise_sd^2 / Sxx:
//   expected   the share below 0 if every scenario had the mean slope, so that noise alone made the rest
//   excess     anti_steerable - expected; interval by bootstrap over scenarios. Negative: none
//   true_share of scenarios whose true slope is below 0, true slopes being normal with what variance is left
// n < 2 or (k < 3 and noise_sd = 0): the excess is undefined and its interval spans the scale, so that it
// passes no gate by accident.
struct Slopes {
  std::vector<double> slope;  // [n_units]
  Estimate mean;              // t over scenarios
  Estimate anti_steerable;    // share of slopes below 0, Wilson; p of the exact binomial test against 1/2
  double noise_variance = 0;  // v
  double true_variance = 0;   // of the slopes, noise taken off; 0 at least
  double expected = 0;
  Estimate excess;
  double true_share = 0;
};
Slopes dose_slopes(const Numbers& curves, std::span<const double> doses, Seed seed, double noise_sd = 0,
                   int draws = 2000);

// Adjacent steps of the mean curve that fall: the one-sided p of each fall (paired t), Holm over the steps.
// `reversed`: some fall has p <= alpha. curves: [n_units × k]. n < 2 or k < 2: nothing falls. Source:
// methods.md 3.2.
struct Reversal {
  std::vector<double> step;      // [k - 1] mean change
  std::vector<double> adjusted;  // [k - 1] Holm's p that the step falls
  bool reversed = false;
};
Reversal reversal(const Numbers& curves, double alpha = 0.05);

}  // namespace sonder::stats
