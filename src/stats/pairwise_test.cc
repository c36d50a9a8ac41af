#include "stats/pairwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"
#include "base/seed.h"
#include "stats/detail/numbers.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;

constexpr Seed kSeed(7);

// Every pair meets `n` times under Davidson's model; nu = 0 is Bradley and Terry's.
std::vector<Meeting> played(const Values& ability, double nu, int n, Seed seed) {
  Stream stream(seed);
  std::vector<Meeting> meetings;
  for (int i = 0; i < static_cast<int>(ability.size()); ++i) {
    for (int j = i + 1; j < static_cast<int>(ability.size()); ++j) {
      const double d = ability[static_cast<std::size_t>(i)] - ability[static_cast<std::size_t>(j)];
      const double win = std::exp(d / 2);
      const double all = win + 1 / win + nu;
      Meeting m{i, j, 0, 0, 0};
      for (int k = 0; k < n; ++k) {
        const double u = stream.uniform() * all;
        (u < win ? m.first_wins : (u < win + 1 / win ? m.second_wins : m.ties)) += 1;
      }
      meetings.push_back(m);
    }
  }
  return meetings;
}

TEST(Abilities, ScoreEquationsHold) {
  // At the maximum every player wins as often as expected.
  const auto meetings = played({0, .5, -1, 1}, 0, 40, kSeed);
  const Abilities found = abilities(meetings, 4, TieModel::half_wins);
  Values excess(4);
  for (const Meeting& m : meetings) {
    const double p = win_share(found, TieModel::half_wins, m.first, m.second);
    const double gap = m.first_wins - (m.first_wins + m.second_wins) * p;
    excess[static_cast<std::size_t>(m.first)] += gap;
    excess[static_cast<std::size_t>(m.second)] -= gap;
  }
  for (const double gap : excess) EXPECT_NEAR(gap, 0, 1e-9);
}

TEST(Abilities, TwoPlayersAreALogOdds) {
  const Meeting one[] = {{0, 1, 30, 10, 0}};
  const Abilities found = abilities(one, 2, TieModel::half_wins);
  EXPECT_NEAR(found.ability[1].value, -std::log(3.0), 1e-10);
  EXPECT_NEAR(found.ability[1].se, std::sqrt(1 / 30.0 + 1 / 10.0), 1e-9);
  EXPECT_NEAR(found.log_likelihood, 30 * std::log(.75) + 10 * std::log(.25), 1e-9);
}

TEST(Abilities, CoverPlantedOnesWithAndWithoutTies) {
  const Values truth = {0, .7, -.7, 1.2};
  for (const double nu : {0.0, .8}) {
    const TieModel model = nu > 0 ? TieModel::davidson : TieModel::half_wins;
    int covered = 0;
    for (std::uint64_t round = 0; round < 150; ++round) {
      const Abilities found = abilities(played(truth, nu, 60, kSeed.child(round)), 4, model);
      for (std::size_t i = 1; i < 4; ++i)
        covered += found.ability[i].ci95.low <= truth[i] && truth[i] <= found.ability[i].ci95.high ? 1 : 0;
    }
    EXPECT_NEAR(covered / 450.0, .95, .04);
  }
}

TEST(Abilities, DavidsonAndRaoKupperOrderAlikeAndPredictTies) {
  const auto meetings = played({0, 1, 2}, 1, 200, kSeed);
  for (const TieModel model : {TieModel::davidson, TieModel::rao_kupper}) {
    const Abilities found = abilities(meetings, 3, model);
    EXPECT_EQ(found.status, Status::ok);
    EXPECT_LT(found.ability[1].value, found.ability[2].value);
    EXPECT_GT(win_share(found, model, 2, 0), win_share(found, model, 1, 0));
    EXPECT_NEAR(win_share(found, model, 2, 0) + win_share(found, model, 0, 2), 1, 1e-12);
    EXPECT_GT(found.tie_se, 0);
  }
}

TEST(Abilities, WithoutTiesEveryModelIsBradleyAndTerrys) {
  const auto meetings = played({0, 1, -1}, 0, 30, kSeed);
  const Abilities plain = abilities(meetings, 3, TieModel::half_wins);
  for (const TieModel model : {TieModel::davidson, TieModel::rao_kupper}) {
    const Abilities found = abilities(meetings, 3, model);
    EXPECT_EQ(found.ability[1].value, plain.ability[1].value);
    EXPECT_EQ(found.tie, model == TieModel::davidson ? 0 : 1);
  }
}

TEST(Abilities, HalfWinsAreFlagged) {
  const Meeting tied[] = {{0, 1, 5, 3, 2}};
  const Abilities found = abilities(tied, 2, TieModel::half_wins);
  EXPECT_EQ(found.status, Status::flagged);
  EXPECT_NEAR(found.ability[1].value, std::log(4.0 / 6), 1e-10);
}

TEST(Abilities, ANeverBeatenPlayerGetsARidgeAndAFlag) {
  const Meeting meetings[] = {{0, 1, 5, 5, 0}, {0, 2, 0, 6, 0}, {1, 2, 0, 6, 0}};
  const Abilities found = abilities(meetings, 3, TieModel::half_wins);
  EXPECT_FALSE(found.connected);
  EXPECT_EQ(found.n_components, 2);
  EXPECT_EQ(found.status, Status::flagged);
  EXPECT_EQ(found.ability[2].status, Status::flagged);
  EXPECT_GT(found.ability[2].value, 1);
  EXPECT_LT(found.ability[2].value, 20);
}

TEST(Abilities, ADisconnectedFieldIsFlagged) {
  const Meeting meetings[] = {{0, 1, 5, 4, 0}, {2, 3, 6, 3, 0}};
  const Abilities found = abilities(meetings, 5, TieModel::half_wins);
  EXPECT_EQ(found.n_components, 3);
  EXPECT_EQ(win_components(meetings, 5, false), (std::vector<int>{0, 0, 1, 1, 2}));
  EXPECT_FALSE(found.connected);
  for (const Estimate& ability : found.ability) EXPECT_TRUE(std::isfinite(ability.value));
}

TEST(Abilities, TiesJoinThoseWhoNeverBeatEachOther) {
  const Meeting meetings[] = {{0, 1, 0, 4, 3}};
  EXPECT_EQ(win_components(meetings, 2, true), (std::vector<int>{0, 0}));
  EXPECT_EQ(win_components(meetings, 2, false), (std::vector<int>{0, 1}));
  EXPECT_TRUE(abilities(meetings, 2, TieModel::davidson).connected);
  // But a win less and a tie more would be better for ever: no maximum.
  for (const TieModel model : {TieModel::davidson, TieModel::rao_kupper}) {
    const Abilities found = abilities(meetings, 2, model);
    EXPECT_FALSE(found.bounded);
    EXPECT_EQ(found.status, Status::flagged);
    EXPECT_LT(std::abs(found.ability[1].value), 20);
    const Meeting both[] = {{0, 1, 1, 4, 3}};
    EXPECT_TRUE(abilities(both, 2, model).bounded);
  }
}

TEST(Abilities, ALostFieldIsUndefined) {
  EXPECT_EQ(abilities({}, 3, TieModel::half_wins).status, Status::undefined);
  EXPECT_EQ(abilities({}, 1, TieModel::half_wins).status, Status::undefined);
  const Meeting tied[] = {{0, 1, 0, 0, 9}};
  EXPECT_EQ(abilities(tied, 2, TieModel::davidson).status, Status::undefined);
  EXPECT_EQ(abilities(tied, 2, TieModel::rao_kupper).status, Status::undefined);
}

TEST(Abilities, RefusesWhatIsNoMeeting) {
  const Meeting self[] = {{1, 1, 2, 3, 0}};
  const Meeting negative[] = {{0, 1, -2, 3, 0}};
  const Meeting unknown[] = {{0, 7, 2, 3, 0}};
  const Meeting infinite[] = {{0, 1, std::numeric_limits<double>::infinity(), 3, 0}};
  for (const auto& bad : {self, negative, unknown, infinite})
    EXPECT_THROW(abilities({bad, 1}, 3, TieModel::half_wins), Error);
  EXPECT_THROW(bradley_terry(Numbers(2, 3)), Error);
}

TEST(Abilities, TheCovarianceGivesTheErrorOfEveryDifference) {
  const auto meetings = played({0, .5, -1}, 0, 40, kSeed);
  const Abilities from0 = abilities(meetings, 3, TieModel::half_wins);
  const Abilities from2 = abilities(meetings, 3, TieModel::half_wins, {.reference = 2});
  EXPECT_NEAR(from0.ability[1].value - from0.ability[2].value, from2.ability[1].value, 1e-9);
  const auto& c = from0.covariance;
  EXPECT_NEAR(std::sqrt(c.row(1)[1] + c.row(2)[2] - 2 * c.row(1)[2]), from2.ability[1].se, 1e-9);
  EXPECT_NEAR(win_share(from0, TieModel::half_wins, 1, 2), detail::logistic(from2.ability[1].value), 1e-12);
}

}  // namespace
}  // namespace sonder::stats
