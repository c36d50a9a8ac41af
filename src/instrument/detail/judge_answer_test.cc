#include "instrument/detail/judge_answer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/seed.h"

namespace sonder::instrument::detail {
namespace {

using nlohmann::json;

json completion(const json& content) {
  return {{"id", "x"},
          {"object", "chat.completion"},
          {"model", "m-1"},
          {"choices",
           {{{"index", 0},
             {"message", {{"role", "assistant"}, {"content", content}}},
             {"finish_reason", "stop"}}}},
          {"usage", {{"prompt_tokens", 90}, {"completion_tokens", 10}, {"total_tokens", 100}}}};
}

json token(const std::string& text, double log_p, const std::vector<std::pair<std::string, double>>& others) {
  json top = json::array();
  for (const auto& [other, p] : others) top.push_back({{"token", other}, {"logprob", p}});
  return {{"token", text}, {"logprob", log_p}, {"top_logprobs", top}};
}

json with_tokens(const std::string& content, const json& tokens) {
  json body = completion(content);
  body["choices"][0]["logprobs"] = {{"content", tokens}};
  return body;
}

std::string reason_of(const std::string& body) { return read_answer(body).level.reason(); }

TEST(JudgeAnswer, ReadsTheLevelTheModelAndTheCost) {
  const JudgeAnswer a = read_answer(completion("Rating: 4").dump());
  EXPECT_EQ(a.level.value_or(-1), 4);
  EXPECT_EQ(a.model, "m-1");
  EXPECT_EQ(a.n_tokens, 100);
  EXPECT_FALSE(a.damaged);
  EXPECT_FALSE(a.p.has_value());
}

TEST(JudgeAnswer, ReadsWordsInPartsAndOlderCompletions) {
  const json parts =
      json::array({{{"type", "text"}, {"text", "Rating: "}}, {{"type", "text"}, {"text", "3"}}});
  EXPECT_EQ(read_answer(completion(parts).dump()).level.value_or(-1), 3);
  EXPECT_EQ(read_answer(R"({"choices":[{"text":" 2","finish_reason":"stop"}]})").level.value_or(-1), 2);
}

TEST(JudgeAnswer, SaysWhatABodyIsThatIsNoCompletion) {
  const std::pair<std::string, std::string> damaged[] = {
      {"", "the endpoint's answer is empty"},
      {" \r\n", "the endpoint's answer is empty"},
      {"<!doctype html><h1>4</h1>", "a web page came back instead of an answer"},
      {"\n<html>Rating: 4</html>", "a web page came back instead of an answer"},
      {"4", "there is no choice in the endpoint's answer"},
      {"Rating: 4", "the endpoint's answer is not whole JSON"},
      {completion("4").dump().substr(0, 90), "the endpoint's answer is not whole JSON"},
      {"data: {\"choices\":[]}\n\n", "the endpoint's answer is not whole JSON"},
      {"{}", "there is no choice in the endpoint's answer"},
      {"[4]", "there is no choice in the endpoint's answer"},
      {R"({"choices":[]})", "there is no choice in the endpoint's answer"},
      {R"({"choices":4})", "there is no choice in the endpoint's answer"},
      {R"({"choices":[4]})", "there is no choice in the endpoint's answer"},
      {R"({"error":{"message":"score: 4"}})", "the endpoint reported an error instead of an answer"},
      {R"({"choices":null,"error":"4"})", "the endpoint reported an error instead of an answer"}};
  for (const auto& [body, reason] : damaged) {
    const JudgeAnswer a = read_answer(body);
    EXPECT_TRUE(a.damaged) << body;
    EXPECT_EQ(a.level.reason(), reason) << body;
  }
}

TEST(JudgeAnswer, ThatIsWholeButHasNoScoreIsNotAskedForAgain) {
  json refusal = completion(nullptr);
  refusal["choices"][0]["message"]["refusal"] = "I will not say 4.";
  json filtered = completion("4");
  filtered["choices"][0]["finish_reason"] = "content_filter";
  json cut = completion("The reply shares the");
  cut["choices"][0]["finish_reason"] = "length";
  json tool = completion(nullptr);
  tool["choices"][0]["message"]["tool_calls"] = json::array({{{"id", "4"}}});
  const std::pair<json, std::string> table[] = {
      {refusal, "the judge declined to rate"},
      {filtered, "the endpoint's content filter stopped the judge"},
      {cut, "the judge gave no score; the answer was cut off at its limit"},
      {tool, "there are no words in the judge's answer"},
      {completion(4), "there are no words in the judge's answer"},
      {completion(""), "the judge's answer is empty"},
      {completion("7"), "the judge's score is not between 0 and 5"}};
  for (const auto& [body, reason] : table) {
    const JudgeAnswer a = read_answer(body.dump());
    EXPECT_FALSE(a.damaged);
    EXPECT_EQ(a.level.reason(), reason);
  }
}

TEST(JudgeAnswer, SumsTheProbabilityOfEachLevelOverItsSpellings) {
  const json tokens = json::array({token("4", std::log(.5),
                                         {{"4", std::log(.5)},
                                          {" 4", std::log(.05)},
                                          {"\n4", std::log(.02)},
                                          {"5", std::log(.3)},
                                          {"\"3", std::log(.03)},
                                          {"40", std::log(.04)},
                                          {"4", std::log(.5)},  // once is enough
                                          {"Four", std::log(.01)},
                                          {"6", std::log(.01)},
                                          {"0", -9999.0}})});
  const JudgeAnswer a = read_answer(with_tokens("4", tokens).dump());
  ASSERT_TRUE(a.p.has_value());
  const std::vector<double> expected = {0, 0, 0, .03, .57, .3};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR((*a.p)[k], expected[k], 1e-12) << k;
}

TEST(JudgeAnswer, FindsTheRatingBehindItsWrappingOnly) {
  const json four = token("4", std::log(.9), {{"4", std::log(.9)}, {"3", std::log(.1)}});
  const auto plain = [](const std::string& text) { return token(text, 0, {{text, 0}}); };
  const auto p_of = [](const std::string& content, const json& tokens) {
    const JudgeAnswer a = read_answer(with_tokens(content, tokens).dump());
    EXPECT_EQ(a.level.value_or(-1), 4) << content;
    return a.p ? (*a.p)[3] : -1;
  };
  EXPECT_NEAR(p_of("\n4", json::array({plain("\n"), four})), .1, 1e-12);
  EXPECT_NEAR(p_of("Rating: 4", json::array({plain("Rating"), plain(":"), plain(" "), four})), .1, 1e-12);
  EXPECT_NEAR(
      p_of("{\"score\": 4}", json::array({plain("{\""), plain("score"), plain("\":"), four, plain("}")})), .1,
      1e-12);
  // Words before it: the probabilities belong to that course of words alone.
  EXPECT_EQ(p_of("I would give it a 4", json::array({plain("I would give it a "), four})), -1);
  EXPECT_EQ(p_of("I feel 2 things. Rating: 4",
                 json::array({plain("I feel "), plain("2"), plain(" things. Rating: "), four})),
            -1);
  // Tokens that do not tell the level that was read.
  EXPECT_EQ(p_of("4", json::array({token("3", 0, {{"3", 0}})})), -1);
  EXPECT_EQ(p_of("4", json::array({token("4", 0, {})})), -1);
  EXPECT_EQ(p_of("4", json::array()), -1);
  EXPECT_EQ(p_of("4", json::array({4, nullptr, "4"})), -1);
}

TEST(JudgeAnswer, ReadsProbabilitiesOfOlderCompletions) {
  const JudgeAnswer a = read_answer(
      R"({"choices":[{"text":"4","logprobs":{"tokens":["4"],"token_logprobs":[-0.1],"top_logprobs":[{"4":-0.1,"5":-3}]}}]})");
  ASSERT_TRUE(a.p.has_value());
  EXPECT_NEAR((*a.p)[4], std::exp(-0.1), 1e-12);
}

// Any damage to a good body: a level, the right one unless its very digit was changed, or a reason.
TEST(JudgeAnswer, DamagedBodiesEndInAReasonAndNeverInACrash) {
  const json tokens = json::array({token("4", -0.1, {{"4", -0.1}, {"5", -3}})});
  json body = with_tokens("{\"score\": 4}", tokens);
  body["choices"][0]["message"]["note"] = "secretword";
  const std::string good = body.dump();
  const std::string alphabet = "{}[]:,\"\\ 0123456789.-eEtfn<>/\n\t\xC3\xFFx";
  Stream random{Seed(3)};
  int n_levels = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
      const std::size_t at = random.below(text.size());
      const char letter = alphabet[random.below(alphabet.size())];
      if (random.coin())
        text[at] = letter;
      else if (random.coin())
        text.insert(at, 1, letter);
      else
        text.erase(at, 1 + random.below(20));
    }
    const JudgeAnswer a = read_answer(text);
    n_levels += a.level ? 1 : 0;
    EXPECT_TRUE(a.level ? *a.level >= 0 && *a.level <= 5 : !a.level.reason().empty()) << text;
    EXPECT_EQ(a.level.reason().find("secretword"), std::string::npos);
    for (const double p : a.p.value_or(std::vector<double>())) EXPECT_TRUE(p >= 0 && p <= 2) << text;
    EXPECT_FALSE(a.damaged && a.level.has_value());
  }
  EXPECT_GT(n_levels, 1000);
  for (std::size_t n = 0; n < good.size(); ++n) EXPECT_TRUE(read_answer(good.substr(0, n)).damaged);
}

TEST(JudgeAnswer, DeepNestingIsNoDanger) {
  EXPECT_TRUE(read_answer(std::string(1 << 20, '[')).damaged);
  EXPECT_TRUE(read_answer(std::string(1 << 18, '[') + std::string(1 << 18, ']')).damaged);
  EXPECT_EQ(reason_of(completion(std::string(10000, '{') + std::string(10000, '}')).dump()),
            "the judge's JSON is broken or cut off");
}

}  // namespace
}  // namespace sonder::instrument::detail
