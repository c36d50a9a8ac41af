// The golden numbers of methods.md 10 about few labels, prevalence, sequences, fairness of items and mixed
// models, one test each. Tolerance 1e-6 relative unless the source shows fewer digits.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/dif.h"
#include "stats/eprocess.h"
#include "stats/ppi.h"
#include "stats/prevalence.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;

#define EXPECT_GOLDEN(found, golden) EXPECT_NEAR(found, golden, 1e-6 * std::abs(golden))

// M27: the formulas of ppi_py. Ten labels are too few for its interval, so the estimate is refused.
TEST(Golden, M27_PpiPlusPlus) {
  const Values y = {4, 2, 3, 5, 1, 3, 4, 2, 5, 3};
  const Values u = {3.0, 4.1, 2.7, 3.6, 4.4, 2.2, 3.9, 3.3, 4.2, 2.9,
                    3.7, 4.0, 3.2, 2.6, 4.3, 3.8, 3.4, 2.4, 4.6, 3.1};
  const Values f = {3.4, 2.9, 2.6, 4.1, 2.2, 3.6, 3.1, 2.7, 3.9, 3.5};
  const Ppi tuned = ppi_mean(y, f, u, {Tuning::tuned, 0, PpiInterval::normal});
  EXPECT_EQ(tuned.estimate.status, Status::refused);
  EXPECT_GOLDEN(tuned.lambda, .9010798696);
  EXPECT_NEAR(tuned.estimate.value, 3.4432916, 5e-8);
  EXPECT_NEAR(tuned.estimate.se, .3028931, 5e-8);
  EXPECT_NEAR(tuned.normal95.low, 2.8496320, 5e-8);
  EXPECT_NEAR(tuned.normal95.high, 4.0369511, 5e-8);
  const Ppi human = ppi_mean(y, f, u, {Tuning::fixed, 0, PpiInterval::normal});
  EXPECT_GOLDEN(human.estimate.value, 3.2);
  EXPECT_NEAR(human.estimate.se, .3949684, 5e-8);
  const Ppi full = ppi_mean(y, f, u, {Tuning::fixed, 1, PpiInterval::normal});
  EXPECT_GOLDEN(full.estimate.value, 3.47);
  EXPECT_NEAR(full.estimate.se, .3004247, 5e-8);
  const Values weak = {3.1, 3.6, 2.2, 3.9, 2.9, 3.0, 4.4, 2.5, 3.3, 2.1};
  const Ppi weakly = ppi_mean(y, weak, u, {Tuning::tuned, 0, PpiInterval::normal});
  EXPECT_NEAR(weakly.lambda, .4879993, 5e-8);
  EXPECT_NEAR(weakly.estimate.value, 3.3805597, 5e-8);
  EXPECT_NEAR(weakly.estimate.se, .3687495, 5e-8);
}

// M28: Lee et al.'s code.
TEST(Golden, M28_RoganGladen) {
  const Estimate half = rogan_gladen({550, 1000}, {90, 100}, {80, 100});
  EXPECT_GOLDEN(half.value, .5);
  EXPECT_NEAR(half.ci95.low, .4138039, 5e-8);
  EXPECT_NEAR(half.ci95.high, .5834727, 5e-8);
  const Estimate most = rogan_gladen({1560, 2000}, {180, 200}, {170, 200});
  EXPECT_GOLDEN(most.value, .84);
  EXPECT_NEAR(most.ci95.low, .7905301, 5e-8);
  EXPECT_NEAR(most.ci95.high, .8999130, 5e-8);
}

// M36: the mixture martingale of 5.8.
TEST(Golden, M36_EValues) {
  const auto two = [](long k, long n) { return std::exp(log_e_coin(k, n)); };
  EXPECT_GOLDEN(two(16, 20), 10.3059217);
  EXPECT_GOLDEN(two(17, 20), 43.8001671);
  EXPECT_GOLDEN(two(60, 100), .9130498);
  EXPECT_GOLDEN(two(65, 100), 11.4613939);
  EXPECT_GOLDEN(two(70, 100), 427.3066469);
  EXPECT_GOLDEN(two(10, 20), .2702602);
  EXPECT_GOLDEN(std::exp(log_e_coin(16, 20, Sides::greater)), 20.5376677);
  EXPECT_GOLDEN(std::exp(log_e_coin(65, 100, Sides::greater)), 22.8923718);
}

// M37: confseq's unit tests in C++.
TEST(Golden, M37_ConfidenceSequences) {
  const NormalMixture two(100, .05);
  EXPECT_NEAR(two.rho(), 12.60056, 5e-6);
  EXPECT_NEAR(two.log_e(10, 100), -.6510052, 5e-8);
  EXPECT_NEAR(two.bound(100, .05), 30.35209, 5e-6);
  EXPECT_NEAR(NormalMixture(100, .05, Sides::greater).bound(100, .05), 27.66071, 5e-6);
  // confseq's own root is found to about 1e-6: its last digit is not rounded. A second route (30 digits in
  // mpmath) gives the longer numbers.
  const Interval many = coin_sequence(700, 1000, .05, 100);
  EXPECT_NEAR(many.low, .651629, 1e-6);
  EXPECT_NEAR(many.high, .745949, 1e-6);
  EXPECT_NEAR(many.low, .6516298138699303, 1e-12);
  EXPECT_NEAR(many.high, .7459495007849871, 1e-12);
  const Interval few = coin_sequence(15, 50, .05, 50);
  EXPECT_NEAR(few.low, .129556, 1e-6);
  EXPECT_NEAR(few.high, .511896, 1e-6);
  EXPECT_NEAR(few.low, .1295569949750543, 1e-12);
  EXPECT_NEAR(few.high, .5118964025364732, 1e-12);
  EXPECT_NEAR(coin_sequence(5, 50, .05, 50).high, .269264, 1e-6);
  EXPECT_NEAR(coin_sequence(100, 200, .05, 1).low, .328923, 1e-6);
  EXPECT_NEAR(coin_sequence(1, 50, .05, 50).high, .13489, 5e-6);
}

// M39: the admissions of Berkeley, six departments.
TEST(Golden, M39_MantelHaenszel) {
  const std::vector<Stratum> departments = {{512, 313, 89, 19},   {353, 207, 17, 8},  {120, 205, 202, 391},
                                            {138, 279, 131, 244}, {53, 138, 94, 299}, {22, 351, 24, 317}};
  const MantelHaenszel found = mantel_haenszel(departments);
  EXPECT_GOLDEN(found.odds.value, .9046968);
  EXPECT_NEAR(found.odds.ci95.low, .7719074, 5e-8);
  EXPECT_NEAR(found.odds.ci95.high, 1.0603298, 5e-8);
  EXPECT_NEAR(found.chi2, 1.4269462, 5e-8);
  EXPECT_NEAR(found.odds.p, .2322635, 5e-8);
  EXPECT_NEAR(found.delta, .2353652, 5e-8);
  EXPECT_EQ(found.dif, DifClass::negligible);
}

}  // namespace
}  // namespace sonder::stats
