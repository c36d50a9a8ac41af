// Does an item (an instrument) treat two groups alike at equal ability? Differential item functioning.
// Values must be finite (Error(bad_input) otherwise); results never hold NaN.
#pragma once

#include <span>
#include <vector>

#include "stats/estimate.h"

namespace sonder::stats {

enum class DifClass { negligible, moderate, large };  // A, B, C

// One stratum of equal ability. Counts, whole or weighted.
struct Stratum {
  double reference_right = 0, reference_wrong = 0, focal_right = 0, focal_wrong = 0;
};

// Common odds ratio over strata, reference against focal, with the interval of Robins, Breslow and Greenland;
// p: the continuity-corrected chi-square test of odds ratio 1. delta: -2.35 ln(odds), above 0 when the item
// favours the focal group; its class by size alone: |delta| < 1, < 1.5, more. n_units: answers in strata that
// hold both groups. Strata with one group or one answer carry no information. An odds ratio of 0 or infinity,
// or no informative stratum: undefined. Source: [Robins1986], [Holland1988], methods.md 4.6.
struct MantelHaenszel {
  Estimate odds;
  double log_odds = 0, log_odds_se = 0;
  double chi2 = 0;
  double delta = 0;
  DifClass dif = DifClass::negligible;  // when odds.usable()
  int n_strata = 0;                     // informative ones
};
MantelHaenszel mantel_haenszel(std::span<const Stratum> strata);

// The same from single answers [n]: right 0 or 1, focal 0 or 1, stratum any label (the rest score, say).
MantelHaenszel mantel_haenszel(std::span<const int> right, std::span<const int> focal,
                               std::span<const int> stratum);

// Graded scores: cumulative logits, score ~ ability + focal + ability × focal. score: [n] any ordered levels;
// ability: [n]; focal: [n] 0 or 1. uniform: log-odds of a higher score in the focal group at equal ability
// (p: likelihood ratio against ability alone); nonuniform: the interaction, per standard deviation of ability
// (p: against uniform). p: both together, 2 df. gain: growth of Nagelkerke's R² from ability alone to all;
// dif: by its size, < .035, < .07, more. Fewer than two levels, one group, constant ability, or separated
// groups (no finite maximum): undefined; n < 30: refused. Source: [McCullagh1980], [Zumbo1999], [Jodoin2001],
// methods.md 4.6.
struct OrdinalDif {
  Estimate uniform, nonuniform;
  double chi2 = 0, p = 1;
  double gain = 0;
  DifClass dif = DifClass::negligible;
};
OrdinalDif ordinal_dif(std::span<const int> score, std::span<const double> ability,
                       std::span<const int> focal);

}  // namespace sonder::stats
