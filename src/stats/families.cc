#include "stats/families.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "stats/cluster.h"
#include "stats/equivalence.h"
#include "stats/mean.h"
#include "stats/order.h"
#include "stats/reliability.h"
#include "stats/roc.h"
#include "stats/signflip.h"

namespace sonder::stats {
namespace {

std::vector<double> differences(std::span<const double> first, std::span<const double> second) {
  require(first.size() == second.size(), "a paired test needs as many first as second values");
  std::vector<double> d(first.size());
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = second[i] - first[i];
  return d;
}

// What TOST found, with its own p and its 90 % interval as the one that decides.
Line equivalence(const Tost& found) {
  Estimate e = found.mean;
  e.p = found.p;
  return {"equivalence, TOST", e};
}

Estimate icc_of_clusters(std::span<const double> x, std::span<const int> cluster) {
  const DesignEffect found = design_effect(x, cluster);
  Estimate e;
  e.value = found.icc;
  e.status = found.status;
  if (!e.usable()) e.warnings = {"no cluster has two rows, or nothing varies"};
  e.n_units = static_cast<int>(std::set<int>(cluster.begin(), cluster.end()).size());
  return e;
}

Weighting weighting_of(Metric metric) {
  if (metric == Metric::nominal) return Weighting::identity;
  return metric == Metric::ordinal ? Weighting::ordinal : Weighting::quadratic;
}

std::optional<Numbers> complete(const Ratings& ratings) {
  Numbers out(ratings.n, ratings.d);
  for (std::size_t i = 0; i < ratings.data.size(); ++i) {
    if (!ratings.data[i]) return std::nullopt;
    out.data[i] = *ratings.data[i];
  }
  return out;
}

}  // namespace

std::vector<Line> paired_family(std::span<const double> first, std::span<const double> second,
                                const FamilyOptions& o) {
  const auto d = differences(first, second);
  std::vector<Line> out = {{"mean difference, t", mean(d)},
                           {"the same by sign flips", sign_flip_interval(d, o.seed.child("flips"), o.draws)},
                           {"the same by BCa", bca_mean(d, o.seed.child("bca"), o.draws)}};
  if (o.bound) out.push_back(equivalence(tost(d, *o.bound)));
  return out;
}

std::vector<Line> unpaired_family(std::span<const double> first, std::span<const double> second,
                                  const FamilyOptions& o) {
  const WelchTost found = welch_tost(second, first, o.bound.value_or(1));  // the interval needs no bound
  std::vector<Line> out = {{"difference of means, Welch", found.tost.mean},
                           {"AUROC, DeLong (p against .5)", delong(second, first)}};
  if (o.bound) out.push_back(equivalence(found.tost));
  return out;
}

std::vector<Line> clustered_family(std::span<const double> x, std::span<const int> cluster,
                                   const FamilyOptions& o) {
  return {{"mean, CR1", clustered_mean(x, cluster, ClusterError::cr1).mean},
          {"mean, CR2 (few clusters)", clustered_mean(x, cluster, ClusterError::cr2).mean},
          {"mean by sign flips of clusters", sign_flip_interval(x, cluster, o.seed.child("flips"), o.draws)},
          {"mean by BCa over clusters", bca_mean(x, cluster, o.seed.child("bca"), o.draws)},
          {"mean as if rows were independent", mean(x)},
          {"intraclass correlation", icc_of_clusters(x, cluster), false}};
}

std::vector<Line> agreement_family(const Ratings& ratings, Metric metric, const FamilyOptions& o) {
  std::vector<Line> out = {{"Krippendorff's alpha", krippendorff(ratings, metric, o.seed, o.draws)}};
  const Weighting weights = weighting_of(metric);
  if (metric == Metric::nominal || metric == Metric::ordinal) {
    out.push_back({metric == Metric::nominal ? "Gwet's AC1" : "Gwet's AC2",
                   agreement(ratings, Chance::gwet, weights).estimate});
    const bool two = ratings.d == 2;
    out.push_back({two ? "Cohen's kappa" : "Fleiss' kappa",
                   agreement(ratings, two ? Chance::cohen : Chance::fleiss, weights).estimate});
    out.push_back({"Brennan–Prediger", agreement(ratings, Chance::brennan_prediger, weights).estimate});
  } else if (const auto scores = complete(ratings)) {
    out.push_back({"ICC(2,1), one rater", icc(*scores, IccForm::two_single)});
    out.push_back({"ICC(2,k), the mean of all", icc(*scores, IccForm::two_mean)});
  }
  return out;
}

std::vector<Line> roc_family(std::span<const double> score, std::span<const char> high,
                             std::span<const int> cluster, const FamilyOptions& o) {
  require(score.size() == high.size(), "every score needs a class");
  if (!cluster.empty()) {
    const Scored rows{score, high, cluster};
    return {{"AUROC, Obuchowski (p against .5)", clustered_auroc(rows)},
            {"the same, bootstrap of clusters", bootstrap_auroc(rows, o.seed, std::min(o.draws, 2000))},
            {"within clusters", within_concordance(rows)}};
  }
  std::vector<double> above, below;
  for (std::size_t i = 0; i < score.size(); ++i) (high[i] != 0 ? above : below).push_back(score[i]);
  return {{"AUROC, DeLong (p against .5)", delong(above, below)}};
}

}  // namespace sonder::stats
