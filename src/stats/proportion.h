// Paired yes-or-no answers. Shares of one sample are in mean.h (wilson, exact_share).
#pragma once

#include "stats/estimate.h"

namespace sonder::stats {

// Did the share change between two answers of the same units? gained: no before, yes after; lost: the other
// way round; the rest agree and say nothing. `share` = gained / (gained + lost), Clopper–Pearson, its p the
// exact one against 1/2, which decides. No discordant pair: undefined, every p is 1. Source: [McNemar1947].
struct McNemar {
  double chi2 = 0, p_chi2 = 1;
  double corrected = 0, p_corrected = 1;  // with Edwards' continuity correction
  Estimate share;
};
McNemar mcnemar(long gained, long lost);

// How much the share changed: (gained - lost) / n of n pairs, Newcombe's paired score interval without a
// continuity correction. both: yes before and after; neither: the rest. n = 0: undefined. p: exact McNemar.
// Source: [Newcombe1998].
Estimate paired_change(long both, long gained, long lost, long neither);

}  // namespace sonder::stats
