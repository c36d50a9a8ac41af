#include "stats/mean.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;
constexpr double kGolden = 1e-6;  // methods.md 10: relative, and the goldens here are of order one
constexpr double kRounding = 1e-12;

Values normals(Stream& stream, std::size_t n, double mean, double sd) {
  Values x(n);
  for (double& value : x) value = mean + sd * stream.normal();
  return x;
}

void expect_interval(Interval found, double low, double high, double tolerance) {
  EXPECT_NEAR(found.low, low, tolerance);
  EXPECT_NEAR(found.high, high, tolerance);
}

const Values kMaize = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};

// ---- mean

TEST(Mean, MatchesDarwinsMaize) {  // methods.md M17; Fisher, Design of Experiments, 1935
  const Estimate estimate = mean(kMaize);
  EXPECT_NEAR(estimate.value, 314.0 / 15, kRounding);
  EXPECT_NEAR(estimate.value / estimate.se, 2.1479875, kGolden);
  EXPECT_NEAR(estimate.p, .0497029, 1e-7);
  EXPECT_EQ(estimate.n_units, 15);
  EXPECT_EQ(estimate.status, Status::ok);
}

TEST(Mean, OfOneUnitHasNoInterval) {
  const Estimate one = mean(Values{3});
  EXPECT_EQ(one.status, Status::undefined);
  EXPECT_EQ(one.value, 3);
  EXPECT_EQ(one.ci95.high, std::numeric_limits<double>::max());
  EXPECT_FALSE(one.usable());
  EXPECT_EQ(mean(Values{}).status, Status::undefined);
}

TEST(Mean, WithoutSpreadIsFlaggedAndNeverReportsAZeroP) {
  const double other = .1 + .2;  // not .3 to the last bit: rounding must not pass for spread
  const Estimate same = mean(Values{.3, other, .3, other, .3, other, .3, .3});
  EXPECT_EQ(same.status, Status::flagged);
  EXPECT_EQ(same.se, 0);
  EXPECT_EQ(same.p, std::exp2(-7));
  EXPECT_EQ(mean(Values(8, 0.0)).p, 1);
  EXPECT_GT(mean(Values(5000, 1.0)).p, 0);
  EXPECT_GT(tost(Values(5000, 1.0), 2).p, 0);
}

TEST(Mean, RefusesWhatIsNotANumber) {
  EXPECT_THROW(mean(Values{1, std::nan("")}), Error);
  EXPECT_THROW(mean(Values{1, std::numeric_limits<double>::infinity()}), Error);
}

TEST(Mean, TooLargeToSquareIsUndefinedNotNaN) {
  EXPECT_EQ(mean(Values{1e300, -1e300, 1e307}).status, Status::undefined);
  EXPECT_EQ(mean(Values{1.7e308, 1.7e308}).status, Status::undefined);
}

TEST(Mean, CoversTheTruthAsOftenAsItSays) {
  Stream stream(Seed(1).child("mean coverage"));
  int inside95 = 0;
  int inside90 = 0;
  const int n_runs = 2000;
  for (int run = 0; run < n_runs; ++run) {
    const Estimate estimate = mean(normals(stream, 12, 0.3, 0.8));
    inside95 += estimate.ci95.low < 0.3 && 0.3 < estimate.ci95.high ? 1 : 0;
    inside90 += estimate.ci90.low < 0.3 && 0.3 < estimate.ci90.high ? 1 : 0;
  }
  EXPECT_NEAR(inside95 / double{n_runs}, .95, .015);  // three standard errors
  EXPECT_NEAR(inside90 / double{n_runs}, .90, .020);
}

TEST(Mean, AddsAMillionRowsWithoutDrift) { EXPECT_NEAR(mean(Values(1000000, 0.1)).value, 0.1, 1e-16); }

// ---- quantile

TEST(Quantile7, MatchesRsDefault) {  // R: quantile(c(1, 2, 4, 8), c(.1, .5, .9)) = 1.3, 3, 6.8
  const Values x = {8, 1, 4, 2};
  EXPECT_NEAR(quantile7(x, .1), 1.3, kRounding);
  EXPECT_NEAR(quantile7(x, .5), 3, kRounding);
  EXPECT_NEAR(quantile7(x, .9), 6.8, kRounding);
  EXPECT_EQ(quantile7(x, 0), 1);
  EXPECT_EQ(quantile7(x, 1), 8);
  EXPECT_THROW(quantile7(Values{}, .5), Error);
  EXPECT_THROW(quantile7(x, 1.1), Error);
}

// ---- clustered mean

const Values kScores = {.2, .5, .1, .4, .9, .7, .8, .3, .6, 0, .2, -.1, .1, .5, .4};
const std::vector<int> kClusters = {7, 7, 7, 7, 2, 2, 2, 9, 9, 1, 1, 1, 1, 4, 4};  // labels are only labels

TEST(ClusteredMean, MatchesTheWorkedExample) {  // methods.md M29
  EXPECT_NEAR(mean(kScores).value, .3733333, 1e-7);
  EXPECT_NEAR(mean(kScores).se, .0765112, 1e-7);
  EXPECT_NEAR(clustered_mean(kScores, kClusters, ClusterError::cr0).mean.se, .1237233, 1e-7);
  const Estimate cr1 = clustered_mean(kScores, kClusters);
  EXPECT_NEAR(cr1.se, .1383269, 1e-7);
  EXPECT_EQ(cr1.n_units, 5);
  const ClusteredMean cr2 = clustered_mean(kScores, kClusters, ClusterError::cr2);
  EXPECT_NEAR(cr2.mean.se, .1414301, 1e-7);
  EXPECT_NEAR(cr2.df, 3.61, .005);
}

TEST(ClusteredMean, OfSingletonsIsThePlainMean) {
  Stream stream(Seed(2).child("singletons"));
  for (int round = 0; round < 50; ++round) {
    const Values x = normals(stream, 2 + stream.below(30), 1, 2);
    std::vector<int> own(x.size());
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<int>(i);
    const Estimate plain = mean(x);
    for (const ClusterError how : {ClusterError::cr1, ClusterError::cr2}) {
      const ClusteredMean clustered = clustered_mean(x, own, how);
      EXPECT_NEAR(clustered.mean.se, plain.se, 1e-12 * plain.se) << "round " << round;
      EXPECT_NEAR(clustered.df, static_cast<double>(x.size()) - 1, 1e-9) << "round " << round;
      EXPECT_NEAR(clustered.mean.p, plain.p, 1e-9) << "round " << round;
    }
  }
}

TEST(ClusteredMean, DoesNotDependOnTheOrderOfRows) {
  Values x(kScores.rbegin(), kScores.rend());
  std::vector<int> cluster(kClusters.rbegin(), kClusters.rend());
  EXPECT_NEAR(clustered_mean(x, cluster).se, clustered_mean(kScores, kClusters).se, kRounding);
}

TEST(ClusteredMean, OfOneClusterIsUndefined) {  // methods.md 5.10: not 0
  const Estimate one = clustered_mean(Values{1, 2, 3}, std::vector<int>{5, 5, 5});
  EXPECT_EQ(one.status, Status::undefined);
  EXPECT_EQ(one.value, 2);
  EXPECT_THROW(clustered_mean(Values{1, 2}, std::vector<int>{1}), Error);
}

TEST(ClusteredMean, IsNotFooledByCopies) {  // each scenario ten times: no more certain than once
  Stream stream(Seed(3).child("copies"));
  const Values once = normals(stream, 20, 0, 1);
  Values copied;
  std::vector<int> cluster;
  for (std::size_t i = 0; i < once.size(); ++i) {
    for (int copy = 0; copy < 10; ++copy) {
      copied.push_back(once[i]);
      cluster.push_back(static_cast<int>(i));
    }
  }
  EXPECT_NEAR(clustered_mean(copied, cluster).se, mean(once).se, kRounding);
  EXPECT_LT(mean(copied).se, mean(once).se / 3);
}

// ---- Fieller

const Values kShift = {.4, .3, .3, .2, .7, .1};
const Values kGap = {2.1, 2.2, 1.9, 2.2, 2.2, 1.9};

TEST(Fieller, MatchesTheWorkedExample) {  // methods.md M35
  const Ratio ratio = fieller(kShift, kGap);
  EXPECT_NEAR(ratio.theta.value, .16, kRounding);
  EXPECT_NEAR(ratio.fieller_g, .0054978, 1e-7);
  expect_interval(ratio.theta.ci95, .0579536, .2563312, 1e-7);
  expect_interval(ratio.theta.ci90, .0805900, .2359055, 1e-7);
  EXPECT_EQ(ratio.theta.status, Status::ok);
}

TEST(Fieller, SaysSoWhenTheAnchorsAreNotToldApart) {  // methods.md M35, second part
  const Ratio ratio = fieller(kShift, Values{.2, -.3, .5, -.1, .4, .1});
  EXPECT_NEAR(ratio.fieller_g, 5.62, .005);
  EXPECT_EQ(ratio.theta.status, Status::unbounded);
  EXPECT_FALSE(ratio.theta.usable());
  // An interval read by mistake must not look like "no effect".
  EXPECT_LT(ratio.theta.ci90.low, -1e300);
  EXPECT_GT(ratio.theta.ci90.high, 1e300);
}

TEST(Fieller, RefusesFewScenariosAndNoGap) {  // methods.md 5.10
  EXPECT_EQ(fieller(Values{1, 2, 1, 2, 1}, Values{4, 4, 5, 4, 5}).theta.status, Status::refused);
  EXPECT_EQ(fieller(Values{}, Values{}).theta.status, Status::undefined);
  EXPECT_EQ(fieller(Values(6, 1.0), Values(6, 0.0)).theta.status, Status::undefined);
  EXPECT_THROW(fieller(Values{1, 2}, Values{1}), Error);
}

TEST(Fieller, WithoutAnyShiftIsExactlyZero) {
  const Ratio ratio = fieller(Values(6, 0.0), kGap);
  EXPECT_EQ(ratio.theta.value, 0);
  EXPECT_EQ(ratio.theta.p, 1);
  EXPECT_EQ(ratio.theta.status, Status::flagged);
  expect_interval(ratio.theta.ci95, 0, 0, 0);
}

TEST(Fieller, WithAConstantGapIsTheScaledMean) {
  const Ratio ratio = fieller(kShift, Values(6, 2.0));
  const Estimate plain = mean(kShift);
  EXPECT_EQ(ratio.fieller_g, 0);
  expect_interval(ratio.theta.ci95, plain.ci95.low / 2, plain.ci95.high / 2, kRounding);
}

TEST(Fieller, TurnsAnUpsideDownScoreRoundAndSaysSo) {
  Values shift = kShift;
  Values gap = kGap;
  for (double& value : shift) value = -value;
  for (double& value : gap) value = -value;
  const Ratio turned = fieller(shift, gap);
  EXPECT_EQ(turned.theta.status, Status::flagged);
  expect_interval(turned.theta.ci95, .0579536, .2563312, 1e-7);
}

TEST(Fieller, DoesNotDependOnTheUnitOfTheScore) {
  Stream stream(Seed(4).child("fieller scale"));
  for (int round = 0; round < 100; ++round) {
    Values shift = normals(stream, 6 + stream.below(20), .4, .4);
    Values gap = normals(stream, shift.size(), 1.5, .3);
    const Ratio plain = fieller(shift, gap);
    const double unit = std::exp(4 * stream.normal());
    for (double& value : shift) value *= unit;
    for (double& value : gap) value *= unit;
    const Ratio scaled = fieller(shift, gap);
    EXPECT_NEAR(scaled.theta.value, plain.theta.value, 1e-10) << "round " << round;
    EXPECT_NEAR(scaled.fieller_g, plain.fieller_g, 1e-10) << "round " << round;
    EXPECT_EQ(scaled.theta.status, plain.theta.status) << "round " << round;
    if (!plain.theta.usable()) continue;
    EXPECT_NEAR(scaled.theta.ci95.low, plain.theta.ci95.low, 1e-9) << "round " << round;
    EXPECT_NEAR(scaled.theta.ci95.high, plain.theta.ci95.high, 1e-9) << "round " << round;
  }
}

TEST(Fieller, HoldsZeroExactlyWhenTheShiftIsNotSignificant) {
  Stream stream(Seed(5).child("fieller zero"));
  int significant = 0;
  for (int round = 0; round < 200; ++round) {
    const Values shift = normals(stream, 15, .25, .5);
    const Ratio ratio = fieller(shift, normals(stream, 15, 1, .3));
    ASSERT_TRUE(ratio.theta.usable());
    EXPECT_EQ(ratio.theta.ci95.low > 0 || ratio.theta.ci95.high < 0, ratio.theta.p < .05)
        << "round " << round;
    significant += ratio.theta.p < .05 ? 1 : 0;
  }
  EXPECT_GT(significant, 40);  // both branches were walked
  EXPECT_LT(significant, 160);
}

TEST(Fieller, CoversTheTruthAsOftenAsItSays) {
  Stream stream(Seed(6).child("fieller coverage"));
  int inside95 = 0;
  int inside90 = 0;
  const int n_runs = 2000;
  for (int run = 0; run < n_runs; ++run) {
    Values gap = normals(stream, 20, 1, .35);
    Values shift = normals(stream, 20, .25, .45);
    for (std::size_t i = 0; i < gap.size(); ++i)
      shift[i] += .5 * (gap[i] - 1);  // paired: they share the scenario
    const Ratio ratio = fieller(shift, gap);
    inside95 += ratio.theta.ci95.low < .25 && .25 < ratio.theta.ci95.high ? 1 : 0;
    inside90 += ratio.theta.ci90.low < .25 && .25 < ratio.theta.ci90.high ? 1 : 0;
  }
  EXPECT_NEAR(inside95 / double{n_runs}, .95, .015);
  EXPECT_NEAR(inside90 / double{n_runs}, .90, .020);
}

TEST(Fieller, FindsAPlantedShareAndNoneWhereNoneIsPlanted) {
  Stream stream(Seed(7).child("fieller plant"));
  int found_none = 0;
  int found_planted = 0;
  for (int run = 0; run < 500; ++run) {
    const Values gap = normals(stream, 60, 1, .35);
    found_none += fieller(normals(stream, 60, 0, .45), gap).theta.ci95.low > 0 ? 1 : 0;
    found_planted += fieller(normals(stream, 60, .25, .45), gap).theta.ci95.low > 0 ? 1 : 0;
  }
  EXPECT_LE(found_none, 25);      // 2.5 % of 500 is 12.5
  EXPECT_GE(found_planted, 475);  // power .99 at this size
}

TEST(Fieller, NeverYieldsNaN) {
  for (const double huge : {1e-300, 1e160, 1e307, 1.7e308}) {
    const Ratio ratio = fieller(Values{huge, -huge, huge, huge, 1, 2}, Values{1, huge, 1, huge, huge, 2});
    EXPECT_TRUE(std::isfinite(ratio.theta.value) && std::isfinite(ratio.fieller_g) &&
                std::isfinite(ratio.theta.ci95.low) && std::isfinite(ratio.theta.p))
        << huge;
  }
}

// ---- equivalence

const Values kTost = {.12, -.05, .08, .02, -.11, .06, .03, -.02, .10, -.04};

TEST(Tost, MatchesTheWelchExample) {  // methods.md M15 a; Moery and Calin-Jageman 2016, TOSTER
  const double bound = .43 * std::sqrt((.95 * .95 + .83 * .83) / 2);
  EXPECT_NEAR(bound, .3835687, 1e-7);
  const WelchTost welch = welch_tost({5.25, .95, 95}, {5.22, .83, 89}, bound);
  EXPECT_NEAR(welch.df, 181.134367, kGolden);
  EXPECT_NEAR(welch.tost.t_low, 3.1497301, kGolden);
  EXPECT_NEAR(welch.tost.p_low, .000956008, 1e-9);
  EXPECT_NEAR(welch.tost.t_high, -2.6927714, kGolden);
  EXPECT_NEAR(welch.tost.p, .003875522, 1e-9);
  expect_interval(welch.tost.mean.ci90, -.1870843, .2470843, 1e-7);
  EXPECT_NEAR(welch.tost.mean.p, .8195313, 1e-7);
  EXPECT_TRUE(welch.tost.equivalent);
}

TEST(Tost, MatchesTheOneSampleExample) {  // methods.md M15 b
  const Tost wide = tost(kTost, .10);
  EXPECT_NEAR(wide.mean.value, .019, kRounding);
  EXPECT_NEAR(wide.mean.se, .0232594, 1e-7);
  EXPECT_NEAR(wide.p, .0034559, 1e-7);
  EXPECT_TRUE(wide.equivalent);
  expect_interval(wide.mean.ci90, -.0236371, .0616371, 1e-7);
  const Tost narrow = tost(kTost, .05);
  EXPECT_NEAR(narrow.p, .1076771, 1e-7);
  EXPECT_FALSE(narrow.equivalent);
}

TEST(Tost, MatchesThePairedSleepData) {  // methods.md M15 c; R data set `sleep`, Student 1908
  const Tost sleep = tost(Values{-1.2, -2.4, -1.3, -1.3, 0, -1.0, -1.8, -.8, -4.6, -1.4}, .5);
  EXPECT_NEAR(sleep.mean.value, -1.58, kRounding);
  EXPECT_NEAR(sleep.mean.se, .3889587, 1e-7);
  EXPECT_NEAR(sleep.t_low, -2.7766442, kGolden);
  EXPECT_NEAR(sleep.p_low, .9892408, 1e-7);
  EXPECT_NEAR(sleep.t_high, -5.3476111, kGolden);
  EXPECT_FALSE(sleep.equivalent);
}

TEST(Tost, IsTheIntervalInsideTheBounds) {
  Stream stream(Seed(8).child("tost interval"));
  int equivalent = 0;
  for (int round = 0; round < 300; ++round) {
    const Tost test = tost(normals(stream, 6 + stream.below(30), .1 * stream.normal(), .4), .2);
    EXPECT_EQ(test.equivalent, test.p < .05) << "round " << round;
    EXPECT_EQ(test.equivalent, test.mean.ci90.low > -.2 && test.mean.ci90.high < .2) << "round " << round;
    equivalent += test.equivalent ? 1 : 0;
  }
  EXPECT_GT(equivalent, 30);
  EXPECT_LT(equivalent, 270);
}

TEST(Tost, TouchingTheBoundIsNotInside) {  // methods.md 5.10
  EXPECT_FALSE(tost(Values(8, .25), .25).equivalent);
  EXPECT_FALSE(tost(Values(8, -.25), .25).equivalent);
  EXPECT_EQ(tost(Values(8, .25), .25).p, 1);
  const Tost same = tost(Values(8, .25), .26);
  EXPECT_TRUE(same.equivalent);
  EXPECT_EQ(same.p, std::exp2(-8));
  const Estimate estimate = mean(kTost);
  EXPECT_FALSE(tost(kTost, estimate.ci90.high).equivalent);
  EXPECT_TRUE(tost(kTost, std::nextafter(estimate.ci90.high, 1.0)).equivalent);
}

TEST(Tost, RefusesFewUnitsAndABoundThatIsNone) {
  const Tost few = tost(Values{0, .1, 0, -.1, 0}, 10);
  EXPECT_EQ(few.mean.status, Status::refused);
  EXPECT_FALSE(few.equivalent);
  EXPECT_EQ(few.p, 1);
  EXPECT_THROW(tost(kTost, 0), Error);
  EXPECT_THROW(tost(kTost, std::nan("")), Error);
  EXPECT_EQ(welch_tost({0, 1, 5}, {0, 1, 50}, 1).tost.mean.status, Status::refused);
}

}  // namespace
}  // namespace sonder::stats
