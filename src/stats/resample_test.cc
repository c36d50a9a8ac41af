#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "stats/mean.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;
using Units = std::span<const std::size_t>;

const Values kMaize = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};

Values normals(Stream& stream, std::size_t n, double mean, double sd) {
  Values x(n);
  for (double& value : x) value = mean + sd * stream.normal();
  return x;
}

double average(const Values& x, Units units) {
  double total = 0;
  for (const std::size_t unit : units) total += x[unit];
  return total / static_cast<double>(units.size());
}

Values leave_one_out(std::size_t n, const Statistic& statistic) {
  Values values;
  for (std::size_t out = 0; out < n; ++out) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < n; ++i)
      if (i != out) others.push_back(i);
    values.push_back(statistic(others));
  }
  return values;
}

// ---- sign flip

TEST(SignFlip, MatchesDarwinsMaize) {  // methods.md M17; Fisher, Design of Experiments, 1935
  const SignFlip test = sign_flip(kMaize, Seed(0));
  EXPECT_TRUE(test.exact);
  EXPECT_DOUBLE_EQ(test.p, 1726.0 / 32768);
  EXPECT_DOUBLE_EQ(test.p_greater, 863.0 / 32768);
}

TEST(SignFlip, MatchesTheClusterExample) {  // methods.md M29: five cluster sums of one sign
  EXPECT_DOUBLE_EQ(sign_flip(Values{1.2, 2.4, .9, .2, .9}, Seed(0)).p, .0625);
}

TEST(SignFlip, CanNeverReachFivePercentWithFiveUnits) {
  EXPECT_DOUBLE_EQ(sign_flip(Values(5, 1e6), Seed(0)).p, std::exp2(-4));
}

TEST(SignFlip, OfNothingButZerosIsOne) {  // methods.md 5.10
  EXPECT_EQ(sign_flip(Values(7, 0.0), Seed(0)).p, 1);
  EXPECT_EQ(sign_flip(Values(70, 0.0), Seed(0)).p, 1);
  EXPECT_EQ(sign_flip(Values{}, Seed(0)).p, 1);
}

TEST(SignFlip, KeepsZerosWithoutChangingP) {
  Values padded = kMaize;
  padded.insert(padded.end(), 4, 0.0);
  EXPECT_DOUBLE_EQ(sign_flip(padded, Seed(0)).p, 1726.0 / 32768);
}

TEST(SignFlip, BySimulationAgreesWithTheEnumeration) {
  Values padded = kMaize;
  padded.insert(padded.end(), 10, 0.0);  // 25 units, so drawn; zeros change nothing
  const SignFlip drawn = sign_flip(padded, Seed(9), 40000);
  EXPECT_FALSE(drawn.exact);
  EXPECT_NEAR(drawn.p, 1726.0 / 32768, .004);  // 3.5 Monte Carlo errors
  EXPECT_NEAR(drawn.p_greater, 863.0 / 32768, .003);
  EXPECT_EQ(drawn.p, sign_flip(padded, Seed(9), 40000).p);
  EXPECT_NE(drawn.p, sign_flip(padded, Seed(10), 40000).p);
}

TEST(SignFlip, BySimulationIsNeverZero) {
  EXPECT_DOUBLE_EQ(sign_flip(Values(200, 1.0), Seed(11), 99).p, .01);
}

TEST(SignFlip, DoesNotDependOnSignOrUnit) {
  Stream stream(Seed(12).child("sign flip"));
  for (int round = 0; round < 30; ++round) {
    Values x = normals(stream, 2 + stream.below(12), .5, 1);
    const SignFlip plain = sign_flip(x, Seed(0));
    for (double& value : x) value *= -3e300;
    const SignFlip turned = sign_flip(x, Seed(0));
    EXPECT_EQ(plain.p, turned.p) << "round " << round;
    EXPECT_NEAR(plain.p_greater + turned.p_greater, 1 + std::exp2(-static_cast<double>(x.size())), 1e-12);
  }
}

TEST(SignFlip, RejectsAsOftenAsItSays) {
  Stream stream(Seed(13).child("sign flip size"));
  int rejected = 0;
  int found = 0;
  const int n_runs = 2000;
  for (int run = 0; run < n_runs; ++run) {
    rejected += sign_flip(normals(stream, 10, 0, 1), Seed(0)).p <= .05 ? 1 : 0;
    found += sign_flip(normals(stream, 10, 2, 1), Seed(0)).p <= .05 ? 1 : 0;
  }
  EXPECT_NEAR(rejected / double{n_runs}, .05, .015);
  EXPECT_GE(found, n_runs * 99 / 100);
}

TEST(SignFlipMean, HoldsWhatTheTestDoesNotReject) {
  const Estimate estimate = sign_flip_mean(kMaize);
  EXPECT_DOUBLE_EQ(estimate.p, 1726.0 / 32768);
  const auto p_at = [](double centre) {
    Values moved = kMaize;
    for (double& value : moved) value -= centre;
    return sign_flip(moved, Seed(0)).p;
  };
  const double hair = 1e-6;
  EXPECT_GT(p_at(estimate.ci95.low + hair), .05);
  EXPECT_LE(p_at(estimate.ci95.low - hair), .05);
  EXPECT_GT(p_at(estimate.ci95.high - hair), .05);
  EXPECT_LE(p_at(estimate.ci95.high + hair), .05);
  EXPECT_GT(p_at(estimate.ci90.low + hair), .10);
  EXPECT_LE(p_at(estimate.ci90.low - hair), .10);
}

TEST(SignFlipMean, OfSixIsTheirRange) {  // 64 sign patterns: 2.5 % leaves out one at each end
  EXPECT_EQ(sign_flip_mean(Values{.31, 1.7, -.4, 2.22, .9, .05}).ci95, (Interval{-.4, 2.22}));
}

TEST(SignFlipMean, RefusesWhereNoIntervalExists) {
  EXPECT_EQ(sign_flip_mean(Values(5, 1.0)).status, Status::refused);
  EXPECT_EQ(sign_flip_mean(Values{1, 2, 3, 4, 5, 6}).status, Status::ok);
  EXPECT_THROW(sign_flip_mean(Values(21, 1.0)), Error);
}

// ---- BCa

// All 6^6 resamples of six units, through the same code as the drawn ones.
Values enumerate_six(const Values& x) {
  Values all;
  std::vector<std::size_t> units(6, 0);
  for (int code = 0; code < 46656; ++code) {
    int rest = code;
    for (auto& unit : units) {
      unit = static_cast<std::size_t>(rest % 6);
      rest /= 6;
    }
    all.push_back(average(x, units));
  }
  return all;
}

TEST(Bca, MatchesTheFullEnumeration) {  // methods.md M16 b
  const Values x = {1, 2, 3, 5, 8, 13};
  const auto statistic = [&](Units units) { return average(x, units); };
  const Values all = enumerate_six(x);
  const Values jack = leave_one_out(6, statistic);
  const double value = 32.0 / 6;

  const Bca half = bca_of(value, all, jack);
  EXPECT_NEAR(half.acceleration, .0552977736, 1e-10);
  EXPECT_NEAR(half.z0, .0555810225, 1e-10);
  EXPECT_NEAR(half.levels95.low, .0477212209, 1e-9);
  EXPECT_NEAR(half.levels95.high, .9899358357, 1e-9);
  EXPECT_NEAR(half.estimate.ci95.low, 2.6666667, 1e-7);
  EXPECT_NEAR(half.estimate.ci95.high, 9.5, 1e-7);
  EXPECT_NEAR(half.percentile95.low, 2.3333333, 1e-7);
  EXPECT_NEAR(half.percentile95.high, 8.8333333, 1e-7);
  EXPECT_EQ(half.estimate.status, Status::flagged);  // six units: prefer the sign flip

  const Bca strict = bca_of(value, all, jack, Ties::strict);
  EXPECT_NEAR(strict.z0, .0088111359, 1e-10);
  EXPECT_NEAR(strict.levels95.low, .0398589720, 1e-9);
  EXPECT_NEAR(strict.levels95.high, .9867263392, 1e-9);
  EXPECT_NEAR(strict.estimate.ci95.low, 2.6666667, 1e-7);
  EXPECT_NEAR(strict.estimate.ci95.high, 9.3333333, 1e-7);
}

TEST(Bca, MatchesTheLawSchoolData) {  // methods.md M16 a; Efron and Tibshirani 1993, table 3.1
  const Values lsat = {576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594};
  const Values gpa = {3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43,
                      3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96};
  const Statistic correlation = [&](Units units) {
    const double mx = average(lsat, units);
    const double my = average(gpa, units);
    double xy = 0;
    double xx = 0;
    double yy = 0;
    for (const std::size_t i : units) {
      xy += (lsat[i] - mx) * (gpa[i] - my);
      xx += (lsat[i] - mx) * (lsat[i] - mx);
      yy += (gpa[i] - my) * (gpa[i] - my);
    }
    return xy / std::sqrt(xx * yy);
  };
  const Estimate estimate = bca(15, correlation, Seed(16).child("law school"), 20000);
  EXPECT_NEAR(estimate.value, .7763744913, 1e-10);
  const Jackknife jack = jackknife(estimate.value, leave_one_out(15, correlation));
  EXPECT_NEAR(jack.bias, -.0064736230, 1e-10);
  EXPECT_NEAR(jack.se, .1425186186, 1e-10);
  EXPECT_NEAR(jack.acceleration, -.0756715649, 1e-10);
  EXPECT_NEAR(estimate.ci95.low, .323, .020);  // Monte Carlo: three errors of the low tail at 20,000 draws
  EXPECT_NEAR(estimate.ci95.high, .941, .005);
  EXPECT_EQ(estimate.status, Status::ok);
}

TEST(Bca, MatchesTheSpatialTest) {  // methods.md M16 c; Efron and Tibshirani 1993, table 14.1
  const Values x = {48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6,
                    0,  33, 28, 34, 4,  32, 24, 47, 41, 24, 26, 30, 41};
  const Statistic plug_in = [&](Units units) {
    const double centre = average(x, units);
    double squares = 0;
    for (const std::size_t i : units) squares += (x[i] - centre) * (x[i] - centre);
    return squares / static_cast<double>(units.size());
  };
  const Estimate estimate = bca(26, plug_in, Seed(17).child("spatial"), 20000);
  EXPECT_NEAR(estimate.value, 171.5340237, 1e-7);
  EXPECT_NEAR(jackknife(estimate.value, leave_one_out(26, plug_in)).acceleration, .0612401198, 1e-10);
  EXPECT_NEAR(estimate.ci90.low, 115.7, 1.5);
  EXPECT_NEAR(estimate.ci90.high, 261.9, 3.0);
}

TEST(Bca, OfAMeanIsTheSameThroughBothDoors) {
  const Statistic statistic = [&](Units units) { return average(kMaize, units); };
  const Estimate general = bca(15, statistic, Seed(18), 500);
  const Estimate direct = bca_mean(kMaize, Seed(18), 500);
  EXPECT_EQ(general.ci95, direct.ci95);
  std::vector<int> own(15);
  std::iota(own.begin(), own.end(), 0);
  EXPECT_NEAR(bca_mean(kMaize, own, Seed(18), 500).ci95.low, direct.ci95.low, 1e-12);
  EXPECT_EQ(direct.ci95, bca_mean(kMaize, Seed(18), 500).ci95);
  EXPECT_NE(direct.ci95, bca_mean(kMaize, Seed(19), 500).ci95);
}

TEST(Bca, ResamplesClustersNotRows) {
  Stream stream(Seed(20).child("clusters"));
  Values x;
  std::vector<int> cluster;
  for (int c = 0; c < 30; ++c) {
    const double level = stream.normal();
    for (int i = 0; i < 20; ++i) {
      x.push_back(level);
      cluster.push_back(c);
    }
  }
  const double by_cluster = bca_mean(x, cluster, Seed(21), 2000).se;
  EXPECT_NEAR(by_cluster, clustered_mean(x, cluster, ClusterError::cr0).mean.se, .1 * by_cluster);
  EXPECT_LT(bca_mean(x, Seed(21), 500).se, .4 * by_cluster);
}

TEST(Bca, HandlesTheDegenerateCases) {  // methods.md 5.4, 5.10
  const Estimate same = bca_mean(Values(12, 3.0), Seed(22), 200);
  EXPECT_EQ(same.status, Status::flagged);
  EXPECT_EQ(same.ci95, (Interval{3, 3}));
  EXPECT_EQ(same.p, std::exp2(-11));
  EXPECT_EQ(bca_mean(Values(12, 0.0), Seed(22), 200).p, 1);

  // Every replicate above the value: z0 is infinite, so the percentile interval, flagged.
  const Values above = {1, 2, 3, 4, 5};
  const Bca lopsided = bca_of(0, above, Values(12, 0.0));
  EXPECT_EQ(lopsided.estimate.status, Status::flagged);
  EXPECT_EQ(lopsided.estimate.ci95, lopsided.percentile95);
  EXPECT_EQ(lopsided.acceleration, 0);  // no spread in the jackknife

  EXPECT_EQ(bca_mean(Values{1}, Seed(0)).status, Status::undefined);
  EXPECT_EQ(bca_mean(Values{}, Seed(0)).status, Status::undefined);
  EXPECT_EQ(bca_mean(Values{1, 2, 3, 4, 5, 6, 7, 8, 9}, Seed(0), 100).status, Status::flagged);
  EXPECT_THROW(bca_mean(kMaize, Seed(0), 0), Error);
}

TEST(Bca, SurvivesAStatisticThatIsSometimesUndefined) {
  const Statistic lost = [](Units units) {
    return units[0] == 0 ? std::nan("") : static_cast<double>(units[0]);
  };
  EXPECT_EQ(bca(12, lost, Seed(23), 500).status,
            Status::undefined);  // it has no value on the units themselves
  const Statistic sometimes = [](Units units) {
    return units.back() == 3 ? std::nan("") : static_cast<double>(units.back());
  };
  const Estimate estimate = bca(12, sometimes, Seed(23), 500);
  EXPECT_EQ(estimate.status, Status::flagged);
  EXPECT_TRUE(std::isfinite(estimate.ci95.low) && std::isfinite(estimate.ci95.high));
  const Statistic mostly = [](Units units) {
    return units.size() == 12 && units[0] == 0 ? 1.0 : std::nan("");
  };
  EXPECT_EQ(bca(12, mostly, Seed(24), 500).status, Status::undefined);
}

TEST(Bca, PIsFivePercentWhereTheIntervalEnds) {
  Stream stream(Seed(27).child("skewed"));
  Values x(20);
  for (double& value : x) value = -std::log(1 - stream.uniform());  // skewed: the acceleration matters
  const Interval ends = bca_mean(x, Seed(28), 5000).ci95;
  for (const double end : {ends.low, ends.high}) {
    Values moved = x;
    for (double& value : moved) value -= end;
    EXPECT_NEAR(bca_mean(moved, Seed(28), 5000).p, .05, .001) << end;
  }
}

TEST(Bca, FindsAPlantedGainAndNoneWhereNoneIsPlanted) {
  Stream stream(Seed(25).child("bca plant"));
  int inside = 0;
  int found = 0;
  int disagree = 0;
  const int n_runs = 300;
  for (int run = 0; run < n_runs; ++run) {
    const Seed seed = Seed(26).child(static_cast<std::uint64_t>(run));
    const Estimate none = bca_mean(normals(stream, 30, 0, 1), seed, 400);
    const Estimate planted = bca_mean(normals(stream, 30, 1, 1), seed, 400);
    inside += none.ci95.low < 0 && 0 < none.ci95.high ? 1 : 0;
    found += planted.ci95.low > 0 ? 1 : 0;
    const bool outside = none.ci95.low > 0 || none.ci95.high < 0;
    disagree +=
        (none.p < .05) != outside && std::abs(none.p - .05) > .02 ? 1 : 0;  // .02: four resamples a side
  }
  EXPECT_NEAR(inside / double{n_runs}, .94, .04);  // BCa is a little short at 30 units
  EXPECT_GE(found, n_runs * 99 / 100);
  EXPECT_EQ(disagree, 0);  // the p inverts the interval
}

}  // namespace
}  // namespace sonder::stats
