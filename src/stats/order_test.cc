#include "stats/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;

Numbers blocks_of(const std::vector<Values>& rows) {
  Numbers blocks;
  for (const Values& row : rows) blocks.append(row);
  return blocks;
}

void expect_all_near(const Values& found, const Values& golden, double tolerance) {
  ASSERT_EQ(found.size(), golden.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], golden[i], tolerance) << "place " << i;
}

// ---- Page

TEST(Page, MatchesTheWorkedExample) {  // methods.md M33
  const Page test =
      page(blocks_of({{1, 2, 3, 4}, {2, 1, 3, 4}, {1, 3, 2, 4}, {1, 2, 4, 3}, {2, 1, 4, 3}, {1, 3, 2, 4}}));
  EXPECT_EQ(test.l, 174);
  EXPECT_EQ(test.expected, 150);
  EXPECT_NEAR(test.variance, 50, 1e-12);
  EXPECT_NEAR(test.z, 3.3941125, 1e-7);
  EXPECT_NEAR(test.p_normal, .00034426, 1e-8);
  EXPECT_TRUE(test.exact);
  EXPECT_NEAR(test.p, .00011600, 1e-8);
  EXPECT_EQ(test.status, Status::ok);
}

TEST(Page, CountsTiedPermutationsExactly) {
  // By hand: the ranks of {1, 1, 2} can lie in three orders, L = 1.5 a + 1.5 b + 3 c.
  const Page one = page(blocks_of({{1, 1, 2}}));
  EXPECT_NEAR(one.l, 1.5 + 3 + 9, 1e-14);
  EXPECT_NEAR(one.p, 1.0 / 3, 1e-14);
  const Page two = page(blocks_of({{1, 1, 2}, {1, 2, 3}}));
  EXPECT_NEAR(two.p, 1.0 / 18, 1e-14);
}

TEST(Page, VarianceUnderTiesIsThatOfThePermutations) {
  const Values row = {3, 1, 1, 7, 7};
  Values order = row;
  std::sort(order.begin(), order.end());
  double n = 0;
  double total = 0;
  double squares = 0;
  do {
    const double l = page(blocks_of({order})).l;
    n += 1;
    total += l;
    squares += l * l;
  } while (std::next_permutation(order.begin(), order.end()));
  const Page test = page(blocks_of({row}));
  EXPECT_NEAR(test.expected, total / n, 1e-10);
  EXPECT_NEAR(test.variance, squares / n - total / n * total / n, 1e-8);
}

TEST(Page, OfNothingOrOfTiesOnlyIsUndefined) {
  EXPECT_EQ(page(Numbers{}).status, Status::undefined);
  EXPECT_EQ(page(Numbers(5, 1)).status, Status::undefined);
  const Page flat = page(Numbers(5, 4));
  EXPECT_EQ(flat.status, Status::undefined);
  EXPECT_EQ(flat.p, 1);
  EXPECT_EQ(flat.z, 0);
}

TEST(Page, FallingAndRisingSumToOneAndTheObserved) {
  Stream stream(Seed(41).child("page"));
  for (int round = 0; round < 50; ++round) {
    Numbers rising(2 + stream.below(6), 4);
    for (double& value : rising.data) value = stream.normal();
    Numbers falling = rising;
    for (double& value : falling.data) value = -value;
    const Page up = page(rising);
    const Page down = page(falling);
    EXPECT_NEAR(up.z, -down.z, 1e-12) << "round " << round;
    EXPECT_GE(up.p + down.p, 1) << "round " << round;
  }
}

TEST(Page, LargeTablesUseTheNormalFormWhichAgrees) {
  Stream stream(Seed(42).child("large page"));
  Numbers blocks(100, 4);
  for (std::size_t i = 0; i < blocks.n; ++i)
    for (std::size_t j = 0; j < 4; ++j) blocks.row(i)[j] = .15 * static_cast<double>(j) + stream.normal();
  const Page exact = page(blocks);
  EXPECT_TRUE(exact.exact);
  EXPECT_NEAR(exact.p, exact.p_normal, .05 * exact.p + .002);
  blocks.append(Values{1, 2, 3, 4});
  EXPECT_FALSE(page(blocks).exact);
  EXPECT_EQ(page(blocks).p, page(blocks).p_normal);
}

TEST(Page, RejectsAsOftenAsItSaysAndFindsAPlantedOrder) {
  Stream stream(Seed(43).child("page size"));
  int rejected = 0;
  int found = 0;
  const int n_runs = 1000;
  for (int run = 0; run < n_runs; ++run) {
    Numbers none(10, 4);
    Numbers planted(10, 4);
    for (std::size_t i = 0; i < 10; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        none.row(i)[j] = stream.normal();
        planted.row(i)[j] = static_cast<double>(j) + stream.normal();
      }
    }
    rejected += page(none).p <= .05 ? 1 : 0;
    found += page(planted).p <= .05 ? 1 : 0;
  }
  EXPECT_NEAR(rejected / double{n_runs}, .046, .02);
  EXPECT_GE(found, n_runs * 99 / 100);
}

// ---- isotonic fit

TEST(Isotonic, MatchesR) {  // methods.md M34; R isoreg
  expect_all_near(isotonic(Values{1, 0, 4, 3, 3, 5, 4, 2, 0}), {.5, .5, 3, 3, 3, 3, 3, 3, 3}, 1e-14);
  expect_all_near(isotonic(Values{1, 3, 2, 4, 3.5, 5}), {1, 2.5, 2.5, 3.75, 3.75, 5}, 1e-14);
  EXPECT_TRUE(isotonic(Values{}).empty());
}

TEST(Isotonic, RisesKeepsTheMeanAndLeavesARisingCurveAlone) {
  Stream stream(Seed(44).child("isotonic"));
  for (int round = 0; round < 100; ++round) {
    Values y(1 + stream.below(20));
    for (double& value : y) value = stream.normal();
    const Values fit = isotonic(y);
    EXPECT_TRUE(std::is_sorted(fit.begin(), fit.end())) << "round " << round;
    double gap = 0;
    for (std::size_t i = 0; i < y.size(); ++i) gap += y[i] - fit[i];
    EXPECT_NEAR(gap, 0, 1e-12) << "round " << round;
    std::sort(y.begin(), y.end());
    expect_all_near(isotonic(y), y, 0);
  }
}

// ---- monotonicity

TEST(Monotonicity, IsOneForRisingZeroForFallingAndBetweenForABend) {
  const Numbers rising = blocks_of({{0, 1, 2, 3}, {0, 2, 3, 5}, {1, 1, 2, 4}});
  EXPECT_NEAR(monotonicity(rising, Seed(45)).index, 1, 1e-14);
  const Numbers falling = blocks_of({{3, 2, 1, 0}, {5, 3, 2, 0}});
  EXPECT_NEAR(monotonicity(falling, Seed(45)).index, 0, 1e-14);
  // Means 0, 2, 1: fit 0, 1.5, 1.5; SSE .5, SST 2.
  EXPECT_NEAR(monotonicity(blocks_of({{0, 2, 1}}), Seed(45)).index, .75, 1e-14);
  const Monotonicity flat = monotonicity(Numbers(5, 3), Seed(45));
  EXPECT_EQ(flat.index, 0);
  EXPECT_EQ(flat.p, 1);
  EXPECT_EQ(monotonicity(Numbers{}, Seed(45)).p, 1);
}

TEST(Monotonicity, FindsAPlantedRiseAndNoneWhereNoneIsPlanted) {
  Stream stream(Seed(46).child("monotone"));
  int found = 0;
  int imagined = 0;
  for (int run = 0; run < 200; ++run) {
    Numbers planted(20, 4);
    Numbers none(20, 4);
    for (std::size_t i = 0; i < 20; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        planted.row(i)[j] = .6 * static_cast<double>(j) + stream.normal();
        none.row(i)[j] = stream.normal();
      }
    }
    const Seed seed = Seed(47).child(static_cast<std::uint64_t>(run));
    found += monotonicity(planted, seed, 99).p <= .05 ? 1 : 0;
    imagined += monotonicity(none, seed, 99).p <= .05 ? 1 : 0;
  }
  EXPECT_GE(found, 196);
  EXPECT_NEAR(imagined, 10, 9);  // three errors about 5 %
}

// ---- multiplicity

const Values kBenjamini = {.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344,
                           .0459, .3240, .4262, .5719, .6528, .7590, 1};

TEST(Multiplicity, MatchesBenjaminiAndHochberg) {  // methods.md M14; Benjamini and Hochberg 1995, R p.adjust
  const Values golden = {.0015, .003, .0095,    .035625, .0603,    .0638571, .0638571, .0645,
                         .0765, .486, .5811818, .714875, .7532308, .8132143, 1};
  const Values adjusted = benjamini_hochberg(kBenjamini);
  expect_all_near(adjusted, golden, 5e-8);
  EXPECT_EQ(std::count_if(adjusted.begin(), adjusted.end(), [](double p) { return p <= .05; }), 4);
}

TEST(Multiplicity, MatchesHolm) {  // methods.md M14
  const Values golden = {.0015, .0056, .0247, .114, .2211, .278, .278, .278, .3213, 1, 1, 1, 1, 1, 1};
  expect_all_near(holm(kBenjamini), golden, 1e-10);
}

TEST(Multiplicity, KeepsTheOrderAndNeverLowersAP) {
  Stream stream(Seed(48).child("holm"));
  for (int round = 0; round < 100; ++round) {
    Values p(1 + stream.below(12));
    for (double& one : p) one = std::round(stream.uniform() * 20) / 20;
    const Values by_holm = holm(p);
    const Values by_bh = benjamini_hochberg(p);
    for (std::size_t i = 0; i < p.size(); ++i) {
      EXPECT_LE(p[i], by_bh[i] + 1e-15);
      EXPECT_LE(by_bh[i], by_holm[i] + 1e-15);
      EXPECT_LE(by_holm[i],
                std::min(1.0, p[i] * static_cast<double>(p.size())) + 1e-15 + (by_holm[i] - p[i]));
      for (std::size_t j = 0; j < p.size(); ++j) {
        if (p[i] <= p[j]) {
          EXPECT_LE(by_holm[i], by_holm[j]) << "round " << round;
          EXPECT_LE(by_bh[i], by_bh[j]) << "round " << round;
        }
      }
    }
    Values lower = p;  // lowering one p lowers no other's verdict
    lower[0] /= 2;
    const Values after = holm(lower);
    for (std::size_t i = 0; i < p.size(); ++i) EXPECT_LE(after[i], by_holm[i] + 1e-15) << "round " << round;
  }
}

TEST(Multiplicity, RefusesWhatIsNoP) {
  EXPECT_TRUE(holm(Values{}).empty());
  EXPECT_THROW(holm(Values{.2, 1.1}), Error);
  EXPECT_THROW(benjamini_hochberg(Values{std::nan("")}), Error);
}

TEST(PermutationP, CountsItselfAndIsNeverZero) {
  EXPECT_DOUBLE_EQ(permutation_p(5, Values{1, 2, 3}), .25);
  EXPECT_DOUBLE_EQ(permutation_p(2, Values{1, 2, 3}), .75);
  EXPECT_DOUBLE_EQ(permutation_p(.1 + .2, Values{.3}), 1);  // equal but for rounding
  EXPECT_EQ(permutation_p(5, Values{}), 1);
  EXPECT_THROW(permutation_p(std::nan(""), Values{1}), Error);
}

}  // namespace
}  // namespace sonder::stats
