// The golden numbers of methods.md 10 about clusters, designs, order, paths and sample sizes, one test each.
// Tolerance 1e-6 relative unless the source shows fewer digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <vector>

#include "stats/cluster.h"
#include "stats/detail/golden.h"
#include "stats/mean.h"
#include "stats/mediation.h"
#include "stats/ols.h"
#include "stats/order.h"
#include "stats/power.h"
#include "stats/trend.h"

namespace sonder::stats {
namespace {

using detail::expect_interval;
using Values = std::vector<double>;

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

// ---- M42: the rest of it is the text room's. Three pairs are too few for an interval, not for the value.
TEST(Golden, M42_AttenuationIsARatioOfMeans) {
  const Values lost = {.8 - .4, .6 - .5, .9 - .9};
  const Values reference = {.8, .6, .9};
  EXPECT_GOLDEN(fieller(lost, reference).theta.value, .2173913);
  EXPECT_EQ(fieller(lost, reference).theta.status, Status::refused);
  double ratios = 0;  // the other estimand, .2222222, is not what is returned
  for (std::size_t i = 0; i < 3; ++i) ratios += lost[i] / reference[i] / 3;
  EXPECT_GOLDEN(ratios, .2222222);
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
