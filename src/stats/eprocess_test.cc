#include "stats/eprocess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "base/seed.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;

// The mixture by its definition: an integral over p, Simpson on a fine grid.
double by_integral(long k, long n, double from) {
  const int steps = 20000;
  double total = 0;
  for (int i = 0; i <= steps; ++i) {
    const double p = from + (1 - from) * i / steps;
    const double f =
        std::pow(2 * p, static_cast<double>(k)) * std::pow(2 * (1 - p), static_cast<double>(n - k));
    total += f * (i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2);
  }
  return total / 3 / steps;  // (1 - from) cancels with the density on (from, 1)
}

TEST(CoinEvidence, IsTheIntegralItIsDefinedAs) {
  for (const long n : {0L, 1L, 2L, 7L, 30L}) {
    for (long k = 0; k <= n; ++k) {
      EXPECT_NEAR(std::exp(log_e_coin(k, n)) / by_integral(k, n, 0), 1, 1e-8) << k << " of " << n;
      EXPECT_NEAR(std::exp(log_e_coin(k, n, Sides::greater)) / by_integral(k, n, .5), 1, 1e-8)
          << k << " of " << n;
    }
  }
}

TEST(CoinEvidence, IsExpectedToBeOneUnderAFairCoinAtEveryN) {
  for (const Sides sides : {Sides::two, Sides::greater}) {
    for (const long n : {1L, 5L, 40L, 200L}) {
      double expected = 0;
      for (long k = 0; k <= n; ++k) {
        const auto kk = static_cast<double>(k);
        const auto nn = static_cast<double>(n);
        const double log_p =
            -std::log(nn + 1) - std::log(boost::math::beta(kk + 1, nn - kk + 1)) - nn * std::log(2.);
        expected += std::exp(log_p + log_e_coin(k, n, sides));
      }
      EXPECT_NEAR(expected, 1, 1e-9);
    }
  }
}

TEST(CoinEvidence, StaysFiniteForAMillionTrials) {
  for (const long k : {0L, 1L, 499000L, 500000L, 500001L, 999999L, 1000000L}) {
    for (const Sides sides : {Sides::two, Sides::greater})
      EXPECT_TRUE(std::isfinite(log_e_coin(k, 1000000, sides))) << k;
  }
  EXPECT_NEAR(log_e_coin(0, 1000000, Sides::greater), -std::log(1000001.), 1e-9);
  // The two formulas meet at the middle.
  const double below = log_e_coin(500000, 1000001, Sides::greater);
  const double above = log_e_coin(500001, 1000001, Sides::greater);
  EXPECT_GT(above, below);
  EXPECT_LT(above - below, .01);
  EXPECT_THROW(log_e_coin(5, 4), Error);
}

TEST(CoinProcess, LookingAtEveryTrialKeepsTheErrorRate) {
  Stream stream(Seed(1).child("fair coins"));
  int rejected = 0;
  for (int run = 0; run < 1000; ++run) {
    CoinProcess process;
    for (int i = 0; i < 200; ++i) process.add(stream.coin());
    rejected += process.rejects(.05) ? 1 : 0;
    EXPECT_EQ(process.rejects(.05), process.p() <= .05);
  }
  EXPECT_LT(rejected / 1000., .05);
}

TEST(CoinProcess, ABiasIsFound) {
  Stream stream(Seed(2).child("biased coins"));
  CoinProcess process(Sides::greater);
  for (int i = 0; i < 200; ++i) process.add(stream.uniform() < .7);
  EXPECT_TRUE(process.rejects(.01));
  EXPECT_EQ(CoinProcess().p(), 1);
}

TEST(Evidence, MultipliesWhenIndependentAndIsAveragedWhenNot) {
  const Values logs = {std::log(4.), std::log(2.)};
  EXPECT_NEAR(log_e_product(logs), std::log(8.), 1e-12);
  EXPECT_NEAR(log_e_average(logs), std::log(3.), 1e-12);
  EXPECT_EQ(log_e_average({}), 0);
  EXPECT_EQ(log_e_product({}), 0);
  EXPECT_NEAR(log_e_average(Values{1000, 0}), 1000 - std::log(2.), 1e-9);
  EXPECT_THROW(log_e_average(Values{NAN}), Error);
}

TEST(NormalMixture, TheBoundIsWhereTheEvidenceReachesOneOverAlpha) {
  for (const Sides sides : {Sides::two, Sides::greater}) {
    const NormalMixture mixture(50, .05, sides);
    for (const double v : {.5, 10., 50., 1e6})
      EXPECT_NEAR(mixture.log_e(mixture.bound(v, .05), v), std::log(20.), 1e-8);
  }
  EXPECT_TRUE(std::isfinite(NormalMixture(1, .05, Sides::greater).log_e(-1e8, 1)));
}

TEST(MixtureMean, CoversAtEveryLookAndFindsAShift) {
  Stream stream(Seed(3).child("mixture"));
  int missed = 0;
  for (int run = 0; run < 400; ++run) {
    Values x;
    bool outside = false;
    for (int i = 0; i < 100; ++i) {
      x.push_back(stream.normal() + .5);
      const Estimate found = mixture_mean(x, 1, 50);
      outside = outside || found.ci95.low > .5 || found.ci95.high < .5;
    }
    missed += outside ? 1 : 0;
    EXPECT_EQ(mixture_mean(x, 1, 50).p < .05, [&] {
      for (std::size_t n = 1; n <= x.size(); ++n)
        if (mixture_mean(std::span(x).first(n), 1, 50).ci95.low > 0 ||
            mixture_mean(std::span(x).first(n), 1, 50).ci95.high < 0)
          return true;
      return false;
    }());
  }
  EXPECT_LT(missed / 400., .06);
}

TEST(MixtureMean, HasNoMeanOfNothingAndNoOverflow) {
  EXPECT_EQ(mixture_mean({}, 1, 50).status, Status::undefined);
  EXPECT_EQ(mixture_mean(Values{1e308, 1e308}, 1e-300, 50).status, Status::undefined);
  EXPECT_THROW(mixture_mean(Values{1}, 0, 50), Error);
}

TEST(CoinSequence, HoldsTheShareAndItsEnds) {
  EXPECT_EQ(coin_sequence(0, 0, .05, 50), (Interval{0, 1}));
  const Interval none = coin_sequence(0, 40, .05, 50);
  const Interval all = coin_sequence(40, 40, .05, 50);
  EXPECT_EQ(none.low, 0);
  EXPECT_EQ(all.high, 1);
  EXPECT_NEAR(none.high, 1 - all.low, 1e-9);
  EXPECT_LT(none.high, .2);
}

TEST(Betting, CoversAtEveryLook) {
  Stream stream(Seed(4).child("betting"));
  int missed = 0;
  for (int run = 0; run < 200; ++run) {
    BettingSequence sequence(.05, 1, 5, 400);
    bool outside = false;
    for (int i = 0; i < 120; ++i) {
      sequence.add(1 + static_cast<double>(stream.below(5)));
      const Interval now = sequence.interval();
      outside = outside || now.low > 3 || now.high < 3;
    }
    missed += outside ? 1 : 0;
  }
  EXPECT_LT(missed / 200., .08);
}

TEST(Betting, IsShorterThanTheMixtureWhenTheSpreadIsSmall) {
  Stream stream(Seed(5).child("narrow"));
  Values x;
  for (int i = 0; i < 400; ++i) x.push_back(.5 + .05 * (stream.uniform() - .5));
  const Estimate bet = betting_mean(x, 0, 1, .4);
  const Estimate mixture = mixture_mean(x, .5, 400);
  EXPECT_EQ(bet.status, Status::ok);
  EXPECT_LT(bet.ci95.high - bet.ci95.low, .5 * (mixture.ci95.high - mixture.ci95.low));
  EXPECT_LE(bet.ci95.low, bet.value);
  EXPECT_GE(bet.ci95.high, bet.value);
  EXPECT_LE(bet.ci95.low, bet.ci90.low);
  EXPECT_LT(bet.p, .01);
  EXPECT_GT(betting_mean(x, 0, 1, .5).p, .05);
}

TEST(Betting, AValueOutsideItsRangeIsRefusedAndNothingIsUndefined) {
  EXPECT_THROW(betting_mean(Values{1.5}, 0, 1, .5), Error);
  EXPECT_THROW(betting_mean(Values{.5}, 0, 1, 2), Error);
  EXPECT_EQ(betting_mean({}, 0, 1, .5).status, Status::undefined);
  const Estimate same = betting_mean(Values(50, 1.0), 0, 1, .5);
  EXPECT_EQ(same.ci95.high, 1);
  EXPECT_GT(same.ci95.low, .8);
}

TEST(Betting, ASeriesThatChangesRefutesEveryMean) {
  Values x(400, 0.0);
  x.insert(x.end(), 4000, 1.0);
  EXPECT_EQ(betting_mean(x, 0, 1, .5).status, Status::undefined);
}

TEST(SequentialEquivalence, StopsOnlyWhenTheSequenceIsInsideOrOutside) {
  EXPECT_EQ(sequential_equivalence({-.05, .09}, .1), Decided::equivalent);
  EXPECT_EQ(sequential_equivalence({-.1, .09}, .1), Decided::not_yet);
  EXPECT_EQ(sequential_equivalence({.1, .3}, .1), Decided::different);
  EXPECT_EQ(sequential_equivalence({.05, .3}, .1), Decided::not_yet);
  EXPECT_THROW(sequential_equivalence({0, 1}, 0), Error);
}

}  // namespace
}  // namespace sonder::stats
