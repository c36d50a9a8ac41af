#include "study/foresight.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.h"
#include "base/seed.h"
#include "stats/mean.h"

namespace sonder::study {
namespace {

constexpr double kSds[] = {.30, .45, .60};

int needed(const std::vector<Needed>& table, const std::string& word, double theta, double bound, double sd) {
  for (const Needed& row : table)
    if (row.word == word && std::abs(row.theta - theta) < 1e-12 && std::abs(row.bound - bound) < 1e-12 &&
        row.sd == sd)
      return row.n;
  ADD_FAILURE() << "no row for " << word;
  return -1;
}

TEST(ScenariosNeeded, OfAnEquivalenceAreTheTableOfMethods) {  // methods.md 4.5
  const double deltas[] = {.10, .15, .20};
  const auto table = scenarios_needed(kSds, .35, deltas, Limits{});
  const int expected[3][3] = {{78, 174, 309}, {35, 78, 138}, {20, 44, 78}};
  for (int d = 0; d < 3; ++d)
    for (int s = 0; s < 3; ++s)
      EXPECT_EQ(needed(table, "NO_EFFECT_EQUIVALENT", 0, deltas[d], kSds[s]), expected[d][s]);
}

// The share of simulated studies whose interval lies above the bound, with n scenarios.
double share_above(int n, double theta, double sd, double bound) {
  int above = 0;
  const int runs = 2000;
  for (int run = 0; run < runs; ++run) {
    Stream stream(Seed(7).child(static_cast<std::uint64_t>(run)));
    std::vector<double> x(static_cast<std::size_t>(n));
    for (double& value : x) value = theta + sd * stream.normal();
    above += stats::mean(x).ci95.low > bound ? 1 : 0;
  }
  return above / static_cast<double>(runs);
}

TEST(ScenariosNeeded, GiveThePowerThatTheyPromise) {  // standard error .009
  const auto table = scenarios_needed(kSds, 0, std::vector<double>{.1}, Limits{});
  const int partial = needed(table, "PARTIAL", .25, 0, .45);
  EXPECT_NEAR(share_above(partial, .25, .45, 0), .80, .03);
  EXPECT_LT(share_above(partial / 2, .25, .45, 0), .60);
  const int controls = needed(table, "CONTROLS", .7, .5, .45);
  EXPECT_NEAR(share_above(controls, .7, .45, .5), .80, .03);
}

TEST(ScenariosNeeded, GrowWithTheSpreadOfTheGapWhereThereIsAShift) {
  const std::vector<double> deltas = {.1};
  const auto steady = scenarios_needed(kSds, 0, deltas, Limits{});
  const auto uneven = scenarios_needed(kSds, .6, deltas, Limits{});
  EXPECT_EQ(needed(steady, "NO_EFFECT_EQUIVALENT", 0, .1, .3),
            needed(uneven, "NO_EFFECT_EQUIVALENT", 0, .1, .3));
  EXPECT_LT(needed(steady, "CONTROLS", .7, .5, .3), needed(uneven, "CONTROLS", .7, .5, .3));
  EXPECT_THROW(scenarios_needed(kSds, -1, deltas, Limits{}), Error);
  EXPECT_THROW(scenarios_needed(std::vector<double>{0.}, .3, deltas, Limits{}), Error);
}

TEST(PilotSpreads, AreTheSdBehindTheInterval) {
  Findings f;
  f.scenarios.resize(40);
  f.certificates.resize(2);
  f.certificates[0].instrument = "lexicon";
  f.certificates[0].facet = "affective";
  f.certificates[1] = f.certificates[0];
  f.certificates[1].instrument = "length";
  f.certificates[1].control_only = true;
  Effect e;
  e.instrument = "lexicon";
  e.facet = e.direction = "affective";
  e.kind = "steer";
  e.arm = "steer affective +2";
  e.dose = 2;
  e.theta.missing = "no gap";
  f.effects.push_back(e);
  EXPECT_TRUE(pilot_spreads(f).empty());
  std::vector<double> x(40);
  Stream stream(Seed(3));
  for (double& value : x) value = .2 + .5 * stream.normal();
  const auto found = stats::mean(x);
  double squares = 0;
  for (const double value : x) squares += (value - found.value) * (value - found.value);
  e.theta = {found.value, found.ci95.low, found.ci95.high, found.ci90.low, found.ci90.high, ""};
  f.effects.push_back(e);
  Effect wide = e;
  wide.dose = 4;
  wide.theta.hi95 += 5;
  f.effects.push_back(wide);
  ASSERT_EQ(pilot_spreads(f).size(), 1U);
  EXPECT_NEAR(pilot_spreads(f)[0].sd, std::sqrt(squares / 39), 1e-9);
  f.effects.back().chosen = true;  // the confirmatory dose comes first, whatever its size
  EXPECT_GT(pilot_spreads(f)[0].sd, 2);
}

}  // namespace
}  // namespace sonder::study
