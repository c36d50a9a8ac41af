#include "stats/mediation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;

struct Trial {
  Values t, m, y;
};

// hidden: a common cause of mediator and outcome.
Trial draw(Stream& stream, int n, double a, double b, double direct, double hidden) {
  Trial x;
  for (int i = 0; i < n; ++i) {
    const double cause = stream.normal();
    x.t.push_back(i % 2);
    x.m.push_back(a * x.t.back() + hidden * cause + stream.normal());
    x.y.push_back(direct * x.t.back() + b * x.m.back() + hidden * cause + stream.normal());
  }
  return x;
}

TEST(Mediation, FindsAPlantedPathAndNoneWhereNoneIsPlanted) {
  Stream stream(Seed(1).child("paths"));
  const Trial path = draw(stream, 300, 1, .6, 0, 0);
  const Mediation found = mediation(path.t, path.m, path.y, Seed(2), 1000);
  EXPECT_NEAR(found.indirect.value, .6, .2);
  EXPECT_GT(found.indirect.ci95.low, .25);
  EXPECT_NEAR(found.direct.value + found.indirect.value, found.total.value, 1e-12);
  EXPECT_LT(found.indirect.p, .01);
  const Trial none = draw(stream, 300, 0, .6, .5, 0);
  EXPECT_LT(mediation(none.t, none.m, none.y, Seed(3), 1000).indirect.ci95.low, 0);
}

TEST(Mediation, SensitivityIsTheEstimateAtZeroAndUndoesAHiddenCause) {
  Stream stream(Seed(4).child("hidden"));
  const Trial confounded = draw(stream, 20000, 1, 0, .5, 1);  // no path at all, only a common cause
  const Mediation found = mediation(confounded.t, confounded.m, confounded.y, Seed(5), 50);
  EXPECT_NEAR(indirect_at(found, 0), found.indirect.value, 1e-10);
  EXPECT_GT(found.indirect.value, .3);          // fooled
  EXPECT_NEAR(found.rho_at_zero, .5, .02);      // the errors do correlate by 1 / 2
  EXPECT_NEAR(indirect_at(found, .5), 0, .03);  // and knowing so repairs it
  EXPECT_NEAR(indirect_at(found, found.rho_at_zero), 0, 1e-10);
  EXPECT_THROW(indirect_at(found, 1), Error);
}

TEST(Mediation, ResamplesClustersNotRows) {
  Stream stream(Seed(6).child("copies"));
  const Trial once = draw(stream, 40, 1, .6, 0, 0);
  Trial copied;
  std::vector<int> cluster;
  for (std::size_t i = 0; i < 40; ++i) {
    for (int k = 0; k < 10; ++k) {
      copied.t.push_back(once.t[i]);
      copied.m.push_back(once.m[i]);
      copied.y.push_back(once.y[i]);
      cluster.push_back(static_cast<int>(i));
    }
  }
  const Mediation plain = mediation(once.t, once.m, once.y, Seed(7), 1000);
  const Mediation clustered = mediation(copied.t, copied.m, copied.y, cluster, Seed(7), 1000);
  EXPECT_NEAR(plain.indirect.ci95.low, clustered.indirect.ci95.low, 1e-9);
  EXPECT_NEAR(plain.indirect.ci95.high, clustered.indirect.ci95.high, 1e-9);
}

TEST(Mediation, GivesNoProportionWhereItWouldMislead) {
  Stream stream(Seed(8).child("opposed"));
  const Trial opposed = draw(stream, 400, 1, .5, -1.5, 0);  // the path works against the total
  EXPECT_FALSE(mediation(opposed.t, opposed.m, opposed.y, Seed(9), 100).proportion.has_value());
  const Trial none = draw(stream, 60, .2, .1, 0, 0);
  EXPECT_FALSE(mediation(none.t, none.m, none.y, Seed(10), 100).proportion.has_value());
}

TEST(Mediation, HandlesItsEdges) {
  const Values t = {0, 0, 0, 1, 1, 1};
  const Values m = {1, 2, 3, 2, 3, 5};
  const Values y = {1, 1, 2, 3, 3, 4};
  EXPECT_EQ(mediation(Values(6, 1.0), m, y, Seed(0)).status, Status::undefined);
  EXPECT_EQ(mediation(t, Values(6, 2.0), y, Seed(0)).status, Status::undefined);
  EXPECT_EQ(mediation(t, t, y, Seed(0)).status, Status::undefined);
  EXPECT_EQ(mediation(Values{}, Values{}, Values{}, Seed(0)).status, Status::undefined);
  EXPECT_EQ(mediation(t, m, y, std::vector<int>(6, 1), Seed(0)).status, Status::undefined);
  EXPECT_EQ(mediation(t, m, y, Seed(0), 200).indirect.status, Status::flagged);  // six rows
  EXPECT_THROW(mediation(t, m, Values{1, 2}, Seed(0)), Error);
}

struct Wins {
  Values win, longer;
  std::vector<int> item;
};
Wins duel(Stream& stream, int items, int each, double skill, double length_love, double longer_by) {
  Wins w;
  for (int i = 0; i < items; ++i) {
    const double own = .7 * stream.normal();
    for (int k = 0; k < each; ++k) {
      const double longer = longer_by + 100 * stream.normal();
      const double logit = skill + length_love * std::tanh(longer / 100) + (each > 1 ? own : 0);
      w.longer.push_back(longer);
      w.win.push_back(stream.uniform() < 1 / (1 + std::exp(-logit)) ? 1 : 0);
      w.item.push_back(i);
    }
  }
  return w;
}

TEST(LengthControlledWinRate, TakesOffWhatLengthAloneWins) {
  Stream stream(Seed(11).child("love"));
  const Wins w = duel(stream, 1500, 1, 0, 2, 100);
  const LengthControlled found = length_controlled_win_rate(w.win, w.longer, w.item, Seed(12), 200);
  EXPECT_GT(found.raw, .70);
  EXPECT_NEAR(found.win_rate.value, .5, .06);
  EXPECT_GT(found.phi, 1);
  EXPECT_GT(found.win_rate.p, .01);
}

TEST(LengthControlledWinRate, KeepsSkillThatIsNotLength) {
  Stream stream(Seed(13).child("skill"));
  const Wins w = duel(stream, 400, 3, 1, 0, 0);
  const LengthControlled found = length_controlled_win_rate(w.win, w.longer, w.item, Seed(14), 200);
  EXPECT_NEAR(found.win_rate.value, found.raw, .02);
  EXPECT_GT(found.win_rate.ci95.low, .6);
  EXPECT_LT(found.win_rate.p, .02);
}

TEST(LengthControlledWinRate, MirrorsWhenTheSidesSwap) {
  Stream stream(Seed(15).child("mirror"));
  Wins w = duel(stream, 120, 2, .4, .5, 30);
  const LengthControlled one = length_controlled_win_rate(w.win, w.longer, w.item, Seed(16), 100);
  for (double& v : w.win) v = 1 - v;
  for (double& v : w.longer) v = -v;
  const LengthControlled other = length_controlled_win_rate(w.win, w.longer, w.item, Seed(16), 100);
  EXPECT_NEAR(other.win_rate.value, 1 - one.win_rate.value, 1e-8);
  EXPECT_NEAR(other.win_rate.ci95.low, 1 - one.win_rate.ci95.high, 1e-7);
}

TEST(LengthControlledWinRate, HandlesItsEdges) {
  const std::vector<int> item = {1, 2, 3, 4};
  const Values lengths = {1, 2, 3, 4};
  const LengthControlled all = length_controlled_win_rate(Values(4, 1.0), lengths, item, Seed(0), 50);
  EXPECT_EQ(all.win_rate.value, 1);
  EXPECT_EQ(all.win_rate.status, Status::flagged);
  EXPECT_LT(all.win_rate.ci95.low, .5);
  EXPECT_NEAR(
      length_controlled_win_rate(Values{1, 0, 1, 1}, Values(4, 7.0), item, Seed(0), 50).win_rate.value, .75,
      1e-6);
  EXPECT_EQ(length_controlled_win_rate(Values{}, Values{}, std::vector<int>{}, Seed(0)).win_rate.status,
            Status::undefined);
  const LengthControlled split = length_controlled_win_rate(Values{0, 0, 1, 1}, lengths, item, Seed(0), 50);
  EXPECT_TRUE(std::isfinite(split.win_rate.value));  // length separates the wins exactly
  EXPECT_THROW(length_controlled_win_rate(Values{2}, Values{0}, std::vector<int>{1}, Seed(0)), Error);
}

}  // namespace
}  // namespace sonder::stats
