// The golden numbers of methods.md 10 about raters: agreement and reliability, one test each.
// Tolerance 1e-6 relative unless the source shows fewer digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "stats/agreement.h"
#include "stats/detail/golden.h"
#include "stats/reliability.h"

namespace sonder::stats {
namespace {

using detail::numbers;
using Values = std::vector<double>;

constexpr Seed kSeed(20261130);

// One string per unit, one character per rater, * where missing.
Ratings units(const std::vector<std::string>& rows) {
  Ratings ratings;
  for (const std::string& text : rows) {
    std::vector<std::optional<double>> row;
    for (const char c : text) row.push_back(c == '*' ? std::nullopt : std::optional<double>(c - '0'));
    ratings.append(row);
  }
  return ratings;
}

double alpha(const Ratings& ratings, Metric metric) { return krippendorff(ratings, metric, kSeed, 20).value; }

// M1: 3 coders × 15 units. Wikipedia, fast-krippendorff's sample.
TEST(Golden, M01_KrippendorffCanonical) {
  const std::string coders[] = {
      "*****3412113"
      "3*3",
      "1*213343*******", "**21344*21133*4"};
  Ratings ratings(15, 3);
  for (std::size_t u = 0; u < 15; ++u) {
    for (std::size_t r = 0; r < 3; ++r) {
      if (coders[r][u] != '*') ratings.row(u)[r] = coders[r][u] - '0';
    }
  }
  EXPECT_GOLDEN(alpha(ratings, Metric::nominal), 56.0 / 81);
  EXPECT_GOLDEN(alpha(ratings, Metric::ordinal), .8067214199);
  EXPECT_GOLDEN(alpha(ratings, Metric::interval), .8108448928);
  EXPECT_GOLDEN(alpha(ratings, Metric::ratio), .8089436708);
}

// M2: irr's kripp.alpha example, 4 raters × 12 units.
Ratings c_data() {
  return units(
      {"11*1", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", "*555", "**11", "**3*"});
}

TEST(Golden, M02_KrippendorffCData) {
  EXPECT_GOLDEN(alpha(c_data(), Metric::nominal), .7434210526);
  EXPECT_GOLDEN(alpha(c_data(), Metric::ordinal), .8153875038);
  EXPECT_GOLDEN(alpha(c_data(), Metric::interval), .8491071429);
  EXPECT_GOLDEN(alpha(c_data(), Metric::ratio), .7974027747);
  const Estimate flat = krippendorff(units({"111", "111", "11*"}), Metric::nominal, kSeed);
  EXPECT_EQ(flat.status, Status::undefined);
  EXPECT_EQ(flat.ci95, (Interval{-1, 1}));
}

// M3: the data of M2, irrCAC's cac.raw4raters.
TEST(Golden, M03_Gwet) {
  const Agreement ac1 = agreement(c_data(), Chance::gwet);
  EXPECT_GOLDEN(ac1.observed, .8181818182);
  EXPECT_GOLDEN(ac1.expected, .1903211806);
  EXPECT_GOLDEN(ac1.estimate.value, .7754440681);
  EXPECT_GOLDEN(ac1.estimate.se, .1429499506);
  const Agreement ac2 = agreement(c_data(), Chance::gwet, Weighting::quadratic);
  EXPECT_GOLDEN(ac2.observed, .9753787879);
  EXPECT_GOLDEN(ac2.expected, .7137044271);
  EXPECT_GOLDEN(ac2.estimate.value, .9140007236);
  EXPECT_GOLDEN(ac2.estimate.se, .1039622446);
  const Agreement linear = agreement(c_data(), Chance::gwet, Weighting::linear);
  EXPECT_NEAR(linear.estimate.value, .85874, 5e-6);
  EXPECT_NEAR(linear.estimate.se, .11733, 5e-6);
  EXPECT_NEAR(agreement(c_data(), Chance::fleiss).estimate.value, .76117, 5e-6);
  EXPECT_NEAR(agreement(c_data(), Chance::cohen).estimate.value, .76282, 5e-6);
  EXPECT_NEAR(agreement(c_data(), Chance::brennan_prediger).estimate.value, .77273, 5e-6);
}

// M4: two raters, a table of 100. irrCAC.
TEST(Golden, M04_TwoRaters) {
  const Numbers table = numbers({{13, 0, 0}, {0, 20, 7}, {0, 4, 56}});
  const Agreement kappa = agreement_of_table(table, Chance::cohen);
  EXPECT_GOLDEN(kappa.observed, .89);
  EXPECT_NEAR(kappa.estimate.value, .7964094, 5e-8);
  EXPECT_NEAR(kappa.estimate.se, .0589107, 5e-8);
  EXPECT_NEAR(agreement_of_table(table, Chance::fleiss).estimate.value, .7962397, 5e-8);
  const Agreement ac1 = agreement_of_table(table, Chance::gwet);
  EXPECT_NEAR(ac1.estimate.value, .8493305, 5e-8);
  EXPECT_NEAR(ac1.estimate.se, .0432175, 5e-8);
  EXPECT_GOLDEN(agreement_of_table(table, Chance::brennan_prediger).estimate.value, .835);
  Ratings ratings;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (int n = 0; n < static_cast<int>(table.row(i)[j]); ++n)
        ratings.append(std::vector<std::optional<double>>{static_cast<double>(i), static_cast<double>(j)});
    }
  }
  EXPECT_NEAR(alpha(ratings, Metric::nominal), .7972585, 5e-8);
}

// M5: 14 raters. Wikipedia.
TEST(Golden, M05_Fleiss) {
  const Numbers counts = numbers({{0, 0, 0, 0, 14},
                                  {0, 2, 6, 4, 2},
                                  {0, 0, 3, 5, 6},
                                  {0, 3, 9, 2, 0},
                                  {2, 2, 8, 1, 1},
                                  {7, 7, 0, 0, 0},
                                  {3, 2, 6, 3, 0},
                                  {2, 5, 3, 2, 2},
                                  {6, 5, 2, 1, 0},
                                  {0, 2, 2, 3, 7}});
  EXPECT_NEAR(agreement_of_counts(counts, Chance::fleiss).estimate.value, .2099307, 5e-8);
}

// M6: Shrout and Fleiss 1979. psych.
TEST(Golden, M06_Icc) {
  const Numbers scores =
      numbers({{9, 2, 5, 8}, {6, 1, 3, 2}, {8, 4, 6, 8}, {7, 1, 2, 6}, {10, 5, 6, 9}, {6, 2, 4, 7}});
  EXPECT_GOLDEN(icc(scores, IccForm::one_single).value, .1657418);
  EXPECT_GOLDEN(icc(scores, IccForm::two_single).value, .2897638);
  EXPECT_GOLDEN(icc(scores, IccForm::three_single).value, .7148407);
  EXPECT_GOLDEN(icc(scores, IccForm::one_mean).value, .4427971);
  EXPECT_GOLDEN(icc(scores, IccForm::two_mean).value, .6200505);
  EXPECT_GOLDEN(icc(scores, IccForm::three_mean).value, .9093155);
}

// M44: SciPy's manual; W of three raters.
TEST(Golden, M44_Kendall) {
  const Estimate tau = kendall_tau_b(Values{12, 2, 1, 12, 2}, Values{1, 4, 7, 1, 0});
  EXPECT_GOLDEN(tau.value, -.4714045);
  EXPECT_GOLDEN(tau.p, .2827455);
  EXPECT_GOLDEN(kendall_w(numbers({{1, 2, 3, 4}, {1, 3, 2, 4}, {2, 1, 3, 4}})).value, .7777778);
}

}  // namespace
}  // namespace sonder::stats
