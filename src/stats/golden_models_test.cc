// The golden numbers of methods.md 10 about models of comparisons, annotators, items, prevalence and
// sequences, one test each. Tolerance 1e-6 relative unless the source shows fewer digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "stats/pairwise.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;

#define EXPECT_GOLDEN(found, golden) EXPECT_NEAR(found, golden, 1e-6 * std::abs(golden))

Numbers numbers(const std::vector<Values>& rows) {
  Numbers table;
  for (const Values& row : rows) table.append(row);
  return table;
}

// M23: Stigler's citations; row cited, column citing. BradleyTerry2's vignette.
TEST(Golden, M23_BradleyTerry) {
  const Abilities found =
      bradley_terry(numbers({{0, 730, 498, 221}, {33, 0, 68, 17}, {320, 813, 0, 142}, {284, 276, 325, 0}}));
  EXPECT_TRUE(found.connected);
  EXPECT_EQ(found.ability[0].value, 0);
  EXPECT_NEAR(found.ability[1].value, -2.9490725, 5e-8);
  EXPECT_NEAR(found.ability[1].se, .1025453, 5e-8);
  EXPECT_NEAR(found.ability[2].value, -.4795698, 5e-8);
  EXPECT_NEAR(found.ability[2].se, .0605887, 5e-8);
  EXPECT_NEAR(found.ability[3].value, .2689541, 5e-8);
  EXPECT_NEAR(found.ability[3].se, .0708300, 5e-8);
}

// M24: the Davidson fit agrees with the Poisson log-linear model.
TEST(Golden, M24_Ties) {
  const std::vector<Meeting> meetings = {{0, 1, 12, 6, 4}, {0, 2, 15, 3, 2}, {1, 2, 11, 5, 6}};
  const Abilities davidson = abilities(meetings, 3, TieModel::davidson);
  EXPECT_NEAR(davidson.ability[1].value, -.8123042, 5e-8);
  EXPECT_NEAR(davidson.ability[2].value, -1.6246084, 5e-8);
  EXPECT_NEAR(davidson.tie, .5337927, 5e-8);
  EXPECT_NEAR(davidson.log_likelihood, -60.0854991, 5e-8);
  const Abilities rao_kupper = abilities(meetings, 3, TieModel::rao_kupper);
  EXPECT_NEAR(rao_kupper.ability[1].value, -.7070633, 5e-8);
  EXPECT_NEAR(rao_kupper.ability[2].value, -1.3620066, 5e-8);
  EXPECT_NEAR(rao_kupper.tie, 1.5861495, 5e-8);
  EXPECT_NEAR(rao_kupper.log_likelihood, -59.9171321, 5e-8);
}

}  // namespace
}  // namespace sonder::stats
