// The golden numbers of methods.md 10 about models of comparisons, annotators, items, prevalence and
// sequences, one test each. Tolerance 1e-6 relative unless the source shows fewer digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "stats/annotators.h"
#include "stats/detail/golden.h"
#include "stats/pairwise.h"
#include "stats/rasch.h"

namespace sonder::stats {
namespace {

using detail::numbers;
using Values = std::vector<double>;

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

// M25: anaesthesia, 45 patients, observer 1 three times, observers 2 to 5 once. Dawid and Skene 1979.
TEST(Golden, M25_DawidSkene) {
  const std::string patients =
      "111 1111|333 4334|112 2122|222 3121|222 3222|222 3322|112 2111|333 3433|222 2223|"
      "232 2223|444 4444|222 3343|111 1111|222 3212|121 1111|111 2111|111 1111|111 1111|"
      "222 2221|222 1322|222 2222|222 2221|222 3222|221 2222|111 1111|111 1111|232 2222|"
      "111 1111|111 1111|112 1121|111 1111|333 3233|111 1111|222 2222|222 3232|433 4343|"
      "221 2232|232 3233|333 3432|111 1111|111 1111|121 2111|232 2222|121 1111|222 2222|";
  std::vector<Label> labels;
  int place = 0;
  int patient = 0;
  for (const char c : patients) {
    if (c == '|') {
      ++patient;
      place = 0;
    } else if (c != ' ') {
      labels.push_back({patient, place < 3 ? 0 : place - 2, c - '1'});
      ++place;
    }
  }
  ASSERT_EQ(patient, 45);
  const DawidSkene found = dawid_skene(labels, 4);
  EXPECT_NEAR(found.prevalence[0], .3999690, 5e-8);
  EXPECT_NEAR(found.prevalence[1], .4215763, 5e-8);
  EXPECT_NEAR(found.prevalence[2], .1117880, 5e-8);
  EXPECT_NEAR(found.prevalence[3], .0666667, 5e-8);
  EXPECT_NEAR(found.log_likelihood, -190.7309966, 5e-8);
  const double observer1[] = {.0703, .8766, .0531, 0};
  for (std::size_t label = 0; label < 4; ++label)
    EXPECT_NEAR(found.confusion[0].row(1)[label], observer1[label], 5e-5);
  int sizes[4] = {};
  for (std::size_t i = 0; i < 45; ++i) ++sizes[found.best(i)];
  EXPECT_EQ(sizes[0], 18);
  EXPECT_EQ(sizes[1], 19);
  EXPECT_EQ(sizes[2], 5);
  EXPECT_EQ(sizes[3], 3);
  EXPECT_EQ(found.best(2), 1);  // patient 3
}

// M26: LSAT, 5 items × 1000. eRm's printed digits stop short of the maximum (its optimiser leaves score
// equations of up to 6e-4); tools/reference/rasch_lsat.py solves them by enumeration to 1e-12, and those
// digits are `exact`.
TEST(Golden, M26_RaschCml) {
  const long totals[] = {924, 709, 553, 763, 870};
  const long scores[] = {3, 20, 85, 237, 357, 298};
  const Rasch found = rasch_of_totals(totals, scores);
  EXPECT_NEAR(found.log_likelihood, -1091.5696900, 5e-8);
  const double easiness[] = {1.2561280, -.4749071, -1.2359806, -.1684101, .6231699};
  const double exact[] = {1.2561284560, -.4749060034, -1.2359841523, -.1684105758, .6231722756};
  const double se[] = {.1044057, .0699171, .0687777, .0726194, .0859174};
  const double exact_se[] = {.1044098642, .0699169000, .0687786099, .0726188485, .0859156804};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(found.easiness[i].value, easiness[i], 5e-6);
    EXPECT_NEAR(found.easiness[i].value, exact[i], 1e-9);
    EXPECT_NEAR(found.easiness[i].se, se[i], 5e-6);
    EXPECT_NEAR(found.easiness[i].se, exact_se[i], 1e-9);
  }
}

}  // namespace
}  // namespace sonder::stats
