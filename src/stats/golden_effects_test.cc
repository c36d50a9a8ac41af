// The golden numbers of methods.md 10 about means, comparisons, order, shares and power, one test each.
// Tolerance 1e-6 relative unless the source shows fewer digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <vector>

#include "stats/bootstrap.h"
#include "stats/cluster.h"
#include "stats/detection.h"
#include "stats/mean.h"
#include "stats/mediation.h"
#include "stats/ols.h"
#include "stats/order.h"
#include "stats/power.h"
#include "stats/proportion.h"
#include "stats/roc.h"
#include "stats/trend.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;

#define EXPECT_GOLDEN(found, golden) EXPECT_NEAR(found, golden, 1e-6 * std::abs(golden))

void expect_interval(Interval found, double low, double high) {
  EXPECT_GOLDEN(found.low, low);
  EXPECT_GOLDEN(found.high, high);
}

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

// ---- M32
TEST(Golden, M32_Jonckheere) {
  const std::vector<Values> groups = {
      {40, 35, 38, 43, 44, 41}, {38, 40, 47, 44, 40, 42}, {48, 40, 45, 43, 46, 44}};
  const Jonckheere found = jonckheere(groups, Seed(0));
  EXPECT_EQ(found.j, 79);
  EXPECT_EQ(found.expected, 54);
  EXPECT_NEAR(found.variance, 153, 1e-9);
  EXPECT_NEAR(found.z, 2.0211302, 5e-8);
  EXPECT_NEAR(found.p_normal, .0216331, 5e-8);
  EXPECT_TRUE(found.exact);
  EXPECT_NEAR(found.p, .0209665, 5e-8);
}

// ---- M33
TEST(Golden, M33_Page) {
  Numbers blocks(0, 4);
  for (const char* text : {"1234", "2134", "1324", "1243", "2143", "1324"}) {
    Values row;
    for (int i = 0; i < 4; ++i) row.push_back(text[i] - '0');
    blocks.append(row);
  }
  const Page found = page(blocks);
  EXPECT_EQ(found.l, 174);
  EXPECT_EQ(found.expected, 150);
  EXPECT_NEAR(found.variance, 50, 1e-12);
  EXPECT_GOLDEN(found.z, 3.3941125);
  EXPECT_NEAR(found.p_normal, .00034426, 5e-9);
  EXPECT_NEAR(found.p, .00011600, 5e-9);
}

// ---- M34: R isoreg.
TEST(Golden, M34_Isotonic) {
  EXPECT_EQ(isotonic(Values{1, 0, 4, 3, 3, 5, 4, 2, 0}), (Values{.5, .5, 3, 3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(isotonic(Values{1, 3, 2, 4, 3.5, 5}), (Values{1, 2.5, 2.5, 3.75, 3.75, 5}));
}

// ---- M35
TEST(Golden, M35_Fieller) {
  const Values n = {.4, .3, .3, .2, .7, .1};
  const Ratio found = fieller(n, Values{2.1, 2.2, 1.9, 2.2, 2.2, 1.9});
  EXPECT_GOLDEN(found.theta.value, .16);
  EXPECT_NEAR(found.fieller_g, .0054978, 5e-8);
  expect_interval(found.theta.ci95, .0579536, .2563312);
  expect_interval(found.theta.ci90, .0805900, .2359055);
  const Ratio blind = fieller(n, Values{.2, -.3, .5, -.1, .4, .1});
  EXPECT_NEAR(blind.fieller_g, 5.62, .005);
  EXPECT_EQ(blind.theta.status, Status::unbounded);
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

// ---- M29: s = .2 .5 .1 .4 | .9 .7 .8 | .3 .6 | 0 .2 -.1 .1 | .5 .4. Sources: Miller 2024; Inspect AI's
// stderr; clubSandwich.
const Values kScores = {.2, .5, .1, .4, .9, .7, .8, .3, .6, 0, .2, -.1, .1, .5, .4};
const std::vector<int> kOf = {0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4};

TEST(Golden, M29_ClusterErrors) {
  Numbers ones(kScores.size(), 1);
  std::fill(ones.data.begin(), ones.data.end(), 1.0);
  EXPECT_GOLDEN(mean(kScores).value, 5.6 / 15);
  EXPECT_NEAR(mean(kScores).value, .3733333, 1e-7);
  EXPECT_NEAR(mean(kScores).se, .0765112, 1e-7);
  const auto both = [&](ClusterError how, double golden) {
    EXPECT_NEAR(clustered_mean(kScores, kOf, how).mean.se, golden, 1e-7);
    EXPECT_NEAR(ols(ones, kScores, kOf, how).coefficient[0].se, golden, 1e-7);
  };
  both(ClusterError::cr0, .1237233);
  both(ClusterError::cr1, .1383269);
  both(ClusterError::cr2, .1414301);
  EXPECT_NEAR(clustered_mean(kScores, kOf, ClusterError::cr2).df, 3.61, .005);
  EXPECT_NEAR(ols(ones, kScores, kOf).df[0], 3.61, .005);
  EXPECT_EQ(sign_flip(Values{1.2, 2.4, .9, .2, .9}, Seed(0)).p, .0625);  // of the cluster sums
  const DesignEffect effect = design_effect(kScores, kOf);
  EXPECT_NEAR(effect.icc, .7811440, 5e-8);
  EXPECT_NEAR(effect.k0, 2.9333333, 5e-8);
  EXPECT_NEAR(effect.deff, 2.5102118, 5e-8);
  // Miller's form is CR0 whose diagonal is divided by n - 1 instead of n.
  const double cr0 = clustered_mean(kScores, kOf, ClusterError::cr0).mean.se;
  EXPECT_NEAR(std::sqrt(cr0 * cr0 + mean(kScores).se * mean(kScores).se / 15), .1252905, 5e-8);
}

// ---- M30: Petersen's simulated firms, 500 × 10 years. Source: R sandwich, vcovCL(lm(y ~ x), ~ firm) etc.
TEST(Golden, M30_Petersen) {
  std::ifstream file(SONDER_ROOT "/tests/data/petersen.txt");
  Values y;
  Numbers x(0, 2);
  std::vector<int> firm;
  std::vector<int> year;
  int f = 0;
  int t = 0;
  double one = 0;
  double other = 0;
  while (file >> f >> t >> one >> other) {
    const double row[] = {1, one};
    x.append(row);
    y.push_back(other);
    firm.push_back(f);
    year.push_back(t);
  }
  ASSERT_EQ(y.size(), 5000U);
  const Regression plain = ols(x, y);
  EXPECT_GOLDEN(plain.coefficient[1].value, 1.0348334);
  EXPECT_NEAR(plain.coefficient[1].se, .0285833, 5e-8);
  EXPECT_NEAR(ols(x, y, firm, ClusterError::cr1).coefficient[1].se, .0505957, 5e-8);
  EXPECT_NEAR(ols(x, y, year, ClusterError::cr1).coefficient[1].se, .0333889, 5e-8);
  EXPECT_NEAR(ols_two_way(x, y, firm, year).coefficient[1].se, .0535580, 5e-8);
  EXPECT_EQ(ols_two_way(x, y, firm, year).df[1], 9);
}

// ---- M31: Snedecor and Cochran's leprosy trial, as in the SAS manual of PROC GLM; groups A, D, F.
TEST(Golden, M31_Ancova) {
  const Values before = {11, 8,  5, 14, 19, 6,  10, 6,  11, 3,  6,  6,  7,  8, 18,
                         8,  19, 8, 5,  15, 16, 13, 11, 9,  21, 16, 12, 12, 7, 12};
  const Values after = {6, 0,  2, 8, 11, 4,  13, 1,  8, 0,  0,  2, 3,  1, 18,
                        4, 14, 9, 1, 9,  13, 10, 18, 5, 23, 12, 5, 16, 1, 20};
  Factor drug{{}, 3};
  for (int i = 0; i < 30; ++i) drug.level.push_back(i / 10);
  const Ancova found = ancova(after, drug, before);
  EXPECT_NEAR(found.slope.value, .9871838, 5e-8);
  EXPECT_NEAR(found.slope.se, .1644976, 5e-8);
  EXPECT_NEAR(found.difference[0].value, .1089713, 5e-8);
  EXPECT_NEAR(found.difference[1].value, 3.4461383, 5e-8);
  EXPECT_NEAR(found.adjusted_mean[0], 6.715, 5e-4);
  EXPECT_NEAR(found.adjusted_mean[1], 6.824, 5e-4);
  EXPECT_NEAR(found.adjusted_mean[2], 10.161, 5e-4);
  EXPECT_NEAR(found.group.f, 2.13613, 5e-6);
  EXPECT_NEAR(found.group.p, .13838, 5e-6);
  EXPECT_EQ(found.group.df2, 26);
  EXPECT_NEAR(found.homogeneity.f, .59296, 5e-6);
  EXPECT_NEAR(found.homogeneity.p, .56058, 5e-6);
}

// ---- M40: six scenarios, cells (claim, class) 00, 10, 01, 11.
TEST(Golden, M40_ExceptionArithmetic) {
  const Values share = {.2, .5, .6, .7, .1, .3, .5, .8, .3, .4, .7, .7,
                        .2, .6, .4, .9, .1, .2, .6, .6, .4, .7, .8, .9};
  Factor claim{{}, 2};
  Factor reference{{}, 2};
  std::vector<int> scenario;
  Values logit;
  for (int i = 0; i < 24; ++i) {
    claim.level.push_back(i % 2);
    reference.level.push_back(i / 2 % 2);
    scenario.push_back(i / 4);
    const double p = share[static_cast<std::size_t>(i)];
    logit.push_back(std::log(p / (1 - p)));
  }
  const std::vector<Factor> both = {claim, reference};
  const Conjoint plain = amce(share, both, scenario, ClusterError::cr1);
  EXPECT_NEAR(plain.effect[0][0].value, .20, 1e-12);
  EXPECT_NEAR(plain.effect[0][0].se, .0633709, 5e-8);
  EXPECT_NEAR(plain.effect[1][0].value, .35, 1e-12);
  EXPECT_NEAR(plain.effect[1][0].se, .0357460, 5e-8);
  EXPECT_NEAR(interaction(share, claim, reference, scenario).value, -.0666667, 5e-8);
  const Conjoint odds = amce(logit, both, scenario);
  EXPECT_NEAR(odds.effect[0][0].value, 1.0229378, 5e-8);
  EXPECT_NEAR(odds.effect[1][0].value, 1.6938297, 5e-8);
  EXPECT_NEAR(individual_share(odds.effect[0][0], odds.effect[1][0]).value, .3765275, 5e-8);

  // b: Grether's regression of L on logit(base) and log(LR) is exact on these numbers.
  const Values base = {.1, .3, .5, .7, .9, .3};
  const Values ratio = {4, .25, 4, 1, .25, 1};
  const Values l = {-1.0449096, -1.4862560, .4931472, .3931085, .6449096, -.7931085};
  Numbers x(6, 3);
  for (std::size_t i = 0; i < 6; ++i) {
    x.row(i)[0] = 1;
    x.row(i)[1] = std::log(base[i] / (1 - base[i]));
    x.row(i)[2] = std::log(ratio[i]);
  }
  const Regression grether = ols(x, l);
  EXPECT_NEAR(grether.coefficient[0].value, -.2, 1e-6);
  EXPECT_NEAR(grether.coefficient[1].value, .7, 1e-6);
  EXPECT_NEAR(grether.coefficient[2].value, .5, 1e-6);
  // c: Bayes is the same line with coefficients (0, 1, 1).
  EXPECT_GOLDEN(1 / (1 + std::exp(-(std::log(.3 / .7) + std::log(4)))), .6315789);
  // d
  EXPECT_GOLDEN(log_odds(7, 10).value, .7621401);
  EXPECT_EQ(log_odds(7, 10).status, Status::ok);
  EXPECT_EQ(log_odds(7, 9).status, Status::refused);
}

// ---- M41
TEST(Golden, M41_Mediation) {
  const Values t = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
  const Values length = {100, 110, 95, 105, 90, 80, 85, 70, 90, 75};
  const Values y = {3.0, 3.2, 2.9, 3.1, 2.7, 2.6, 2.5, 2.2, 2.8, 2.4};
  const Mediation found = mediation(t, length, y, Seed(0), 200);
  EXPECT_GOLDEN(found.a.value, -20);
  EXPECT_GOLDEN(found.b.value, .025);
  EXPECT_GOLDEN(found.direct.value, .02);
  EXPECT_GOLDEN(found.total.value, -.48);
  EXPECT_GOLDEN(found.indirect.value, -.50);
  EXPECT_NEAR(found.indirect.se, .1402931, 5e-8);
  ASSERT_TRUE(found.proportion.has_value());
  EXPECT_GOLDEN(*found.proportion, 1.0416667);
}

// ---- M43: Miller 2024.
TEST(Golden, M43_ItemsNeeded) {
  EXPECT_NEAR(items_needed(1. / 9, {0, 1}, {0, 1}, .03), 968.9975, 5e-5);
  EXPECT_NEAR(items_needed(1. / 9, {1. / 6, 1}, {1. / 6, 1}, .03), 3875.99, 5e-3);
  EXPECT_NEAR(items_needed(1. / 9, {1. / 6, 10}, {1. / 6, 10}, .03), 1259.70, 5e-3);
}

}  // namespace
}  // namespace sonder::stats
