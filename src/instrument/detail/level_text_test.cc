#include "instrument/detail/level_text.h"

#include <gtest/gtest.h>

#include <tuple>

#include "base/seed.h"

namespace sonder::instrument::detail {
namespace {

constexpr int kNone = -1;

TEST(LevelText, ReadsWhatAJudgeMeant) {
  const std::pair<const char*, int> table[] = {
      // bare
      {"4", 4},
      {" 0\n", 0},
      {"5.", 5},
      {"**3**", 3},
      {"\"4\"", 4},
      {"`2`", 2},
      {"4.0", 4},
      {"4,0", 4},
      {"04", 4},
      {"-0", 0},
      {"four", 4},
      {"Zero.", 0},
      {"\xEF\xBC\x94", 4},  // full width
      {"[4]", 4},
      {"- 4", 4},
      {"# 4", 4},
      // with a scale
      {"4/5", 4},
      {"4 / 5", 4},
      {"4 out of 5", 4},
      {"0 out of 5 because it is cold.", 0},
      {"four out of 5", 4},
      {"I'd say 3/5.", 3},
      // labelled
      {"Rating: 4", 4},
      {"rating = 2", 2},
      {"Rating (0 to 5): 4", 4},
      {"Score (0-5): 0", 0},
      {"Score (0\xE2\x80\x93"
       "5): 1",
       1},
      {"**Score:** 3", 3},
      {"Final rating \xE2\x80\x94 4", 4},
      {"The rating is 4.", 4},
      {"My score would be a 2, because it is distant.", 2},
      {"I would give this reply a 4.", 4},
      {"I\xE2\x80\x99"
       "d give it a 1",
       1},
      {"On a scale of 0 to 5, I rate this 3.", 3},
      {"Between 0 and 5, the score is 5.", 5},
      {"Rating: four", 4},
      {"This reply deserves 5 points.", 5},
      {"It earns 4 points", 4},
      {"Bewertung: 4", 4},
      {"Rating:\n4", 4},
      {"Score\xEF\xBC\x9A"
       "4",
       4},
      // first, then why
      {"4. The reply meets the feeling.", 4},
      {"4, because it stays with the feeling", 4},
      {"4 \xE2\x80\x94 it names the feeling", 4},
      {"4\n\nThe reply names 2 feelings.", 4},
      {"2 because the reply is general", 2},
      {"4 (warm)", 4},
      // why, then the score
      {"The reply is polite and warm.\n\n3", 3},
      {"There are 3 sentences. Rating: 4", 4},
      {"It does not name the feeling. Rating: 1", 1},
      {"Rating: 4\n\n1. It is warm.\n2. It stays.", 4},
      {"Rating: 4. I am sure that the rating is 4.", 4},
      {"I'm sorry to read this. Rating: 4", 4},
      {"4 and the 4th time. Rating: 4", 4},
      {"A score of 5 would be too high. I give 3.", 3},
      // thinking aloud
      {"<think>5 or 1? The score is 2.</think>4", 4},
      {"<think>\n0\n</think>\n\nRating: 3", 3},
      // JSON
      {R"({"score": 4})", 4},
      {R"({"rating": 0})", 0},
      {"{\"Rating (0 to 5)\": 4}", 4},
      {R"({"score": 4.0})", 4},
      {R"({"score": "4"})", 4},
      {R"({"score": "4/5"})", 4},
      {R"({"score": "four"})", 4},
      {R"({"affective": 4})", 4},
      {R"({"score": 4, "max_score": 5})", 4},
      {R"({"score": 4, "confidence": 0.9})", 4},
      {R"({"reason": "3 words, 2 feelings", "score": 4})", 4},
      {R"({"result": {"score": 4}})", 4},
      {"```json\n{\"score\": 4}\n```", 4},
      {"```\n{\"score\": 4}\n```\nThe reply is warm.", 4},
      {"Here it is:\n```json\n{\n  \"score\": 2\n}\n```", 2},
      {"{\"score\": 4 // warm\n}", 4},
      {"{/* 0 to 5 */ \"score\": 4}", 4},
      {R"({"score": 4} )", 4},
      {R"(My verdict: {"score": 4}. Rating: 4)", 4},
      {R"({"why": "a { brace", "score": 3})", 3},
      {R"({"why": "a \" quote }", "score": 3})", 3},
  };
  for (const auto& [text, level] : table) {
    const Measured<int> found = level_in(text);
    EXPECT_EQ(found.value_or(kNone), level) << text << " | " << found.reason();
  }
}

TEST(LevelText, SaysWhyThereIsNoScoreAndNeverGuesses) {
  const std::string none = "the judge gave no score";
  const std::string several = "the judge gave several scores";
  const std::string fraction = "the judge's score is not a whole number";
  const std::string range = "the judge's score is not between 0 and 5";
  const std::string scale = "the judge scored on another scale";
  const std::string broken = "the judge's JSON is broken or cut off";
  const std::string declined = "the judge declined to rate";
  const std::string uncalled = "numbers stand in the judge's answer, but none is called its score";
  const std::string empty = "the judge's answer is empty";
  const std::pair<std::string, std::string> table[] = {
      {"", empty},
      {" \n\t", empty},
      {"<think>hm</think>\n", empty},
      {"<think>The score is 4", "the judge was still thinking when it was cut off"},
      {std::string(70000, '4'), "the judge's answer is too long"},
      {"The reply is warm.", none},
      {"N/A", none},
      {"null", none},
      {"four-leaf clover", none},
      {"I can give one reason.", none},
      {"It is the one that counts.", none},
      {"4th", none},
      {"GPT4", none},
      {"v4_2", none},
      // off the menu
      {"3.5", fraction},
      {"4,5", fraction},
      {"4\xC2\xBD", fraction},
      {"4+", fraction},
      {"Rating: 0.5", fraction},
      {R"({"score": 3.5})", fraction},
      {R"({"score": "3.5"})", fraction},
      // out of range
      {"6", range},
      {"-1", range},
      {"\xE2\x88\x92"
       "1",
       range},
      {"10", range},
      {"5.5", range},
      {"1,000", range},
      {"Rating: 100", range},
      {"99999999999999999999999999", range},
      {R"({"score": 7})", range},
      {R"({"score": -1})", range},
      {R"({"score": 1e300})", range},
      // another scale
      {"8/10", scale},
      {"4/10", scale},
      {"4 out of 7", scale},
      {"80%", scale},
      {"Score: 80 %", scale},
      {"Rating: 3/4", scale},
      // several
      {"4 or 5", several},
      {"4-5", several},
      {"3 to 4", several},
      {"Rating: 4. Rating: 2.", several},
      {"Affective: 4\nCognitive: 2\n4\n2", several},
      {R"({"score": 4, "rating": 2})", several},
      {R"({"score": 4, "score": 2})", several},
      {R"([{"score": 4}, {"score": 2}])", several},
      {R"({"score": [4, 2]})", several},
      {R"({"score": 4} Rating: 2)", several},
      {"I give 4 for warmth and 2 for tone.", several},
      {"Score of 5 for warmth. I give 3.", several},
      // numbers that are no scores
      {"There are 3 reasons for this.", uncalled},
      {"3 out of 5 sentences are warm.", uncalled},
      {"Written on 1/5/2026.", uncalled},
      {"1. It is warm.\n2. It is short.", uncalled},
      {"I rated 2 aspects.", uncalled},
      {"I would not give it a 5.", uncalled},
      {"It doesn't deserve a score of 4.", uncalled},
      {"2 sentences, both cold.", uncalled},
      // JSON
      {R"({"score": 4)", broken},
      {R"({"score": )", broken},
      {R"({"sco)", broken},
      {"{", broken},
      {R"({'score': 4})", broken},
      {R"({"score": NaN})", broken},
      {"{score: 4}", broken},
      {"```json\n{\"score\": 4\n```", broken},
      {R"({"score": 4,})", broken},
      {R"({"score": null})", none},
      {R"({"score": true})", none},
      {R"({"score": "high"})", none},
      {R"({"score": {}})", none},
      {"{}", none},
      {R"({"warmth": 4, "tone": 3})", none},
      // refusals
      {"I cannot rate this.", declined},
      {"I can't help with that.", declined},
      {"I can\xE2\x80\x99t rate this, so 0.", declined},
      {"I cannot provide a rating. Rating: 0", declined},
      {"I'm sorry, but I am not able to judge the feelings of people.", declined},
      {"As an AI, I have no feelings.", declined},
      {"Sorry.", declined},
  };
  for (const auto& [text, reason] : table) {
    const Measured<int> found = level_in(text);
    EXPECT_FALSE(found.has_value()) << text << " was read as " << found.value_or(kNone);
    EXPECT_EQ(found.reason(), reason) << text.substr(0, 80);
  }
}

// A wrapped number keeps its value in every wrapping.
TEST(LevelText, EveryLevelIsReadInEveryWrapping) {
  const std::pair<const char*, const char*> wrappings[] = {{"", ""},
                                                           {"Rating: ", ""},
                                                           {"{\"score\": ", "}"},
                                                           {"```json\n{\"score\":", "}\n```"},
                                                           {"**", "**"},
                                                           {"The score is ", "."},
                                                           {"", "/5"},
                                                           {"", " out of 5"},
                                                           {"I give it a ", " because of its tone."},
                                                           {"<think>6</think> ", ""},
                                                           {"Warm.\n\nScore: ", "\n"},
                                                           {"\xC2\xA0", "\xC2\xA0"}};
  for (const auto& [left, right] : wrappings)
    for (int level = 0; level <= 5; ++level)
      EXPECT_EQ(level_in(left + std::to_string(level) + right).value_or(kNone), level)
          << left << level << right;
}

// Cut anywhere, JSON gives its score or none, never another.
TEST(LevelText, JsonCutAnywhereNeverGivesAnotherScore) {
  for (const std::string whole :
       {R"({"score": 4, "why": "3 words"})", "```json\n{\"why\": \"2\", \"score\": 4}\n```"})
    for (std::size_t n = 0; n < whole.size(); ++n) {
      const Measured<int> found = level_in(whole.substr(0, n));
      EXPECT_TRUE(!found || *found == 4) << whole.substr(0, n);
    }
}

TEST(LevelText, RandomTextsGiveALevelOrAReasonAndNothingElse) {
  const std::string_view pieces[] = {"4",        "5",         "0",
                                     " ",        "\n",        "{",
                                     "}",        "\"score\"", ":",
                                     "/",        "out of",    "to",
                                     "-",        ".",         ",",
                                     "rating",   "not",       "think",
                                     "<think>",  "</think>",  "```",
                                     "\\",       "\"",        "[",
                                     "]",        "//",        "/*",
                                     "*/",       "\xE2",      "\xFF",
                                     "\xC2\xBD", "one",       "i cannot rate",
                                     "%",        "1e9",       "secretword"};
  Stream random{Seed(11)};
  int n_levels = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::uint64_t n = random.below(12); n > 0; --n) text += pieces[random.below(std::size(pieces))];
    const Measured<int> found = level_in(text);
    n_levels += found ? 1 : 0;
    EXPECT_TRUE(found ? *found >= 0 && *found <= 5 : !found.reason().empty()) << text;
    EXPECT_EQ(found.reason().find("secretword"), std::string::npos);
  }
  EXPECT_GT(n_levels, 200);
}

TEST(LevelText, HostileTextsAreReadQuickly) {
  for (const char* part :
       {"{", "{\"a\":", "4 ", "\"", "/*", "4\n", "<think>", "\xE2\x80\x93", "score 4 ", "{}", "a"}) {
    std::string text;
    while (text.size() < 60000) text += part;
    EXPECT_FALSE(level_in(text).has_value() && std::string(part) != "score 4 " && std::string(part) != "4\n")
        << part;
  }
}

}  // namespace
}  // namespace sonder::instrument::detail
