#include "stats/roc.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"
#include "stats/order.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;

struct Sample {
  Values score;
  std::vector<char> high;
  std::vector<int> cluster;
  Scored rows() const { return {score, high, cluster}; }
  Values of(char which) const {
    Values out;
    for (std::size_t i = 0; i < score.size(); ++i)
      if (high[i] == which) out.push_back(score[i]);
    return out;
  }
};

// Clusters with a topic of their own, `each` texts of each class.
Sample draw(Stream& stream, int clusters, int each, double gap, double topic) {
  Sample s;
  for (int c = 0; c < clusters; ++c) {
    const double shared = topic * stream.normal();
    for (int i = 0; i < 2 * each; ++i) {
      s.high.push_back(i % 2 == 0 ? 1 : 0);
      s.score.push_back(shared + (i % 2 == 0 ? gap : 0) + stream.normal());
      s.cluster.push_back(c);
    }
  }
  return s;
}

TEST(DeLongUnpaired, IsThePairedTestWithoutTheCovariance) {
  const Values high1 = {.9, .8, .7, .55, .4};
  const Values low1 = {.6, .5, .5, .3, .2, .1};
  const Values high2 = {.6, .9, .5, .5, .7};
  const Values low2 = {.4, .65, .3, .5, .2, .55};
  const DeLongUnpaired found = delong_unpaired(high1, low1, high2, low2);
  const DeLongPair pair = delong_paired(high1, low1, high2, low2);
  EXPECT_NEAR(found.var1, pair.var1, 1e-14);
  EXPECT_NEAR(found.var2, pair.var2, 1e-14);
  EXPECT_NEAR(found.t, (pair.a1 - pair.a2) / std::sqrt(pair.var1 + pair.var2), 1e-12);
  EXPECT_EQ(found.difference.status, Status::ok);
}

TEST(DeLongUnpaired, HandlesItsEdges) {
  const Values some = {1, 2, 3};
  EXPECT_EQ(delong_unpaired(some, Values{}, some, some).difference.status, Status::undefined);
  EXPECT_EQ(delong_unpaired(some, Values{0}, some, some).difference.status, Status::refused);
  EXPECT_EQ(delong_unpaired(Values{5, 6}, Values{1, 2}, Values{5, 6}, Values{1, 2}).difference.p, 1);
  EXPECT_EQ(delong_unpaired(Values{5, 6}, Values{1, 2}, Values{1, 2}, Values{5, 6}).difference.status,
            Status::undefined);
  EXPECT_THROW(delong_unpaired(Values{std::nan("")}, some, some, some), Error);
}

TEST(ClusteredAuroc, OfSingletonsIsNearlyDeLong) {  // classes never share a cluster
  Stream stream(Seed(1).child("singletons"));
  Sample s = draw(stream, 200, 1, .8, 0);
  for (std::size_t i = 0; i < s.cluster.size(); ++i) s.cluster[i] = static_cast<int>(i);
  const Estimate clustered = clustered_auroc(s.rows());
  const Estimate plain = delong(s.of(1), s.of(0));
  EXPECT_NEAR(clustered.value, plain.value, 1e-12);
  EXPECT_NEAR(clustered.se, plain.se, 1e-10);
}

TEST(ClusteredAuroc, CoversTheTruthWhereDeLongDoesNot) {
  Stream stream(Seed(2).child("coverage"));
  const double truth = .5 * std::erfc(-.5 / std::sqrt(2 * (1 + 4.)) / std::sqrt(2.));  // gap .5, topic SD 2
  int inside = 0;
  int drawn = 0;
  int naive = 0;
  const int n_runs = 200;
  for (int run = 0; run < n_runs; ++run) {
    Sample s;  // each cluster has one class only: a topic effect widens everything
    for (int c = 0; c < 40; ++c) {
      const double shared = 2 * stream.normal();
      for (int i = 0; i < 4; ++i) {
        s.high.push_back(c % 2 == 0 ? 1 : 0);
        s.score.push_back(shared + (c % 2 == 0 ? .5 : 0) + stream.normal());
        s.cluster.push_back(c);
      }
    }
    const auto holds = [&](const Estimate& e) { return e.ci95.low < truth && truth < e.ci95.high ? 1 : 0; };
    inside += holds(clustered_auroc(s.rows()));
    drawn += holds(bootstrap_auroc(s.rows(), Seed(static_cast<std::uint64_t>(run)), 300));
    naive += holds(delong(s.of(1), s.of(0)));
  }
  EXPECT_GT(inside / double(n_runs), .90);
  EXPECT_GT(drawn / double(n_runs), .88);
  EXPECT_LT(naive / double(n_runs), .80);
}

TEST(BootstrapAuroc, AgreesWithObuchowski) {
  Stream stream(Seed(3).child("two routes"));
  const Sample s = draw(stream, 80, 3, .7, 1);
  const Estimate formula = clustered_auroc(s.rows());
  const Estimate drawn = bootstrap_auroc(s.rows(), Seed(4), 2000);
  EXPECT_NEAR(drawn.value, formula.value, 1e-12);
  EXPECT_NEAR(drawn.se, formula.se, .1 * formula.se);
  EXPECT_NEAR(drawn.ci95.low, formula.ci95.low, .02);
  EXPECT_LT(drawn.p, .01);
}

TEST(BootstrapAuroc, HandlesItsEdges) {
  const Values score = {3, 4, 1, 2};
  const std::vector<char> both = {1, 1, 0, 0};
  const std::vector<char> one = {1, 1, 1, 1};
  const std::vector<int> apart = {1, 2, 1, 2};
  const std::vector<int> same = {1, 1, 1, 1};
  for (const auto& estimate :
       {bootstrap_auroc({score, both, apart}, Seed(0)), clustered_auroc({score, both, apart})}) {
    EXPECT_EQ(estimate.value, 1);
    EXPECT_EQ(estimate.status, Status::flagged);
    EXPECT_LT(estimate.ci95.low, .5);  // two clusters show little
    EXPECT_EQ(estimate.ci95.high, 1);
  }
  EXPECT_EQ(bootstrap_auroc({score, one, apart}, Seed(0)).status, Status::undefined);
  EXPECT_EQ(clustered_auroc({score, one, apart}).status, Status::undefined);
  EXPECT_EQ(bootstrap_auroc({score, both, same}, Seed(0)).status, Status::undefined);
  EXPECT_EQ(clustered_auroc({score, both, same}).status, Status::undefined);
  EXPECT_THROW(clustered_auroc({score, both, std::vector<int>{1}}), Error);
  EXPECT_EQ(bootstrap_auroc({Values{}, std::vector<char>{}, std::vector<int>{}}, Seed(0)).status,
            Status::undefined);
}

TEST(WithinConcordance, IsBlindToTopic) {  // the topic swamps the pooled area, not the one within
  Stream stream(Seed(5).child("topic"));
  const Sample s = draw(stream, 60, 1, 1.5, 8);
  const Estimate within = within_concordance(s.rows());
  EXPECT_GT(within.value, .75);
  EXPECT_LT(clustered_auroc(s.rows()).value, .65);
  const Estimate pairs = concordance(s.of(1), s.of(0));
  EXPECT_EQ(within.value, pairs.value);
  EXPECT_EQ(within.ci95, pairs.ci95);
}

TEST(WithinConcordance, LeavesOutClustersWithoutPairsAndSaysSo) {
  const Values score = {3, 1, 4, 1, 9};
  const std::vector<char> high = {1, 0, 1, 0, 1};
  const std::vector<int> cluster = {1, 1, 2, 2, 3};
  const Estimate found = within_concordance({score, high, cluster});
  EXPECT_EQ(found.n_units, 2);
  EXPECT_EQ(found.status, Status::flagged);
  EXPECT_EQ(within_concordance({Values{}, std::vector<char>{}, std::vector<int>{}}).status,
            Status::undefined);
}

TEST(ClusteredAuroc, ATieMakesNothingSurer) {
  for (int n = 4; n < 60; n += 5) {
    Values score;
    std::vector<char> high;
    std::vector<int> cluster;
    for (int c = 0; c < n; ++c)
      for (int side = 0; side < 2; ++side) {
        score.push_back(side);
        high.push_back(side == 1);
        cluster.push_back(c);
      }
    const Scored rows{score, high, cluster};
    const Estimate all = clustered_auroc(rows);
    const Estimate all_drawn = bootstrap_auroc(rows, Seed(1), 199);
    score[1] = 0;
    EXPECT_LT(clustered_auroc(rows).ci95.low, all.ci95.low) << n;
    EXPECT_LT(bootstrap_auroc(rows, Seed(1), 199).ci95.low, all_drawn.ci95.low) << n;
  }
}

}  // namespace
}  // namespace sonder::stats
