#include "stats/trend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;
using Groups = std::vector<Values>;

double counted(const Groups& groups) {
  double j = 0;
  for (std::size_t high = 1; high < groups.size(); ++high)
    for (std::size_t low = 0; low < high; ++low)
      for (const double a : groups[high])
        for (const double b : groups[low]) j += a > b ? 1 : (a == b ? .5 : 0);
  return j;
}

// Every arrangement of the pooled values, one by one.
double enumerated_p(const Groups& groups) {
  Values pooled;
  std::vector<std::size_t> label;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const double v : groups[g]) {
      pooled.push_back(v);
      label.push_back(g);
    }
  }
  const double observed = counted(groups);
  double all = 0;
  double reached = 0;
  do {
    Groups now(groups.size());
    for (std::size_t i = 0; i < pooled.size(); ++i) now[label[i]].push_back(pooled[i]);
    all += 1;
    reached += counted(now) >= observed ? 1 : 0;
  } while (std::next_permutation(label.begin(), label.end()));
  return reached / all;
}

TEST(Jonckheere, IsExactUnderTiesAsTheEnumerationIs) {
  Stream stream(Seed(1).child("ties"));
  for (int run = 0; run < 25; ++run) {
    Groups groups(3);
    for (std::size_t g = 0; g < 3; ++g)
      for (std::size_t i = 0; i < 2 + g % 2; ++i) groups[g].push_back(static_cast<double>(stream.below(4)));
    groups[0].push_back(9);  // never all equal
    const Jonckheere found = jonckheere(groups, Seed(0));
    EXPECT_EQ(found.j, counted(groups));
    EXPECT_TRUE(found.exact);
    EXPECT_NEAR(found.p, enumerated_p(groups), 1e-12);
  }
}

TEST(Jonckheere, VarianceGivenTiesIsThatOfThePermutations) {
  const Groups groups = {{1, 2, 2}, {2, 3}, {3, 3, 1}};
  Values pooled;
  std::vector<std::size_t> label;
  for (std::size_t g = 0; g < 3; ++g)
    for (const double v : groups[g]) {
      pooled.push_back(v);
      label.push_back(g);
    }
  double n = 0;
  double total = 0;
  double squares = 0;
  do {
    Groups now(3);
    for (std::size_t i = 0; i < pooled.size(); ++i) now[label[i]].push_back(pooled[i]);
    const double j = counted(now);
    n += 1;
    total += j;
    squares += j * j;
  } while (std::next_permutation(label.begin(), label.end()));
  const Jonckheere found = jonckheere(groups, Seed(0));
  EXPECT_NEAR(found.expected, total / n, 1e-10);
  EXPECT_NEAR(found.variance_ties, squares / n - total * total / n / n, 1e-9);
}

TEST(Jonckheere, ByPermutationAgreesWithTheNormalForm) {
  Stream stream(Seed(2).child("large"));
  Groups groups(4);
  for (std::size_t g = 0; g < 4; ++g)
    for (int i = 0; i < 40; ++i) groups[g].push_back(.12 * static_cast<double>(g) + stream.normal());
  const Jonckheere found = jonckheere(groups, Seed(3));
  EXPECT_FALSE(found.exact);
  EXPECT_NEAR(found.p, found.p_normal, .015);
}

TEST(Jonckheere, HandlesItsEdges) {
  EXPECT_EQ(jonckheere(Groups{}, Seed(0)).status, Status::undefined);
  EXPECT_EQ(jonckheere(Groups{{1, 2}, {}}, Seed(0)).status, Status::undefined);
  EXPECT_EQ(jonckheere(Groups{{1, 1}, {1}}, Seed(0)).status, Status::undefined);
  EXPECT_EQ(jonckheere(Groups{{1, 1}, {1}}, Seed(0)).p, 1);
  EXPECT_THROW(jonckheere(Groups{{1}, {std::nan("")}}, Seed(0)), Error);
  EXPECT_EQ(jonckheere(Groups{{1}, {}, {2}}, Seed(0)).p, .5);
}

const Values kDoses = {-1, 0, 1, 2};

Numbers curves_of(Stream& stream, std::size_t n, double slope, double slope_sd, double noise) {
  Numbers curves(n, kDoses.size());
  for (std::size_t i = 0; i < n; ++i) {
    const double own = slope + slope_sd * stream.normal();
    for (std::size_t j = 0; j < kDoses.size(); ++j)
      curves.row(i)[j] = 3 + own * kDoses[j] + noise * stream.normal();
  }
  return curves;
}

TEST(DoseSlopes, OfNoiseAloneHasNoExcess) {
  Stream stream(Seed(4).child("noise"));
  int above = 0;
  for (int run = 0; run < 60; ++run) {
    const Slopes found = dose_slopes(curves_of(stream, 60, .2, 0, 1), kDoses,
                                     Seed(static_cast<std::uint64_t>(run + 1)), 0, 400);
    EXPECT_GT(found.anti_steerable.value, .15);  // noise alone makes a third of them negative
    above += found.excess.ci95.low > 0 ? 1 : 0;
  }
  EXPECT_LE(above, 5);
}

TEST(DoseSlopes, FindsScenariosThatTrulyGoTheOtherWay) {
  Stream stream(Seed(5).child("split"));
  Numbers curves = curves_of(stream, 120, .6, 0, .3);
  for (std::size_t i = 0; i < 40; ++i)  // a third: turned round
    for (std::size_t j = 0; j < kDoses.size(); ++j) curves.row(i)[j] = 6 - curves.row(i)[j];
  const Slopes found = dose_slopes(curves, kDoses, Seed(6));
  EXPECT_NEAR(found.anti_steerable.value, 1. / 3, .02);
  EXPECT_GT(found.excess.ci95.low, .15);
  EXPECT_GT(found.true_share, .2);
}

TEST(DoseSlopes, RecoversTheSpreadOfTrueSlopes) {
  Stream stream(Seed(7).child("spread"));
  const Slopes found = dose_slopes(curves_of(stream, 3000, .5, .5, 1), kDoses, Seed(8), 0, 50);
  EXPECT_NEAR(found.noise_variance, 1. / 5, .01);
  EXPECT_NEAR(found.true_variance, .25, .03);
  EXPECT_NEAR(found.true_share, .1587, .02);  // Phi(-1)
  const Slopes known = dose_slopes(curves_of(stream, 3000, .5, .5, 1), kDoses, Seed(8), 1, 50);
  EXPECT_EQ(known.noise_variance, 1. / 5);
}

TEST(DoseSlopes, HandlesItsEdges) {
  Numbers two(0, 2);
  const double a[] = {0, 1};
  const double b[] = {0, -1};
  two.append(a);
  two.append(b);
  const Slopes found = dose_slopes(two, Values{0, 1}, Seed(0));
  EXPECT_EQ(found.slope, (Values{1, -1}));
  EXPECT_EQ(found.excess.status, Status::undefined);
  EXPECT_EQ(found.excess.ci95.high, 1);
  EXPECT_EQ(dose_slopes(two, Values{0, 1}, Seed(0), .5).excess.usable(), true);
  EXPECT_EQ(dose_slopes(Numbers(0, 2), Values{0, 1}, Seed(0)).anti_steerable.status, Status::undefined);
  EXPECT_THROW(dose_slopes(two, Values{1, 1}, Seed(0)), Error);
  EXPECT_THROW(dose_slopes(two, Values{1, 2, 3}, Seed(0)), Error);
}

TEST(Reversal, SeesAFallAndNotARise) {
  Stream stream(Seed(9).child("fall"));
  Numbers rising(40, 4);
  Numbers falling(40, 4);
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      rising.row(i)[j] = static_cast<double>(j) + stream.normal();
      falling.row(i)[j] = (j == 3 ? 0. : static_cast<double>(j)) + stream.normal();
    }
  EXPECT_FALSE(reversal(rising).reversed);
  EXPECT_TRUE(reversal(falling).reversed);
  EXPECT_FALSE(reversal(Numbers(0, 4)).reversed);
}

}  // namespace
}  // namespace sonder::stats
