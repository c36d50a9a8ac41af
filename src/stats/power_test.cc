#include "stats/power.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/seed.h"
#include "stats/mean.h"

namespace sonder::stats {
namespace {

TEST(TPower, MatchesRsPowerTTest) {  // R: power.t.test(n = 20, delta = .5, sd = 1, type = ...)$power, strict
  EXPECT_NEAR(t_power_two_groups(.5, 20), .33793903, 1e-7);
  EXPECT_NEAR(t_power_paired(.5, 20), .56450442, 1e-7);
  EXPECT_NEAR(t_power_paired(0, 20), .05, 1e-9);
  EXPECT_NEAR(t_power_paired(.5, t_n_paired(.5)), .8, 1e-9);
  EXPECT_NEAR(t_n_paired(-.5), t_n_paired(.5), 1e-6);
}

TEST(Mde, IsWhatThePowerSaysItIs) {
  for (const int n : {12, 24, 60}) {
    const double mde = mde_t(.9, n);
    EXPECT_GT(mde, mde_normal(.9, n));
    EXPECT_NEAR(t_power_paired(mde / .9, n), .8, .005);  // the sum of two quantiles is nearly exact
  }
}

TEST(TostPower, DISABLED_IsTheShareOfSimulatedTrialsThatSayEquivalent) {
  Stream stream(Seed(1).child("tost power"));
  for (const double truth : {0., .05}) {
    int equivalent = 0;
    const int n_runs = 4000;
    for (int run = 0; run < n_runs; ++run) {
      std::vector<double> x(25);
      for (double& v : x) v = truth + .3 * stream.normal();
      equivalent += tost(x, .15).equivalent ? 1 : 0;
    }
    EXPECT_NEAR(tost_power(.3, 25, .15, truth), equivalent / double(n_runs), .024);  // three errors
  }
}

TEST(TostPower, HasSizeAlphaAtTheBoundAndNoneBeyondReach) {
  EXPECT_NEAR(tost_power(.3, 60, .2, .2), .05, 1e-9);
  EXPECT_LT(tost_power(10, 6, .01), 1e-9);
  EXPECT_NEAR(tost_power(.001, 50, .2), 1, 1e-9);
}

TEST(TostN, IsCloseToTheRuleOfThumbAndNeverBelowIt) {
  for (const double sd : {.3, .45, .6}) {
    const double thumb = equivalence_n(sd, .10);
    const int exact = tost_n(sd, .10);
    EXPECT_GE(exact, thumb - 1);
    EXPECT_LE(exact, thumb + 4);
    EXPECT_GE(tost_power(sd, exact, .10), .8);
    EXPECT_LT(tost_power(sd, exact - 1, .10), .8);
  }
  EXPECT_THROW(tost_n(.3, .1, .1), Error);
}

TEST(BinomialPower, IsTheSumOfWhatTheTestRejects) {
  for (const int n : {1, 5, 6, 17, 40}) {
    const BinomialPower found = binomial_power(n, .7);
    double power = 0;
    for (int k = 0; k <= n; ++k) {
      if (exact_share(k, n).p > .05) continue;
      double likelihood = 1;
      for (int j = 1; j <= k; ++j) likelihood *= static_cast<double>(n - k + j) / j;
      power += likelihood * std::pow(.7, k) * std::pow(.3, n - k);
    }
    EXPECT_NEAR(found.power, power, 1e-12) << n;
  }
  EXPECT_EQ(binomial_power(5, .9).critical, 6);  // five tosses never reach 5 %
  EXPECT_EQ(binomial_power(5, .9).power, 0);
}

TEST(BinomialN, KnowsTheSawTooth) {
  const SawTooth found = binomial_n(.65);
  EXPECT_LT(found.first, found.always);
  EXPECT_LT(binomial_power(found.always - 1, .65).power, .8);
  for (int n = found.always; n < found.always + 40; ++n) EXPECT_GE(binomial_power(n, .65).power, .8);
  EXPECT_EQ(binomial_n(.35).always, found.always);
}

TEST(Power, RefusesWhatHasNoAnswer) {
  EXPECT_THROW(items_needed(1, {}, {}, 0), Error);
  EXPECT_THROW(mde_t(0, 20), Error);
  EXPECT_THROW(mde_t(1, 1), Error);
  EXPECT_THROW(t_n_paired(0), Error);
  EXPECT_THROW(binomial_n(.5), Error);
  EXPECT_THROW(binomial_power(0, .5), Error);
  EXPECT_THROW(equivalence_n(1, 1, {.05, 1}), Error);
  EXPECT_THROW(equivalence_n(1, 1, {0, .8}), Error);
  EXPECT_THROW(binomial_equivalence_n(.5), Error);
  EXPECT_NEAR(crossed_inflation(10, .1, 5, .2), 2.7, 1e-12);
}

}  // namespace
}  // namespace sonder::stats
