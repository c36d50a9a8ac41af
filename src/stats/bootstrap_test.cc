#include "stats/bootstrap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"
#include "stats/ols.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;
using Units = std::span<const std::size_t>;

Statistic mean_over(const Values& x) {
  return [&x](Units units) {
    double total = 0;
    for (const std::size_t u : units) total += x[u];
    return total / static_cast<double>(units.size());
  };
}

TEST(BcaEnumerated, CountsEveryResampleOnce) {  // an odometer over 4^4, unit by unit
  const Values x = {1, 2, 4, 9};
  Values all;
  for (std::size_t code = 0; code < 256; ++code) {
    double total = 0;
    for (std::size_t place = 0, left = code; place < 4; ++place, left /= 4) total += x[left % 4];
    all.push_back(total / 4);
  }
  const Values jack = {5, 14. / 3, 4, 7. / 3};
  const Bca listed = bca_of(4, all, jack);
  const Bca found = bca_enumerated(4, mean_over(x));
  EXPECT_NEAR(found.z0, listed.z0, 1e-12);
  EXPECT_NEAR(found.acceleration, listed.acceleration, 1e-12);
  EXPECT_EQ(found.estimate.ci95, listed.estimate.ci95);
  EXPECT_NEAR(found.estimate.se, listed.estimate.se, 1e-12);
  EXPECT_THROW(bca_enumerated(1, mean_over(x)), Error);
  EXPECT_THROW(bca_enumerated(8, mean_over(x)), Error);
}

TEST(BcaEnumerated, IsWhatTheDrawsTendTo) {
  const Values x = {1, 2, 3, 5, 8, 13};
  const Bca listed = bca_enumerated(6, mean_over(x));
  const Estimate drawn = bca(6, mean_over(x), Seed(1), 40000);
  EXPECT_NEAR(drawn.se, listed.estimate.se, .02);
  EXPECT_NEAR(drawn.ci95.low, listed.estimate.ci95.low, .2);
  EXPECT_NEAR(drawn.ci95.high, listed.estimate.ci95.high, .34);
}

TEST(PercentileBootstrap, OfAMeanIsCloseToItsTInterval) {
  Stream stream(Seed(2).child("normal"));
  Values x(80);
  for (double& v : x) v = 1 + stream.normal();
  const Estimate found = percentile_bootstrap(80, mean_over(x), Seed(3), 4000);
  const Estimate t = mean(x);
  EXPECT_NEAR(found.ci95.low, t.ci95.low, .04);
  EXPECT_NEAR(found.ci95.high, t.ci95.high, .04);
  EXPECT_EQ(found.status, Status::ok);
  EXPECT_LT(found.p, .001);
}

TEST(PercentileBootstrap, HandlesItsEdges) {
  const Values x = {1, 2, 3};
  EXPECT_EQ(percentile_bootstrap(1, mean_over(x), Seed(0)).status, Status::undefined);
  EXPECT_EQ(percentile_bootstrap(0, mean_over(x), Seed(0)).status, Status::undefined);
  EXPECT_EQ(percentile_bootstrap(
                3, [](Units) { return std::nan(""); }, Seed(0), 50)
                .status,
            Status::undefined);
  EXPECT_EQ(percentile_bootstrap(
                3, [](Units) { return 2.0; }, Seed(0), 50)
                .status,
            Status::flagged);
}

struct Crossed {
  Values x;
  std::vector<int> rater, scenario;
};
Crossed crossed(Stream& stream, int n, double mean, double rater_sd, double scenario_sd) {
  Crossed c;
  Values r(static_cast<std::size_t>(n));
  Values s(static_cast<std::size_t>(n));
  for (double& v : r) v = rater_sd * stream.normal();
  for (double& v : s) v = scenario_sd * stream.normal();
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      c.x.push_back(mean + r[static_cast<std::size_t>(i)] + s[static_cast<std::size_t>(j)] +
                    .5 * stream.normal());
      c.rater.push_back(i);
      c.scenario.push_back(j);
    }
  }
  return c;
}

TEST(TwoWayBootstrap, AgreesWithTheTwoWaySandwich) {
  Stream stream(Seed(4).child("crossed"));
  const Crossed c = crossed(stream, 25, .3, 1, 1);
  const Bca drawn = two_way_bootstrap_mean(c.x, c.rater, c.scenario, Seed(5), 1500);
  const Estimate formula = two_way_mean(c.x, c.rater, c.scenario);
  EXPECT_NEAR(drawn.estimate.se, formula.se, .08 * formula.se);
  EXPECT_NEAR(drawn.estimate.value, formula.value, 1e-12);
  EXPECT_EQ(drawn.estimate.n_units, 25);
}

TEST(TwoWayBootstrap, DISABLED_CoversTheTruth) {
  Stream stream(Seed(6).child("coverage"));
  int inside = 0;
  const int n_runs = 150;
  for (int run = 0; run < n_runs; ++run) {
    const Crossed c = crossed(stream, 16, 0, 1, .7);
    const Interval ci =
        two_way_bootstrap_mean(c.x, c.rater, c.scenario, Seed(static_cast<std::uint64_t>(run)), 300)
            .estimate.ci95;
    inside += ci.low < 0 && 0 < ci.high ? 1 : 0;
  }
  EXPECT_GT(inside / double(n_runs), .87);
}

TEST(TwoWayBootstrap, HandlesItsEdges) {
  EXPECT_EQ(two_way_bootstrap_mean(Values{1, 2}, std::vector<int>{1, 1}, std::vector<int>{1, 2}, Seed(0))
                .estimate.status,
            Status::undefined);
  EXPECT_EQ(two_way_bootstrap_mean(Values{}, std::vector<int>{}, std::vector<int>{}, Seed(0)).estimate.status,
            Status::undefined);
  EXPECT_EQ(two_way_bootstrap_mean(Values{2, 2, 2, 2}, std::vector<int>{1, 1, 2, 2},
                                   std::vector<int>{1, 2, 1, 2}, Seed(0), 99)
                .estimate.status,
            Status::flagged);
  EXPECT_THROW(two_way_bootstrap_mean(Values{1}, std::vector<int>{1}, std::vector<int>{}, Seed(0)), Error);
}

}  // namespace
}  // namespace sonder::stats
