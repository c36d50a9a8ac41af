#include "stats/ppi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/seed.h"
#include "stats/prevalence.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;

struct Panel {
  Values human, judge, judge_only;
};

// Humans around `mean`; the judge follows them with `weight`, and is off by 1 throughout.
Panel panel(Stream& stream, int n, int n_more, double mean, double weight) {
  Panel out;
  for (int i = 0; i < n + n_more; ++i) {
    const double human = mean + stream.normal();
    const double judge = 1 + weight * human + (1 - weight) * stream.normal();
    (i < n ? out.judge : out.judge_only).push_back(judge);
    if (i < n) out.human.push_back(human);
  }
  return out;
}

TEST(Ppi, AGoodJudgeShortensTheIntervalAndItsBiasDoesNotShow) {
  Stream stream(Seed(1).child("good judge"));
  const Panel p = panel(stream, 100, 2000, .5, .9);
  const Ppi found = ppi_mean(p.human, p.judge, p.judge_only);
  EXPECT_EQ(found.estimate.status, Status::ok);
  EXPECT_GT(found.lambda, .7);
  EXPECT_LT(found.estimate.se, .4 * found.se_human);
  EXPECT_NEAR(found.estimate.value, .5, 4 * found.estimate.se);
}

TEST(Ppi, AJudgeThatDoesNotFollowCannotBeRescued) {
  Stream stream(Seed(2).child("blind judge"));
  const Panel p = panel(stream, 100, 2000, .5, 0);
  const Ppi found = ppi_mean(p.human, p.judge, p.judge_only);
  EXPECT_LT(found.lambda, .2);
  EXPECT_NEAR(found.estimate.se / found.se_human, 1, .05);
}

TEST(Ppi, DISABLED_ItsIntervalCoversTheTruthAtSmallSizes) {
  Stream stream(Seed(3).child("ppi coverage"));
  int covered = 0;
  int student_30 = 0;
  for (int run = 0; run < 2000; ++run) {
    const Panel p = panel(stream, 40, 200, .3, .7);
    const Ppi found = ppi_mean(p.human, p.judge, p.judge_only);
    covered += found.estimate.ci95.low <= .3 && .3 <= found.estimate.ci95.high ? 1 : 0;
    student_30 += found.estimate.ci90.low <= .3 && .3 <= found.estimate.ci90.high ? 1 : 0;
  }
  EXPECT_NEAR(covered / 2000., .95, .015);
  EXPECT_NEAR(student_30 / 2000., .90, .02);
}

TEST(Ppi, TheScenarioLevelDifferenceIsTheMeanOfDifferences) {
  const Values a = {3, 4, 5, 2, 4}, b = {2, 4, 3, 2, 1};
  const Values ja = {3.5, 4, 4.5, 2, 4}, jb = {2, 3.5, 3, 2.5, 2};
  const Values ua = {3, 4, 2.5}, ub = {2, 2, 2};
  const Ppi pair = ppi_difference({a, b}, {ja, jb}, {ua, ub});
  const Ppi one = ppi_mean(Values{1, 0, 2, 0, 3}, Values{1.5, .5, 1.5, -.5, 2}, Values{1, 2, .5});
  EXPECT_DOUBLE_EQ(pair.estimate.value, one.estimate.value);
  EXPECT_DOUBLE_EQ(pair.estimate.se, one.estimate.se);
  EXPECT_EQ(pair.estimate.status, Status::flagged);  // five scenarios
}

TEST(Ppi, StrataCountByTheirWeightAndEachHasItsOwnJudge) {
  Stream stream(Seed(4).child("strata"));
  const Panel good = panel(stream, 60, 600, 0, .9);
  const Panel blind = panel(stream, 60, 600, 1, 0);
  const std::vector<PpiStratum> strata = {{good.human, good.judge, good.judge_only, 3},
                                          {blind.human, blind.judge, blind.judge_only, 1}};
  const Ppi found = ppi_stratified(strata);
  const Ppi first = ppi_mean(good.human, good.judge, good.judge_only);
  const Ppi second = ppi_mean(blind.human, blind.judge, blind.judge_only);
  EXPECT_NEAR(found.estimate.value, .75 * first.estimate.value + .25 * second.estimate.value, 1e-12);
  EXPECT_NEAR(found.estimate.se, std::hypot(.75 * first.estimate.se, .25 * second.estimate.se), 1e-12);
  EXPECT_EQ(found.estimate.n_units, 120);
  EXPECT_EQ(found.estimate.status, Status::ok);
}

TEST(Ppi, WithoutSpreadOrUnlabelledTextsTheJudgeIsLeftOut) {
  const Values human = {1, 2, 3, 4, 2, 3};
  const Values flat(6, 2.0);
  const Ppi still = ppi_mean(human, flat, Values{2, 2, 2});
  EXPECT_EQ(still.lambda, 0);
  EXPECT_EQ(still.estimate.status, Status::flagged);
  EXPECT_DOUBLE_EQ(still.estimate.value, 2.5);
  EXPECT_DOUBLE_EQ(still.estimate.se, still.se_human);
  const Ppi none = ppi_mean(human, Values{1, 2, 3, 4, 2, 2}, {});
  EXPECT_EQ(none.lambda, 0);
  EXPECT_DOUBLE_EQ(none.estimate.value, 2.5);
}

TEST(Ppi, TooFewLabelsAreSaid) {
  const Values four = {1, 2, 3, 4};
  const Values many = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(ppi_mean(Values{1}, Values{1}, many).estimate.status, Status::undefined);
  EXPECT_EQ(ppi_mean({}, {}, many).estimate.status, Status::undefined);
  EXPECT_EQ(ppi_stratified({}).estimate.status, Status::undefined);
  EXPECT_EQ(ppi_mean(four, four, many).estimate.status, Status::flagged);
  const Ppi refused = ppi_mean(four, four, many, {Tuning::tuned, 0, PpiInterval::normal});
  EXPECT_EQ(refused.estimate.status, Status::refused);
  EXPECT_LT(refused.estimate.ci95.low, -1e300);
}

TEST(Ppi, AHugeOffsetCostsNoDigits) {
  Stream stream(Seed(5).child("offset"));
  Panel p = panel(stream, 50, 100, 0, .5);
  const Ppi plain = ppi_mean(p.human, p.judge, p.judge_only);
  for (Values* x : {&p.human, &p.judge, &p.judge_only}) {
    for (double& value : *x) value += 1e9;
  }
  const Ppi far = ppi_mean(p.human, p.judge, p.judge_only);
  EXPECT_NEAR(far.estimate.se, plain.estimate.se, 1e-6);
  EXPECT_NEAR(far.lambda, plain.lambda, 1e-6);
}

TEST(Ppi, BrokenPromisesAreRefused) {
  const Values three = {1, 2, 3};
  EXPECT_THROW(ppi_mean(three, Values{1, 2}, three), Error);
  EXPECT_THROW(ppi_mean(three, Values{1, 2, NAN}, three), Error);
  const PpiStratum none{three, three, three, 0};
  EXPECT_THROW(ppi_stratified({&none, 1}), Error);
}

TEST(RoganGladen, AJudgeNoBetterThanACoinSaysNothing) {
  EXPECT_EQ(rogan_gladen({5, 10}, {7, 10}, {3, 10}).status, Status::undefined);
  EXPECT_EQ(rogan_gladen({5, 10}, {2, 10}, {3, 10}).status, Status::undefined);
  EXPECT_EQ(rogan_gladen({0, 0}, {9, 10}, {9, 10}).status, Status::undefined);
  EXPECT_EQ(rogan_gladen({5, 10}, {9, 10}, {0, 0}).status, Status::undefined);
  EXPECT_EQ(rogan_gladen({5, 10}, {2, 10}, {3, 10}).ci95, (Interval{0, 1}));
  EXPECT_THROW(rogan_gladen({11, 10}, {9, 10}, {9, 10}), Error);
}

TEST(RoganGladen, OutsideTheScaleIsClippedAndFlagged) {
  const Estimate below = rogan_gladen({2, 100}, {90, 100}, {80, 100});
  EXPECT_EQ(below.value, 0);
  EXPECT_EQ(below.status, Status::flagged);
  EXPECT_EQ(below.ci95.low, 0);
  const Estimate perfect = rogan_gladen({30, 100}, {50, 50}, {50, 50});
  EXPECT_EQ(perfect.status, Status::ok);
  EXPECT_DOUBLE_EQ(perfect.value, .3);
}

TEST(RoganGladen, DISABLED_TheIntervalCoversTheTruth) {
  Stream stream(Seed(6).child("prevalence"));
  int covered = 0;
  const auto count = [&](int n, double p) {
    Count c{0, n};
    for (int i = 0; i < n; ++i) c.k += stream.uniform() < p ? 1 : 0;
    return c;
  };
  for (int run = 0; run < 3000; ++run) {
    const Estimate found = rogan_gladen(count(400, .4 * .85 + .6 * .25), count(80, .85), count(80, .75));
    covered += found.ci95.low <= .4 && .4 <= found.ci95.high ? 1 : 0;
  }
  EXPECT_NEAR(covered / 3000., .95, .015);
}

}  // namespace
}  // namespace sonder::stats
