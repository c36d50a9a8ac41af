// The golden numbers of methods.md 10 about means, comparisons, order, shares and power, one test each.
// Tolerance 1e-6 relative unless the source shows fewer digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <vector>

#include "stats/bootstrap.h"
#include "stats/detail/golden.h"
#include "stats/detection.h"
#include "stats/mean.h"
#include "stats/order.h"
#include "stats/power.h"
#include "stats/proportion.h"
#include "stats/roc.h"

namespace sonder::stats {
namespace {

using detail::expect_interval;
using Values = std::vector<double>;

// ---- M7 a: y = 1 × 5, 0 × 6.
const Values kHigh1 = {.9, .8, .7, .55, .4};
const Values kLow1 = {.6, .5, .5, .3, .2, .1};
const Values kHigh2 = {.6, .9, .5, .5, .7};
const Values kLow2 = {.4, .65, .3, .5, .2, .55};

TEST(Golden, M07_DeLong) {
  const DeLongPair pair = delong_paired(kHigh1, kLow1, kHigh2, kLow2);
  EXPECT_GOLDEN(pair.a1, .8666666667);
  EXPECT_GOLDEN(pair.a2, .8);
  EXPECT_GOLDEN(pair.var1, .0138888889);
  EXPECT_GOLDEN(pair.var2, .0194166667);
  EXPECT_GOLDEN(pair.cov, -.0045277778);
  EXPECT_GOLDEN(pair.z, .3239105321);
  EXPECT_GOLDEN(pair.p, .7460057701);
  const Estimate one = delong(kHigh1, kLow1);
  EXPECT_GOLDEN(one.value - 1.959963985 * one.se, .6356827);
  expect_interval(one.ci95, .4682683, .9795819);
}

// ---- M7 b: pROC's aSAH (Turck et al. 2010), 113 patients: poor outcome, wfns, s100b, ndka. R: roc.test,
// cov.
TEST(Golden, M07_DeLongAneurysm) {
  std::ifstream file(SONDER_ROOT "/tests/data/asah.txt");
  if (!file)
    GTEST_SKIP() << "pROC's data are under its own licence: Rscript tools/reference/effects.R tests/data";
  Values wfns[2];
  Values s100b[2];
  Values ndka[2];
  std::size_t poor = 0;
  double a = 0;
  double b = 0;
  double c = 0;
  while (file >> poor >> a >> b >> c) {
    wfns[poor].push_back(a);
    s100b[poor].push_back(b);
    ndka[poor].push_back(c);
  }
  ASSERT_EQ(wfns[1].size(), 41U);
  ASSERT_EQ(wfns[0].size(), 72U);
  const DeLongPair pair = delong_paired(wfns[1], wfns[0], s100b[1], s100b[0]);
  EXPECT_GOLDEN(pair.a1, .8236788618);
  EXPECT_GOLDEN(pair.a2, .7313685637);
  EXPECT_GOLDEN(auroc(ndka[1], ndka[0]), .6119579946);
  EXPECT_GOLDEN(pair.z, 2.2089836);
  EXPECT_GOLDEN(pair.p, .0271758);
  EXPECT_GOLDEN(pair.cov, .0011961557);
  const Estimate wald = delong(s100b[1], s100b[0]);
  EXPECT_GOLDEN(wald.value - 1.959963985 * wald.se, .6301182);
  EXPECT_GOLDEN(wald.value + 1.959963985 * wald.se, .8326189);
  // R: roc.test(roc(outcome, wfns), roc(outcome, s100b), paired = FALSE)
  const DeLongUnpaired apart = delong_unpaired(wfns[1], wfns[0], s100b[1], s100b[0]);
  EXPECT_GOLDEN(apart.t, 1.434906409269);
  EXPECT_GOLDEN(apart.df, 206.661063787782);
  EXPECT_GOLDEN(apart.difference.p, .152825378809);
}

// ---- M14: Benjamini and Hochberg 1995; R p.adjust.
TEST(Golden, M14_Multiplicity) {
  const Values p = {.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344,
                    .0459, .3240, .4262, .5719, .6528, .7590, 1};
  const Values bh = {.0015, .003, .0095,    .035625, .0603,    .0638571, .0638571, .0645,
                     .0765, .486, .5811818, .714875, .7532308, .8132143, 1};
  const Values first = {.0015, .0056, .0247, .114, .2211, .278, .278, .278, .3213};
  const Values found = benjamini_hochberg(p);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(found[i], bh[i], 5e-8);
  EXPECT_EQ(std::count_if(found.begin(), found.end(), [](double q) { return q <= .05; }), 4);
  const Values stepped = holm(p);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(stepped[i], first[i], 1e-12);
  for (std::size_t i = first.size(); i < p.size(); ++i) EXPECT_EQ(stepped[i], 1);
  EXPECT_EQ(std::count_if(p.begin(), p.end(), [](double q) { return q * 15 <= .05; }), 3);
}

// ---- M15: Moery and Calin-Jageman 2016 (TOSTER); ten differences; R's sleep data, paired.
TEST(Golden, M15_Tost) {
  const double bound = .43 * std::sqrt((.95 * .95 + .83 * .83) / 2);
  EXPECT_NEAR(bound, .3835687, 5e-8);
  const WelchTost welch = welch_tost({5.25, .95, 95}, {5.22, .83, 89}, bound);
  EXPECT_GOLDEN(welch.df, 181.134367);
  EXPECT_GOLDEN(welch.tost.t_low, 3.1497301);
  EXPECT_GOLDEN(welch.tost.p_low, .000956008);
  EXPECT_GOLDEN(welch.tost.t_high, -2.6927714);
  EXPECT_GOLDEN(welch.tost.p, .003875522);
  EXPECT_NEAR(welch.tost.mean.ci90.low, -.1870843, 5e-8);
  EXPECT_NEAR(welch.tost.mean.ci90.high, .2470843, 5e-8);
  EXPECT_GOLDEN(welch.tost.mean.p, .8195313);

  const Values x = {.12, -.05, .08, .02, -.11, .06, .03, -.02, .10, -.04};
  const Tost wide = tost(x, .10);
  EXPECT_NEAR(wide.mean.value, .019, 1e-12);
  EXPECT_NEAR(wide.mean.se, .0232594, 5e-8);
  EXPECT_NEAR(wide.p, .0034559, 5e-8);
  EXPECT_TRUE(wide.equivalent);
  EXPECT_NEAR(wide.mean.ci90.low, -.0236371, 5e-8);
  EXPECT_NEAR(wide.mean.ci90.high, .0616371, 5e-8);
  EXPECT_NEAR(tost(x, .05).p, .1076771, 5e-8);
  EXPECT_FALSE(tost(x, .05).equivalent);

  const Values one = {.7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2};
  const Values two = {1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4};
  Values difference;
  for (std::size_t i = 0; i < one.size(); ++i) difference.push_back(one[i] - two[i]);
  const Tost sleep = tost(difference, .5);
  EXPECT_NEAR(sleep.mean.value, -1.58, 1e-12);
  EXPECT_NEAR(sleep.mean.se, .3889587, 5e-8);
  EXPECT_GOLDEN(sleep.t_low, -2.7766442);
  EXPECT_NEAR(sleep.p, .9892408, 5e-8);
  EXPECT_GOLDEN(sleep.t_high, -5.3476111);
}

// ---- M16: Efron and Tibshirani 1993, table 3.1 and 14.1; R boot, bootstrap. The means of every resample by
// enumeration; the other two intervals by 20,000 draws, Monte Carlo errors as stated.
using Units = std::span<const std::size_t>;

double mean_at(const Values& x, Units units) {
  double total = 0;
  for (const std::size_t u : units) total += x[u];
  return total / static_cast<double>(units.size());
}

double correlation_at(const Values& x, const Values& y, Units units) {
  const double mx = mean_at(x, units);
  const double my = mean_at(y, units);
  double xy = 0;
  double xx = 0;
  double yy = 0;
  for (const std::size_t u : units) {
    xy += (x[u] - mx) * (y[u] - my);
    xx += (x[u] - mx) * (x[u] - mx);
    yy += (y[u] - my) * (y[u] - my);
  }
  return xy / std::sqrt(xx * yy);
}

double spread_at(const Values& x, Units units) {
  const double centre = mean_at(x, units);
  double squares = 0;
  for (const std::size_t u : units) squares += (x[u] - centre) * (x[u] - centre);
  return squares / static_cast<double>(units.size());
}

TEST(Golden, M16_BcaByFullEnumeration) {
  const Values x = {1, 2, 3, 5, 8, 13};
  const Statistic statistic = [&](Units units) { return mean_at(x, units); };
  const Bca half = bca_enumerated(6, statistic);
  EXPECT_NEAR(half.acceleration, .0552977736, 5e-11);
  EXPECT_NEAR(half.z0, .0555810225, 5e-11);
  EXPECT_NEAR(half.levels95.low, .0477212209, 5e-11);
  EXPECT_NEAR(half.levels95.high, .9899358357, 5e-11);
  expect_interval(half.estimate.ci95, 2.6666667, 9.5);
  expect_interval(half.percentile95, 2.3333333, 8.8333333);
  const Bca strict = bca_enumerated(6, statistic, Ties::strict);
  EXPECT_NEAR(strict.z0, .0088111359, 5e-11);
  EXPECT_NEAR(strict.levels95.low, .0398589720, 5e-11);
  EXPECT_NEAR(strict.levels95.high, .9867263392, 5e-11);
  expect_interval(strict.estimate.ci95, 2.6666667, 9.3333333);
}

TEST(Golden, M16_BcaLawSchoolAndSpatial) {
  const Values lsat = {576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594};
  const Values gpa = {3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43,
                      3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96};
  const Statistic r = [&](Units units) { return correlation_at(lsat, gpa, units); };
  const Estimate law = bca(15, r, Seed(16).child("law"), 20000);
  Values jack;
  for (std::size_t out = 0; out < 15; ++out) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < 15; ++i)
      if (i != out) others.push_back(i);
    jack.push_back(r(others));
  }
  EXPECT_GOLDEN(law.value, .7763744913);
  EXPECT_GOLDEN(jackknife(law.value, jack).bias, -.0064736230);
  EXPECT_GOLDEN(jackknife(law.value, jack).se, .1425186186);
  EXPECT_GOLDEN(jackknife(law.value, jack).acceleration, -.0756715649);
  EXPECT_NEAR(law.ci95.low, .323, .004 + .014);  // the source's ±.004 and three of our standard errors (.005)
  EXPECT_NEAR(law.ci95.high, .941, .004 + .002);
  const Estimate percentile = percentile_bootstrap(15, r, Seed(16).child("law"), 20000);
  EXPECT_NEAR(percentile.ci95.low, .460, .004 + .009);
  EXPECT_NEAR(percentile.ci95.high, .962, .004 + .002);

  const Values a = {48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6,
                    0,  33, 28, 34, 4,  32, 24, 47, 41, 24, 26, 30, 41};
  const Estimate spatial = bca(
      26, [&](Units units) { return spread_at(a, units); }, Seed(16).child("a"), 20000);
  EXPECT_GOLDEN(spatial.value, 171.5340237);
  EXPECT_NEAR(spatial.ci90.low, 115.7, 1.5);  // three standard errors at 20,000 draws
  EXPECT_NEAR(spatial.ci90.high, 261.9, 3.0);
}

// ---- M17: Darwin's maize; Fisher 1935.
TEST(Golden, M17_SignFlip) {
  const Values d = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};
  const SignFlip found = sign_flip(d, Seed(0));
  EXPECT_EQ(found.p_greater, 863.0 / 32768);
  EXPECT_EQ(found.p, 1726.0 / 32768);
  EXPECT_TRUE(found.exact);
  EXPECT_GOLDEN(mean(d).value / mean(d).se, 2.1479875);
  EXPECT_NEAR(mean(d).p, .0497029, 5e-8);
}

// ---- M18
TEST(Golden, M18_McNemar) {
  const McNemar found = mcnemar(150, 86);
  EXPECT_GOLDEN(found.chi2, 17.3559322);
  EXPECT_GOLDEN(found.corrected, 16.8177966);
  EXPECT_GOLDEN(found.share.p, 3.7159361e-5);
}

// ---- M19: R manual of binom.test; 60/100 and 16/20.
TEST(Golden, M19_ExactBinomial) {
  const Estimate mendel = exact_share(682, 925, .75);
  EXPECT_NEAR(mendel.p, .3824916, 5e-8);
  EXPECT_NEAR(mendel.ci95.low, .7076683, 5e-8);
  EXPECT_NEAR(mendel.ci95.high, .7654066, 5e-8);
  const Estimate sixty = exact_share(60, 100);
  EXPECT_NEAR(sixty.p, .0568879, 5e-8);
  expect_interval(sixty.ci95, .4972092, .6967052);
  expect_interval(wilson(60, 100).ci95, .5020026, .6905987);
  EXPECT_NEAR(exact_share(16, 20).p, .0118179, 5e-8);
}

// ---- M20: Newcombe 1998, table I.
TEST(Golden, M20_Wilson) {
  expect_interval(wilson(81, 263).ci95, .2552885, .3662096);
  expect_interval(wilson(15, 148).ci95, .0623864, .1604872);
  EXPECT_EQ(wilson(0, 20).ci95.low, 0);
  EXPECT_GOLDEN(wilson(0, 20).ci95.high, .1611252);
  EXPECT_NEAR(wilson(1, 29).ci95.low, .0061132, 5e-8);
  EXPECT_GOLDEN(wilson(1, 29).ci95.high, .1717552);
}

// ---- M21: R power.t.test; the exact binomial test by summation.
TEST(Golden, M21_Power) {
  EXPECT_NEAR(t_n_two_groups(.5), 63.7656, 5e-5);
  EXPECT_NEAR(t_n_paired(.5), 33.3671, 5e-5);
  EXPECT_EQ(binomial_n(.60).first, 199);
  EXPECT_EQ(binomial_n(.60).always, 210);
  EXPECT_NEAR(binomial_power(100, .60).power, .4620934, 5e-8);
  EXPECT_EQ(binomial_power(100, .60).critical, 61);
  EXPECT_NEAR(mde_normal(.9, 60), .3255148, 5e-8);
  EXPECT_NEAR(mde_t(.9, 60), .3309950, 5e-8);
  EXPECT_GOLDEN(mde_normal(.9, 24), .5146840);  // .51468407: the source cuts the last digit
  EXPECT_NEAR(mde_t(.9, 24), .5375749, 5e-8);
}

// ---- The two tables of sample sizes: methods.md 4.5 (equivalence of means) and 6 (exact binomial).
TEST(Golden, M21_TablesOfSampleSizes) {
  const double bounds[] = {.10, .15, .20};
  const int golden[3][3] = {{78, 174, 309}, {35, 78, 138}, {20, 44, 78}};
  const double spreads[] = {.30, .45, .60};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_EQ(std::ceil(equivalence_n(spreads[j], bounds[i])), golden[i][j]);
  EXPECT_EQ(binomial_n(.55).always, 820);
  EXPECT_EQ(binomial_n(.60).always, 210);
  EXPECT_EQ(binomial_n(.65).always, 97);
  EXPECT_NEAR(binomial_power(194, .60).power, .76, .005);
  EXPECT_EQ(binomial_equivalence_n(.05).always, 888);
  EXPECT_EQ(binomial_equivalence_n(.10).always, 227);
}

// ---- M22
TEST(Golden, M22_SignalDetection) {
  EXPECT_NEAR(dprime_2afc(.55), .1777120, 5e-8);
  EXPECT_NEAR(dprime_2afc(.60), .3582869, 5e-8);
  EXPECT_NEAR(dprime_2afc(.76), .9988627, 5e-8);
  EXPECT_NEAR(dprime_2afc(.90), 1.8123876, 5e-8);
  EXPECT_NEAR(yes_no(.85, .30).dprime.value, 1.5608339, 5e-8);
  EXPECT_NEAR(yes_no(.85, .30).criterion.value, -.2560164, 5e-8);
  EXPECT_NEAR(yes_no(18, 20, 0, 20).dprime.value, 3.1605135, 5e-8);
  EXPECT_NEAR(yes_no(18, 20, 0, 20).criterion.value, .4004956, 5e-8);
  EXPECT_NEAR(yes_no(36, 40, 10, 40).dprime.value, 1.8832498, 5e-8);
  EXPECT_NEAR(yes_no(36, 40, 10, 40).criterion.value, -.2862014, 5e-8);
}

}  // namespace
}  // namespace sonder::stats
