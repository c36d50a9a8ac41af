#include "study/operating.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace sonder::study {
namespace {

constexpr double kClose = .03;  // methods.md 7.4; the standard error of a share of 3,000 runs is at most .009

Operating of(int n, double step, double theta, int runs = 3000) {
  Assumed assumed;
  assumed.n_scenarios = n;
  assumed.ladder_step = step;
  assumed.theta = theta;
  return operate(assumed, Limits{}, Seed(45), runs);
}

TEST(Golden, M45_ABlindInstrumentNeverShowsThatThereIsNothing) {  // methods.md 7.4, row 1
  for (const int n : {60, 180}) {
    for (const double theta : {0., .05, .25, .7}) {
      // Run r draws the same ladder whatever theta is: after the first, a part of the runs is enough.
      const Operating found = of(n, 0, theta, theta == 0 ? 3000 : 500);
      EXPECT_GE(found.of("UNMEASURABLE"), .999);
      EXPECT_EQ(found.of("NO_EFFECT_EQUIVALENT"), 0);
    }
  }
}

TEST(Golden, M45_SixtyScenarios) {  // rows 2 and 3
  const Operating none = of(60, .10, 0);
  EXPECT_NEAR(none.of("INCONCLUSIVE"), .64, kClose);
  EXPECT_NEAR(none.of("UNMEASURABLE"), .26, kClose);
  EXPECT_NEAR(none.of("NO_EFFECT_EQUIVALENT"), .06, kClose);
  EXPECT_NEAR(none.partial(), .02, kClose);
  const Operating some = of(60, .10, .25);
  EXPECT_NEAR(some.partial(), .74, kClose);
  EXPECT_NEAR(some.of("UNMEASURABLE"), .25, kClose);
  EXPECT_NEAR(some.of("INCONCLUSIVE"), .01, kClose);
}

TEST(Golden, M45_OneHundredAndEightyScenarios) {  // rows 4 to 6
  const Operating none = of(180, .10, 0);
  EXPECT_NEAR(none.of("NO_EFFECT_EQUIVALENT"), .82, kClose);
  EXPECT_NEAR(none.of("INCONCLUSIVE"), .13, kClose);
  EXPECT_NEAR(none.partial(), .02, kClose);
  EXPECT_NEAR(none.of("REVERSED"), .03, kClose);
  EXPECT_NEAR(of(180, .10, .25).partial(), .99, kClose);
  EXPECT_NEAR(of(180, .10, .7).controls_level, .995, kClose);
}

TEST(Operate, IsTheSameEveryTimeAndSumsToOne) {
  Assumed assumed;
  assumed.ladder_step = .1;
  const Operating one = operate(assumed, Limits{}, Seed(1), 50);
  const Operating other = operate(assumed, Limits{}, Seed(1), 50);
  EXPECT_EQ(one.share, other.share);
  double total = 0;
  for (const auto& [word, share] : one.share) total += share;
  EXPECT_NEAR(total, 1, 1e-12);
  EXPECT_EQ(one.of("no such word"), 0);
}

TEST(Operate, OfTooFewScenariosMeasuresNothing) {
  Assumed assumed;
  assumed.n_scenarios = 4;
  assumed.ladder_step = 2;
  EXPECT_EQ(operate(assumed, Limits{}, Seed(1), 20).of("PARTIAL"), 0);
  EXPECT_THROW(operate({1}, Limits{}, Seed(1), 20), Error);
  EXPECT_THROW(operate(assumed, Limits{}, Seed(1), 0), Error);
}

TEST(Outlooks, AreTheRowsByThemselvesAndStopWhenAsked) {
  std::vector<Assumed> designs(2);
  designs[1].theta = .25;
  designs[1].ladder_step = .3;
  Cancel cancel;
  int seen = 0;
  const auto table = outlooks(
      designs, Limits{}, Seed(1), 40, [&](const Progress& p) { seen += p.total == 2 ? 1 : 0; }, cancel);
  ASSERT_EQ(table.size(), 2U);
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(table[1].operating.share, operate(designs[1], Limits{}, Seed(1), 40).share);
  EXPECT_NE(table[0].operating.share, table[1].operating.share);
  cancel.ask();
  EXPECT_THROW(outlooks(designs, Limits{}, Seed(1), 40, {}, cancel), Error);
}

}  // namespace
}  // namespace sonder::study
