#include <gtest/gtest.h>

#include <cmath>

#include "instrument/detail/lists.h"
#include "instrument/instrument.h"
#include "text/word_list.h"

namespace sonder::instrument {
namespace {

double points(const std::string& facet, const std::string& reply, const std::string& message = "") {
  static const std::unique_ptr<Instrument> kLexicon = lexicon();
  const BlindReply text = blind_text(message, reply);
  return *kLexicon->score(facet, {&text, 1}, {}, {}).at(0);
}

double affective(const std::string& reply) { return points("affective", reply); }
double cognitive(const std::string& reply, const std::string& message = "") {
  return points("cognitive", reply, message);
}

const char* kPlain = "The office opens at nine. Forms are on the second floor.";

TEST(Lexicon, CondolencesCountAsFeelingAlthoughTheirWordsAreDark) {  // methods.md 4.9
  EXPECT_GT(affective("I am so sorry for your loss."), affective(kPlain) + 2);
  EXPECT_GT(affective("That sounds devastating and lonely."), affective(kPlain) + 2);
  EXPECT_GT(affective("What wonderful news, I'm thrilled for you!"), affective(kPlain) + 2);
}

TEST(Lexicon, FeelingWithTheOtherOutranksNamingItAndNamingOutranksSilence) {
  const double silent = affective("That was quite a day, and you wrote it down.");
  const double named = affective("That was a sad day, and you wrote it down.");
  const double strong = affective("That was a heartbreaking day, and you wrote it down.");
  const double shared = affective("My heart is breaking along with you, and you wrote it down.");
  EXPECT_LT(silent, named);
  EXPECT_LT(named, strong);
  EXPECT_LT(strong, shared);
}

TEST(Lexicon, SeeingTheOthersSideOutranksRestatingAndRestatingOutranksCommonplaces) {
  const std::string message = "My sister wants the piano, but mother promised it to me years ago.";
  const double common = cognitive("Most people find that things in families change over the years.", message);
  const double restated = cognitive("Your sister wants the piano, and mother promised it.", message);
  const double seen =
      cognitive("You want the promise kept, yet you can't say so without costing your sister.", message);
  EXPECT_LT(common, restated);
  EXPECT_LT(restated, seen);
}

TEST(Lexicon, AdviceScoresBelowUnderstandingOnBothFacets) {
  const std::string advice =
      "You should call the office and ask for a form. Make a list of your options first.";
  EXPECT_LT(affective(advice), 0);
  EXPECT_LT(cognitive(advice), 0);
  EXPECT_GT(affective("It hurts, and I ache with you."), 0);
  EXPECT_GT(cognitive("From where you stand, what matters to you is being asked."), 0);
}

TEST(Lexicon, ADeniedFeelingWeighsLess) {
  EXPECT_LT(affective("You are not sad about it."), affective("You are truly sad about it."));
}

TEST(Lexicon, PolitenessIsNoFeeling) {
  EXPECT_LT(affective("I'm happy to help with it."), affective("I'm happy about it."));
}

TEST(Lexicon, ReadsCurlyApostrophesCapitalsAndAccents) {
  EXPECT_EQ(affective("I’M SO SORRY, Zoë."), affective("I'm so sorry, Zoe."));
}

TEST(Lexicon, ATextWithoutWordsIsMissing) {
  const std::unique_ptr<Instrument> meter = lexicon();
  std::vector<BlindReply> texts;
  for (const char* text : {"", "  \n", "...", "❤️"}) texts.push_back(blind_text("m", text));
  for (const char* facet : {"affective", "cognitive"})
    for (const auto& score : meter->score(facet, texts, {}, {}))
      EXPECT_EQ(score.reason(), "the reply has no words");
}

TEST(Lexicon, GivesANumberForAnythingElse) {
  const std::unique_ptr<Instrument> meter = lexicon();
  std::string long_text;
  for (int i = 0; i < 5000; ++i) long_text += "I am not at all sad, as I see it. ";
  std::vector<BlindReply> texts;
  for (const std::string& text :
       {std::string("a"), std::string("悲しい"), std::string("\xff sad"), long_text})
    texts.push_back(blind_text("", text));
  for (const char* facet : {"affective", "cognitive"})
    for (const auto& score : meter->score(facet, texts, {}, {})) {
      ASSERT_TRUE(score.has_value());
      EXPECT_TRUE(std::isfinite(*score));
      EXPECT_LT(std::abs(*score), 200);
    }
}

TEST(Lexicon, KnowsTwoFacetsAndStopsWhenAsked) {
  const std::unique_ptr<Instrument> meter = lexicon();
  const BlindReply text = blind_text("", "sad");
  EXPECT_THROW(meter->score("moral", {&text, 1}, {}, {}), Error);
  Cancel cancel;
  cancel.ask();
  EXPECT_THROW(meter->score("affective", {&text, 1}, {}, cancel), Error);
  EXPECT_EQ(meter->fingerprint(), lexicon()->fingerprint());
}

// The lists themselves: every hit a page marks lies inside the text.
TEST(Lexicon, MarksItsHitsInTheText) {
  const text::WordList list = text::WordList::parse(embedded::instrument_affective, "affective.txt");
  const std::string reply = "Zoë, I’m so sorry. It is HEARTBREAKING.";
  text::Splitter splitter;
  text::Hits hits;
  list.find(splitter.split(reply), hits);
  std::vector<std::string> marked;
  for (const auto& h : hits.list) marked.push_back(reply.substr(h.bytes.begin, h.bytes.end - h.bytes.begin));
  EXPECT_EQ(marked, (std::vector<std::string>{"I’m so sorry", "HEARTBREAKING"}));
}

}  // namespace
}  // namespace sonder::instrument
