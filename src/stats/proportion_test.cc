#include "stats/proportion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"
#include "base/seed.h"
#include "stats/detection.h"
#include "stats/equivalence.h"
#include "stats/multiple.h"

namespace sonder::stats {
namespace {

TEST(McNemar, OfNoDiscordantPairIsUndefined) {
  const McNemar none = mcnemar(0, 0);
  EXPECT_EQ(none.share.status, Status::undefined);
  EXPECT_EQ(none.p_chi2, 1);
  EXPECT_EQ(none.chi2, 0);
  EXPECT_EQ(mcnemar(1, 0).corrected, 0);
  EXPECT_THROW(mcnemar(-1, 3), Error);
}

TEST(PairedChange, MatchesNewcombe) {  // Newcombe 1998, Statistics in Medicine 17, 2635, table II, method 10
  const Estimate found = paired_change(36, 12, 2, 0);
  EXPECT_NEAR(found.value, .2, 1e-12);
  EXPECT_NEAR(found.ci95.low, .0569, 5e-5);
  EXPECT_NEAR(found.ci95.high, .3404, 5e-5);
}

TEST(PairedChange, CoversTheTruthAsOftenAsItSays) {
  Stream stream(Seed(1).child("paired shares"));
  int inside = 0;
  const int n_runs = 1500;
  for (int run = 0; run < n_runs; ++run) {
    long cell[4] = {0, 0, 0, 0};
    for (int i = 0; i < 60; ++i) {
      const double u = stream.uniform();
      ++cell[u < .45 ? 0 : u < .65 ? 1 : u < .75 ? 2 : 3];
    }
    const Interval ci = paired_change(cell[0], cell[1], cell[2], cell[3]).ci95;
    inside += ci.low < .1 && .1 < ci.high ? 1 : 0;
  }
  EXPECT_NEAR(inside / double(n_runs), .95, .017);
}

TEST(PairedChange, HandlesItsEdges) {
  EXPECT_EQ(paired_change(0, 0, 0, 0).status, Status::undefined);
  const Estimate all = paired_change(0, 9, 0, 0);
  EXPECT_EQ(all.value, 1);
  EXPECT_LT(all.ci95.low, 1);
  EXPECT_LE(all.ci95.high, 1);
  EXPECT_EQ(paired_change(9, 0, 0, 0).p, 1);
}

TEST(SignalDetection, IsNeverInfinite) {
  EXPECT_TRUE(std::isfinite(yes_no(20, 20, 0, 20).dprime.ci95.high));
  EXPECT_EQ(yes_no(0, 0, 3, 10).dprime.status, Status::undefined);
  EXPECT_EQ(dprime_2afc(0, 0).status, Status::undefined);
  EXPECT_TRUE(std::isfinite(dprime_2afc(10, 10).ci95.high));
  EXPECT_THROW(dprime_2afc(1.0), Error);
  EXPECT_THROW(yes_no(1.0, .2), Error);
  EXPECT_THROW(yes_no(3, 2, 1, 2), Error);
  EXPECT_NEAR(yes_no(.8, .2).criterion.value, 0, 1e-15);
}

TEST(SignalDetection, CannotBeRaisedByGenerosity) {  // saying yes more often moves c, not d'
  Stream stream(Seed(2).child("criterion"));
  const auto answer = [&](double lean) {
    long hits = 0;
    long alarms = 0;
    for (int i = 0; i < 4000; ++i) {
      hits += stream.normal() + 1 > lean ? 1 : 0;
      alarms += stream.normal() > lean ? 1 : 0;
    }
    return yes_no(hits, 4000, alarms, 4000);
  };
  const YesNo strict = answer(1.2);
  const YesNo generous = answer(-.2);
  EXPECT_NEAR(strict.dprime.value, 1, 3 * strict.dprime.se);
  EXPECT_NEAR(generous.dprime.value, 1, 3 * generous.dprime.se);
  EXPECT_GT(strict.criterion.value, .5);
  EXPECT_LT(generous.criterion.value, -.5);
}

TEST(SignalDetection, IntervalsCoverTheTruth) {
  Stream stream(Seed(3).child("coverage"));
  int inside = 0;
  int forced = 0;
  const int n_runs = 1000;
  for (int run = 0; run < n_runs; ++run) {
    long hits = 0;
    long alarms = 0;
    long right = 0;
    for (int i = 0; i < 80; ++i) {
      hits += stream.normal() + 1 > .5 ? 1 : 0;
      alarms += stream.normal() > .5 ? 1 : 0;
      right += stream.normal() + 1 > stream.normal() ? 1 : 0;
    }
    const Interval one = yes_no(hits, 80, alarms, 80).dprime.ci95;
    const Interval two = dprime_2afc(right, 80).ci95;
    inside += one.low < 1 && 1 < one.high ? 1 : 0;
    forced += two.low < 1 && 1 < two.high ? 1 : 0;
  }
  EXPECT_NEAR(inside / double(n_runs), .95, .021);
  EXPECT_NEAR(forced / double(n_runs), .95, .021);
}

TEST(Equivalence, OfPairsAndGroupsAreTheSameTestsAsFromSummaries) {
  const std::vector<double> a = {1, 2, 3, 4, 5, 7};
  const std::vector<double> b = {1, 3, 2, 4, 6, 7};
  EXPECT_EQ(tost_paired(a, b, .8).p, tost(std::vector<double>{0, -1, 1, 0, -1, 0}, .8).p);
  EXPECT_THROW(tost_paired(a, std::vector<double>{1}, .8), Error);
  EXPECT_EQ(tost_paired(std::vector<double>{1, 2}, std::vector<double>{2, 1}, 1).mean.status,
            Status::refused);
  EXPECT_EQ(welch_tost(std::vector<double>{1, 2}, b, 1).tost.mean.status, Status::refused);
  EXPECT_FALSE(welch_tost(a, b, .5).tost.equivalent);
  EXPECT_TRUE(welch_tost(a, b, 50).tost.equivalent);
}

TEST(EBenjaminiHochberg, RejectsTheLargestThatTogetherSuffice) {
  const std::vector<double> e = {100, 1, 30, 45, 0};  // m / (alpha k): 100, 50, 33.3, 25, 20
  EXPECT_EQ(e_benjamini_hochberg(e), (std::vector<bool>{true, false, false, false, false}));
  EXPECT_EQ(e_benjamini_hochberg(std::vector<double>{100, 1, 34, 45, 0}),
            (std::vector<bool>{true, false, true, true, false}));
  EXPECT_EQ(e_adjusted(e)[0], .05);
  EXPECT_EQ(e_adjusted(e)[4], 1);
  EXPECT_TRUE(e_benjamini_hochberg(std::vector<double>{std::numeric_limits<double>::infinity()})[0]);
  EXPECT_TRUE(e_benjamini_hochberg(std::vector<double>{}).empty());
  EXPECT_THROW(e_benjamini_hochberg(std::vector<double>{-1}), Error);
  EXPECT_THROW(e_benjamini_hochberg(std::vector<double>{std::nan("")}), Error);
  EXPECT_THROW(bonferroni(std::vector<double>{2}), Error);
}

}  // namespace
}  // namespace sonder::stats
