#include "stats/rasch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/seed.h"
#include "stats/detail/numbers.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;

constexpr Seed kSeed(9);

Numbers answered(const Values& easiness, std::size_t n, double spread, Seed seed) {
  Stream stream(seed);
  Numbers answers(n, easiness.size());
  for (std::size_t p = 0; p < n; ++p) {
    const double ability = spread * stream.normal() + .5;
    for (std::size_t i = 0; i < easiness.size(); ++i)
      answers.row(p)[i] = stream.uniform() < detail::logistic(ability + easiness[i]) ? 1 : 0;
  }
  return answers;
}

TEST(Rasch, CoversPlantedEasinessWhateverTheAbilities) {
  const Values truth = {-1.5, -.5, 0, .5, 1.5};
  for (const double spread : {.3, 2.0}) {
    int covered = 0;
    for (std::uint64_t round = 0; round < 80; ++round) {
      const Rasch found = rasch(answered(truth, 200, spread, kSeed.child(round)));
      for (std::size_t i = 0; i < 5; ++i)
        covered += found.easiness[i].ci95.low <= truth[i] && truth[i] <= found.easiness[i].ci95.high ? 1 : 0;
    }
    EXPECT_NEAR(covered / 400.0, .95, .04);
  }
}

TEST(Rasch, TwoItemsAreTheLogOddsOfTheirDiscordantPairs) {
  // Conditional on one right of two, the first is it with odds e^(b1 - b2).
  const long totals[] = {40, 25};
  const long scores[] = {10, 35, 15};  // 25 right on the first only, 10 on the second only, 15 both
  const Rasch found = rasch_of_totals(totals, scores);
  EXPECT_NEAR(found.easiness[0].value - found.easiness[1].value, std::log(25.0 / 10), 1e-9);
  EXPECT_NEAR(2 * found.easiness[0].se, std::sqrt(1 / 25.0 + 1 / 10.0), 1e-8);
  EXPECT_EQ(found.n_persons, 35);
}

TEST(Rasch, AbilityRisesWithTheScoreAndIsFinite) {
  const Rasch found = rasch(answered({-1, 0, 0, 1}, 300, 1, kSeed));
  ASSERT_EQ(found.ability.size(), 5U);
  for (std::size_t r = 1; r < 5; ++r) EXPECT_GT(found.ability[r], found.ability[r - 1]);
  EXPECT_GT(found.ability[0], -6);
  EXPECT_LT(found.ability[4], 6);
}

TEST(Rasch, ExtremeScoresCarryNothing) {
  Numbers answers = answered({-1, 0, 1}, 100, 1, kSeed);
  const Rasch before = rasch(answers);
  for (int i = 0; i < 50; ++i) answers.append(Values{1, 1, 1});
  answers.append(Values{0, 0, 0});
  const Rasch after = rasch(answers);
  EXPECT_EQ(after.n_persons, before.n_persons);
  EXPECT_NEAR(after.log_likelihood, before.log_likelihood, 1e-9);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(after.easiness[i].value, before.easiness[i].value, 1e-9);
}

TEST(Rasch, AnItemAnsweredAlikeIsDroppedAndFlagged) {
  const Numbers plain = answered({-1, 0, 1}, 100, 1, kSeed);
  Numbers more;
  for (std::size_t p = 0; p < plain.n; ++p)
    more.append(Values{plain.row(p)[0], 1, plain.row(p)[1], 0, plain.row(p)[2]});
  const Rasch found = rasch(more);
  const Rasch expected = rasch(plain);
  EXPECT_EQ(found.status, Status::flagged);
  EXPECT_EQ(found.easiness[1].status, Status::undefined);
  EXPECT_EQ(found.easiness[3].status, Status::undefined);
  EXPECT_NEAR(found.easiness[0].value, expected.easiness[0].value, 1e-10);
  EXPECT_NEAR(found.easiness[4].value, expected.easiness[2].value, 1e-10);
}

TEST(Rasch, ALikelihoodWithoutMaximumIsUndefined) {
  Numbers guttman;  // the first item is never wrong when the second is right, and the other way never happens
  for (int i = 0; i < 20; ++i) guttman.append(Values{1, 0, i % 2 == 0 ? 1.0 : 0.0});
  for (int i = 0; i < 3; ++i) guttman.append(Values{0, 0, 0});
  for (int i = 0; i < 3; ++i) guttman.append(Values{1, 1, 1});
  const Rasch found = rasch(guttman);
  EXPECT_EQ(found.status, Status::undefined);
}

TEST(Rasch, EdgesAreSaid) {
  EXPECT_EQ(rasch(Numbers{}).status, Status::undefined);
  EXPECT_EQ(rasch(Numbers(4, 3)).status, Status::undefined);
  Numbers extremes;
  extremes.append(Values{0, 0});
  extremes.append(Values{1, 1});
  EXPECT_EQ(rasch(extremes).status, Status::undefined);
  Numbers bad(1, 2);
  bad.data = {1, .5};
  EXPECT_THROW(rasch(bad), Error);
  EXPECT_THROW(rasch_of_totals(std::vector<long>{3, 2}, std::vector<long>{1, 1, 1}), Error);
}

TEST(Rasch, ManyItemsNeitherOverflowNorUnderflow) {
  Values easiness;
  for (int i = 0; i < 60; ++i) easiness.push_back((i - 29.5) / 8);
  const Rasch found = rasch(answered(easiness, 60, 1.5, kSeed));
  EXPECT_TRUE(std::isfinite(found.log_likelihood));
  EXPECT_GT(found.easiness[58].value, found.easiness[1].value);
}

// ---- many facets

struct Design {
  Values text, criterion, judge, step;
};

std::vector<FacetScore> rated(const Design& d, Seed seed) {
  Stream stream(seed);
  std::vector<FacetScore> scores;
  for (std::size_t n = 0; n < d.text.size(); ++n) {
    for (std::size_t i = 0; i < d.criterion.size(); ++i) {
      for (std::size_t j = 0; j < d.judge.size(); ++j) {
        Values weight{1};
        double at = 0;
        double all = 1;
        for (const double tau : d.step) {
          at += d.text[n] - d.criterion[i] - d.judge[j] - tau;
          weight.push_back(std::exp(at));
          all += weight.back();
        }
        double u = stream.uniform() * all;
        int score = 0;
        while (u > weight[static_cast<std::size_t>(score)] && score < static_cast<int>(d.step.size()))
          u -= weight[static_cast<std::size_t>(score++)];
        scores.push_back({static_cast<int>(n), static_cast<int>(i), static_cast<int>(j), score});
      }
    }
  }
  return scores;
}

Design design(std::size_t n_texts, Seed seed) {
  Stream stream(seed);
  Design d{{}, {-.6, 0, .6}, {-1, -.2, .3, .9}, {-1, 0, 1}};
  for (std::size_t n = 0; n < n_texts; ++n) d.text.push_back(stream.normal());
  return d;
}

TEST(ManyFacet, FindsPlantedSeverityDifficultyAndSteps) {
  const Design d = design(150, kSeed);
  const ManyFacet found = many_facet(rated(d, kSeed), 3);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(found.judges[j].measure.value, d.judge[j], .2);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found.criteria[i].measure.value, d.criterion[i], .2);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found.steps[k], d.step[k], .25);
  EXPECT_EQ(found.n_subsets, 1);
  for (const FacetElement& judge : found.judges) {
    EXPECT_NEAR(judge.infit, 1, .25);
    EXPECT_NEAR(judge.outfit, 1, .35);
  }
}

TEST(ManyFacet, AJudgeWhoGuessesMisfits) {
  auto scores = rated(design(100, kSeed), kSeed);
  Stream stream(kSeed);
  for (FacetScore& s : scores) {
    if (s.judge == 2) s.score = static_cast<int>(stream.below(4));
  }
  const ManyFacet found = many_facet(scores, 3);
  EXPECT_GT(found.judges[2].outfit, 1.5);
  for (const std::size_t j : {0U, 1U, 3U}) EXPECT_LT(found.judges[j].outfit, 1.3);
}

TEST(ManyFacet, DISABLED_IntervalsOfSeverityCover) {
  const Design d = design(60, kSeed);
  int covered = 0;
  for (std::uint64_t round = 0; round < 40; ++round) {
    const ManyFacet found = many_facet(rated(d, kSeed.child(round)), 3);
    for (std::size_t j = 0; j < 4; ++j)
      covered +=
          found.judges[j].measure.ci95.low <= d.judge[j] && d.judge[j] <= found.judges[j].measure.ci95.high
              ? 1
              : 0;
  }
  EXPECT_GE(covered / 160.0, .88);
}

TEST(ManyFacet, APartialDesignThatIsJoinedIsEnough) {
  auto scores = rated(design(120, kSeed), kSeed);
  std::erase_if(scores, [](const FacetScore& s) { return (s.text + s.judge) % 2 == 0 && s.text > 20; });
  const ManyFacet found = many_facet(scores, 3);
  EXPECT_EQ(found.n_subsets, 1);
  EXPECT_NEAR(found.judges[0].measure.value, -1, .35);
}

TEST(ManyFacet, ADesignInPiecesIsFlagged) {
  auto scores = rated(design(40, kSeed), kSeed);
  for (FacetScore& s : scores) {
    if (s.text >= 20) {
      s.judge += 10;
      s.criterion += 10;
    }
  }
  const ManyFacet found = many_facet(scores, 3);
  EXPECT_EQ(found.n_subsets, 2);
  EXPECT_EQ(found.status, Status::flagged);
}

TEST(ManyFacet, EdgesAreSaid) {
  EXPECT_EQ(many_facet({}, 3).status, Status::undefined);
  std::vector<FacetScore> scores = rated(design(30, kSeed), kSeed);
  for (FacetScore& s : scores) s.score = s.score == 1 ? 2 : s.score;
  EXPECT_EQ(many_facet(scores, 3).status, Status::undefined) << "nobody gave a 1";
  scores = rated(design(30, kSeed), kSeed);
  for (FacetScore& s : scores) {
    if (s.text == 4) s.score = 3;
  }
  const ManyFacet found = many_facet(scores, 3);
  EXPECT_EQ(found.status, Status::flagged);
  EXPECT_EQ(found.texts[4].measure.status, Status::undefined);
  EXPECT_THROW(many_facet(std::vector<FacetScore>{{0, 0, 0, 4}}, 3), Error);
}

}  // namespace
}  // namespace sonder::stats
