#include "stats/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/seed.h"

namespace sonder::stats {
namespace {

TEST(Brier, IsTheMeanSquareAndKnowsAPerfectForecast) {
  const Estimate found = brier(std::vector<double>{.1, .9, .8, .3}, std::vector<int>{0, 1, 1, 0});
  EXPECT_NEAR(found.value, .0375, 1e-12);
  EXPECT_EQ(found.n_units, 4);
  EXPECT_EQ(brier(std::vector<double>{1, 0, 1}, std::vector<int>{1, 0, 1}).value, 0);
  EXPECT_EQ(brier(std::vector<double>(6, .5), std::vector<int>{1, 0, 1, 0, 0, 0}).value, .25);
  EXPECT_EQ(brier({}, {}).status, Status::undefined);
  EXPECT_THROW(brier(std::vector<double>{1.5}, std::vector<int>{1}), Error);
  EXPECT_THROW(brier(std::vector<double>{.5}, std::vector<int>{2}), Error);
}

TEST(ReliabilityDiagram, HoldsTheDiagonalForHonestChancesAndNotForShyOnes) {
  Stream stream(Seed(38).child("chances"));
  std::vector<double> honest;
  std::vector<double> shy;  // half as far from one half as the truth
  std::vector<int> happened;
  for (int i = 0; i < 4000; ++i) {
    honest.push_back(stream.uniform());
    shy.push_back(.5 + (honest.back() - .5) / 2);
    happened.push_back(stream.uniform() < honest.back() ? 1 : 0);
  }
  int outside = 0;
  int n = 0;
  for (const auto& bin : reliability_diagram(honest, happened)) {
    outside += bin.stated < bin.share95.low || bin.stated > bin.share95.high ? 1 : 0;
    n += bin.n;
  }
  EXPECT_EQ(n, 4000);
  EXPECT_LE(outside, 1);
  const auto bins = reliability_diagram(shy, happened);
  ASSERT_EQ(bins.size(), 10U);
  EXPECT_LT(bins[0].share95.high, bins[0].stated);
  EXPECT_GT(bins[9].share95.low, bins[9].stated);
}

TEST(ReliabilityDiagram, NeverPartsEqualChances) {
  const auto bins =
      reliability_diagram(std::vector<double>{.2, .2, .2, .7, .2}, std::vector<int>{0, 1, 0, 1, 0}, 5);
  ASSERT_EQ(bins.size(), 2U);
  EXPECT_EQ(bins[0].n, 4);
  EXPECT_EQ(bins[0].share, .25);
  EXPECT_TRUE(reliability_diagram({}, {}).empty());
}

}  // namespace
}  // namespace sonder::stats
