// The common designs as a list of named estimates each: what `sonder stats` prints. Chosen so that a reader
// sees the effect, its interval and the test that assumes least, side by side. Every line is one estimator of
// this room; nothing is computed here.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/seed.h"
#include "stats/agreement.h"
#include "stats/estimate.h"

namespace sonder::stats {

struct Line {
  std::string name;  // "mean difference, t"
  Estimate estimate;
  bool has_interval = true;  // false: `value` and p alone
};

struct FamilyOptions {
  Seed seed{1};
  int draws = 9999;
  std::optional<double> bound;  // of an equivalence test, in the unit of the scores; > 0
};

// The same units twice, [n] each: second - first. Mean with t, sign flip, BCa; TOST with a bound.
std::vector<Line> paired_family(std::span<const double> first, std::span<const double> second,
                                const FamilyOptions& options);

// Two independent groups: second - first. Welch's difference, AUROC; TOST with a bound.
std::vector<Line> unpaired_family(std::span<const double> first, std::span<const double> second,
                                  const FamilyOptions& options);

// Rows in clusters, [n] each. Mean with CR1 and CR2, sign flip of clusters, BCa over clusters; the mean that
// ignores the clusters, for comparison, and the intraclass correlation.
std::vector<Line> clustered_family(std::span<const double> x, std::span<const int> cluster,
                                   const FamilyOptions& options);

// Raters as columns. Krippendorff's alpha with this metric; for categories also AC1 or AC2, kappa (Fleiss;
// Cohen for two raters) and Brennan–Prediger, weighted by the metric; for complete interval scores ICC(2,1)
// and ICC(2,k).
std::vector<Line> agreement_family(const Ratings& ratings, Metric metric, const FamilyOptions& options);

// Scores of two classes; high: [n] 0 or 1. AUROC with DeLong's interval; with clusters (empty: none)
// Obuchowski's instead, and the area within clusters.
std::vector<Line> roc_family(std::span<const double> score, std::span<const char> high,
                             std::span<const int> cluster, const FamilyOptions& options);

}  // namespace sonder::stats
