// The golden numbers of methods.md 10 about few labels, prevalence, sequences, fairness of items and mixed
// models, one test each. Tolerance 1e-6 relative unless the source shows fewer digits.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/detail/golden.h"
#include "stats/dif.h"
#include "stats/eprocess.h"
#include "stats/mixed.h"
#include "stats/ppi.h"
#include "stats/prevalence.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;

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

// M46: lme4's sleepstudy, 18 subjects × days 0 to 9. The degrees of freedom: lmerTest.
TEST(Golden, M46_MixedModel) {
  const std::vector<Values> reaction = {
      {249.56, 258.7047, 250.8006, 321.4398, 356.8519, 414.6901, 382.2038, 290.1486, 430.5853, 466.3535},
      {222.7339, 205.2658, 202.9778, 204.707, 207.7161, 215.9618, 213.6303, 217.7272, 224.2957, 237.3142},
      {199.0539, 194.3322, 234.32, 232.8416, 229.3074, 220.4579, 235.4208, 255.7511, 261.0125, 247.5153},
      {321.5426, 300.4002, 283.8565, 285.133, 285.7973, 297.5855, 280.2396, 318.2613, 305.3495, 354.0487},
      {287.6079, 285, 301.8206, 320.1153, 316.2773, 293.3187, 290.075, 334.8177, 293.7469, 371.5811},
      {234.8606, 242.8118, 272.9613, 309.7688, 317.4629, 309.9976, 454.1619, 346.8311, 330.3003, 253.8644},
      {283.8424, 289.555, 276.7693, 299.8097, 297.171, 338.1665, 332.0265, 348.8399, 333.36, 362.0428},
      {265.4731, 276.2012, 243.3647, 254.6723, 279.0244, 284.1912, 305.5248, 331.5229, 335.7469, 377.299},
      {241.6083, 273.9472, 254.4907, 270.8021, 251.4519, 254.6362, 245.4523, 235.311, 235.7541, 237.2466},
      {312.3666, 313.8058, 291.6112, 346.1222, 365.7324, 391.8385, 404.2601, 416.6923, 455.8643, 458.9167},
      {236.1032, 230.3167, 238.9256, 254.922, 250.7103, 269.7744, 281.5648, 308.102, 336.2806, 351.6451},
      {256.2968, 243.4543, 256.2046, 255.5271, 268.9165, 329.7247, 379.4445, 362.9184, 394.4872, 389.0527},
      {250.5265, 300.0576, 269.8939, 280.5891, 271.8274, 304.6336, 287.7466, 266.5955, 321.5418, 347.5655},
      {221.6771, 298.1939, 326.8785, 346.8555, 348.7402, 352.8287, 354.4266, 360.4326, 375.6406, 388.5417},
      {271.9235, 268.4369, 257.2424, 277.6566, 314.8222, 317.2135, 298.1353, 348.1229, 340.28, 366.5131},
      {225.264, 234.5235, 238.9008, 240.473, 267.5373, 344.1937, 281.1481, 347.5855, 365.163, 372.2288},
      {269.8804, 272.4428, 277.8989, 281.7895, 279.1705, 284.512, 259.2658, 304.6306, 350.7807, 369.4692},
      {269.4117, 273.474, 297.5968, 310.6316, 287.1726, 329.6076, 334.4818, 343.2199, 369.1417, 364.1236}};
  Values y;
  std::vector<int> subject;
  Numbers x;
  RandomTerm term{"subject", {}, {}, true};
  for (std::size_t s = 0; s < reaction.size(); ++s) {
    for (std::size_t day = 0; day < 10; ++day) {
      y.push_back(reaction[s][day]);
      subject.push_back(static_cast<int>(s));
      x.append(Values{1, static_cast<double>(day)});
      term.slopes.append(Values{static_cast<double>(day)});
    }
  }
  term.group = subject;
  const Mixed found = mixed(y, x, {&term, 1});
  ASSERT_EQ(found.status, Status::ok);
  EXPECT_NEAR(found.fixed[0].value, 251.4051, 5e-5);
  EXPECT_NEAR(found.fixed[0].se, 6.8246, 5e-5);
  EXPECT_NEAR(found.fixed[1].value, 10.46729, 5e-6);
  EXPECT_NEAR(found.fixed[1].se, 1.54579, 5e-6);
  // lme4's default optimiser stops a little before the minimum (criterion 1743.628271960); its bobyqa with a
  // fine tolerance reaches 1743.628271958 at 24.740448, as here.
  EXPECT_NEAR(found.random[0].sd[0], 24.7407, 3e-4);
  EXPECT_NEAR(found.random[0].sd[0], 24.740448, 1e-5);
  EXPECT_LE(found.criterion, 1743.6282719590);
  EXPECT_NEAR(found.random[0].sd[1], 5.9221, 5e-5);
  EXPECT_NEAR(found.random[0].correlation.row(0)[1], .066, 5e-4);
  EXPECT_NEAR(found.residual_sd, 25.5918, 5e-5);
  EXPECT_NEAR(found.criterion, 1743.62827196, 1e-6);
  EXPECT_NEAR(found.df[0], 16.9997, 1e-3);
  EXPECT_NEAR(found.df[1], 17.0000, 1e-3);
  EXPECT_EQ(found.fixed[1].n_units, 18);
}

}  // namespace
}  // namespace sonder::stats
