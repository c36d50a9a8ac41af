// Separation when observations are not independent, and of two separate samples. Independent and paired
// curves are in order.h.
#pragma once

#include <span>

#include "base/seed.h"
#include "stats/estimate.h"

namespace sonder::stats {

// AUROC of two separate samples: a1 - a2, t with Welch's df over all observations, as pROC. A class without
// two observations: refused; empty: undefined. No spread in either: undefined where they differ, else p = 1.
// Source: [DeLong1988].
struct DeLongUnpaired {
  double a1 = 0, a2 = 0, var1 = 0, var2 = 0, t = 0, df = 0;
  Estimate difference;
};
DeLongUnpaired delong_unpaired(std::span<const double> high1, std::span<const double> low1,
                               std::span<const double> high2, std::span<const double> low2);

// Scores of rows that share clusters; high: [n], true for the class that should score higher.
struct Scored {
  std::span<const double> score;
  std::span<const char> high;  // [n] 0 or 1
  std::span<const int> cluster;
};

// AUROC over all rows with Obuchowski's error for clusters: logit interval, p against 1/2 by the normal.
// n_units: clusters. Fewer than two clusters with a class, or no spread: flagged, the exact bound of as many
// units as clusters. An empty class or one cluster: undefined. Source: [Obuchowski1997].
Estimate clustered_auroc(const Scored& rows);

// The same area, percentile interval from whole clusters drawn with replacement. Draws that lose a class are
// left out and counted. p: two-sided against 1/2 by the share of draws, at least 2/(draws+1). O(n) a draw.
Estimate bootstrap_auroc(const Scored& rows, Seed seed, int draws = 2000);

// AUROC within each cluster that has both classes, averaged over clusters: what topic cannot explain. As
// `concordance`, which is its case of one pair per cluster. n_units: clusters with both classes. Source:
// methods.md 2.4.
Estimate within_concordance(const Scored& rows);

}  // namespace sonder::stats
