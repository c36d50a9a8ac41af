#include <gtest/gtest.h>

#include <cmath>

#include "instrument/detail/fake_model.h"
#include "instrument/detail/rating.h"
#include "instrument/instrument.h"
#include "stats/calibration.h"

namespace sonder::instrument {
namespace {

// methods.md 10, M38: levels 1..5.
TEST(Golden, M38_RatingOfLogProbabilities) {
  std::vector<double> p;
  for (const double log_p : {-6.0, -3.2, -1.1, -0.6, -2.9}) p.push_back(std::exp(log_p));
  const auto rating = detail::rating_of(p, 1);
  ASSERT_TRUE(rating.has_value());
  EXPECT_NEAR(rating->mass, 0.9799469, 5e-8);
  EXPECT_NEAR(rating->score, 3.6256853, 5e-8);
  EXPECT_NEAR(rating->sd, 0.6669866, 5e-8);
  EXPECT_GT(std::abs(rating->score - 3.5529781), .07);  // what it would be without the mass: wrong
  EXPECT_NEAR(stats::brier(std::vector<double>{.1, .9, .8, .3}, std::vector<int>{0, 1, 1, 0}).value, .0375,
              1e-12);
}

TEST(Rating, IsMissingWhenTheModelSaysSomethingElse) {
  EXPECT_FALSE(detail::rating_of(std::vector<double>{0.1, 0.2, 0.4, 0.0999}, 0).has_value());
  EXPECT_TRUE(detail::rating_of(std::vector<double>{0.1, 0.2, 0.4, 0.1001}, 0).has_value());
  EXPECT_FALSE(detail::rating_of(std::vector<double>{0, 0, 0}, 0).has_value());
  EXPECT_FALSE(detail::rating_of(std::vector<double>{}, 0).has_value());
  EXPECT_FALSE(detail::rating_of(std::vector<double>{std::nan(""), 1}, 0).has_value());
}

TEST(Rating, OfOneCertainLevelHasNoSpread) {
  const auto rating = detail::rating_of(std::vector<double>{0, 0, 0, 0, 0, 1}, 0);
  EXPECT_EQ(rating->score, 5);
  EXPECT_EQ(rating->sd, 0);
}

model::Choices choices(std::vector<double> p) {
  model::Choices c{std::move(p), 0};
  for (const double x : c.p) c.mass += x;
  return c;
}

// Rates by what the passage holds: "warm" 4 and 5, else 0 and 1; "mute" gives no rating.
void plant(detail::FakeModel& model) {
  model.rate = [](const std::string& text) {
    if (text.find("mute") != std::string::npos) return choices({0.1, 0, 0, 0, 0, 0.2});
    if (text.find("warm") != std::string::npos) return choices({0, 0, 0, 0, 0.45, 0.45});
    return choices({0.45, 0.45, 0, 0, 0, 0});
  };
}

std::vector<BlindReply> texts(std::initializer_list<const char*> replies) {
  std::vector<BlindReply> out;
  for (const char* reply : replies) out.push_back(blind_text("The message.", reply));
  return out;
}

TEST(Judge, ScoresEachReplyInOrder) {
  detail::FakeModel model;
  plant(model);
  const auto meter = judge(model, {"RUBRIC A", "RUBRIC C", model::Template::plain});
  const auto scores = meter->score("affective", texts({"cold", "", "warm", "mute"}), {}, {});
  ASSERT_EQ(scores.size(), 4U);
  EXPECT_NEAR(*scores[0], 0.5, 1e-12);
  EXPECT_EQ(scores[1].reason(), "the reply is empty");
  EXPECT_NEAR(*scores[2], 4.5, 1e-12);
  EXPECT_NE(scores[3].reason().find(".80"), std::string::npos);
}

TEST(Judge, AsksWithTheFacetsRubricAndASpaceBeforeTheDigit) {
  detail::FakeModel model;
  plant(model);
  const auto meter = judge(model, {"RUBRIC A", "RUBRIC C", model::Template::plain});
  meter->score("cognitive", texts({"warm"}), {}, {});
  ASSERT_EQ(model.passages.size(), 1U);
  const std::string asked = model.detokenise(model.passages[0].tokens);
  EXPECT_EQ(asked, "RUBRIC C\n\nMessage: The message.\n\nReply: warm\n\nRating (0 to 5): ");
  EXPECT_EQ(model.passages[0].n_prompt, static_cast<int>(asked.size()));
  EXPECT_EQ(model.passages[0].cuts, (std::vector<int>{8, static_cast<int>(asked.find("\n\nReply"))}));
}

TEST(Judge, SharesTheRubricInAChatWhateverIsJudgedTogether) {
  detail::FakeModel model;
  plant(model);
  const auto meter = judge(model, {"RUBRIC A", "RUBRIC C", model::Template::chat});
  meter->score("affective", texts({"warm", "cold"}), {}, {});
  meter->score("affective", texts({"cold"}), {}, {});
  ASSERT_EQ(model.passages.size(), 3U);
  const int cut = static_cast<int>(std::string("<user>RUBRIC A\n\nMessage: ").size());
  for (const auto& passage : model.passages) EXPECT_EQ(passage.cuts, std::vector<int>{cut});
  EXPECT_EQ(model.passages[1].tokens, model.passages[2].tokens);
}

TEST(Judge, RefusesWhatItCannotDo) {
  detail::FakeModel encoder(true);
  EXPECT_THROW(judge(encoder, {"a", "c", model::Template::plain}), Error);
  detail::FakeModel model;
  plant(model);
  const auto meter = judge(model, {"RUBRIC A", "", model::Template::plain});
  EXPECT_THROW(meter->score("cognitive", texts({"warm"}), {}, {}), Error);
  EXPECT_THROW(meter->score("moral", texts({"warm"}), {}, {}), Error);
}

TEST(Judge, ItsFingerprintDependsOnTheRubric) {
  detail::FakeModel model;
  EXPECT_NE(judge(model, {"a", "c", model::Template::plain})->fingerprint(),
            judge(model, {"b", "c", model::Template::plain})->fingerprint());
  EXPECT_NE(judge(model, {"a", "c", model::Template::plain})->fingerprint(),
            judge(model, {"a", "c", model::Template::chat})->fingerprint());
}

}  // namespace
}  // namespace sonder::instrument
