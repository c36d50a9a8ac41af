// Against a real server on this machine that misbehaves on command.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "instrument/instrument.h"
#include "net/server.h"

namespace sonder::instrument {
namespace {

constexpr const char* kMarker = "k9-private-words";  // in what the server sends; in no reason and no message

class RemoteJudgeTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = std::make_unique<net::Server>(); }
  static void TearDownTestSuite() { server_.reset(); }

  std::vector<Measured<double>> ask(const std::string& steps, const std::vector<std::string>& texts,
                                    int samples = 3, std::int64_t tokens = 0) {
    model::EndpointOptions o;
    o.url = server_->url(steps);
    o.timeout = 2;
    o.retry = {3, .01, .05, 2};
    o.concurrency = 1;
    o.tokens = tokens;
    endpoint_ = model::Endpoint::open(o, Seed(1));
    const auto judge =
        remote_judge(*endpoint_, {o.url, "m", "Rate the feeling.", "Rate the understanding.", samples});
    std::vector<BlindReply> replies;
    for (const std::string& text : texts) replies.push_back(blind_text("a private message", text));
    return judge->score("affective", replies, {}, {});
  }
  Measured<double> one(const std::string& steps, int samples = 3) {
    return ask(steps, {"a reply"}, samples)[0];
  }

  static std::unique_ptr<net::Server> server_;
  std::unique_ptr<model::Endpoint> endpoint_;
};
std::unique_ptr<net::Server> RemoteJudgeTest::server_;

TEST_F(RemoteJudgeTest, TakesTheExpectedScoreWhereProbabilitiesAreGiven) {
  const auto score = one("sure:4");  // .5 on 4, .3 on 5, .1 on " 3"
  ASSERT_TRUE(score.has_value()) << score.reason();
  EXPECT_NEAR(*score, (4 * .5 + 5 * .3 + 3 * .1) / .9, 1e-9);
  EXPECT_EQ(server_->log()["requests"].size(), 1U);
}

TEST_F(RemoteJudgeTest, TakesTheMeanOfItsOwnDrawsElsewhere) {
  const auto score = one("draws:3%7C4%7C5", 3);
  ASSERT_TRUE(score.has_value());
  EXPECT_EQ(*score, 4);
  EXPECT_EQ(server_->log()["requests"].size(), 3U);
  EXPECT_EQ(*one("draws:5%7CI%20would%20rather%20not%7C3", 3), 4);  // two of three hold a level
  EXPECT_FALSE(one("draws:none%7Cnothing%7C3", 3).has_value());     // one of three does not decide
}

TEST_F(RemoteJudgeTest, ScoresEachReplyByItself) {
  const auto scores = ask("echo", {"cold", "warm warm", "warm warm warm", "   "}, 1);
  EXPECT_EQ(*scores[0], 0);  // the scale's lowest level, said by the judge
  EXPECT_EQ(*scores[1], 2);
  EXPECT_EQ(*scores[2], 3);
  EXPECT_EQ(scores[3].reason(), "the reply is empty");
  const auto body = nlohmann::json::parse(server_->log()["requests"][1]["body"].get<std::string>());
  const auto words = body["messages"][0]["content"].get<std::string>();
  EXPECT_EQ(words,
            "Rate the feeling.\n\nMessage: a private message\n\nReply: warm warm\n\nRating (0 to 5): ");
}

TEST_F(RemoteJudgeTest, GivesTheValueOrTheReasonForEveryKindOfAnswer) {
  const std::pair<std::string, double> values[] = {
      {"ok:4", 4},
      {"ok:%60%60%60json%0A%7B%22rating%22%3A%203%7D%0A%60%60%60", 3},  // fenced JSON
      {"ok:%7B%22rating%22%3A%202%7D%20//%20a%20comment", 2},
      {"ok:Rating%3A%205.%20The%20reply%20is%20warm.", 5},
      {"ok:0", 0},
      {"status:500,status:429,ok:3", 3},
      {"html,half,ok:1", 1},
      {"empty,ok:4", 4},
      {"reject:logprobs", 4},
      {"reject:max_tokens", 4},
      {"reject:temperature", 4}};
  for (const auto& [steps, expected] : values) {
    const auto score = one(steps, 1);
    ASSERT_TRUE(score.has_value()) << steps << ": " << score.reason();
    EXPECT_EQ(*score, expected) << steps;
  }
  for (const std::string steps :
       {"ok:7", "ok:-1", "ok:3.5", "ok:Either%202%20or%204", "ok:I%20cannot%20rate%20this.",
        "ok:%7B%22rating%22%3A", "ok:The%20reply%20has%204%20sentences", "ok:", "html", "half", "array",
        "stream", "error200", "status:500", "status:429", "context", "status:400", "huge", "cut"}) {
    const auto score = one(steps, 1);
    ASSERT_FALSE(score.has_value()) << steps << " became " << *score;
    EXPECT_FALSE(score.reason().empty()) << steps;
    EXPECT_EQ(score.reason().find(kMarker), std::string::npos) << score.reason();
    if (std::getenv("SONDER_SHOW") != nullptr)
      std::printf("| `%s` | %s |\n", steps.c_str(), score.reason().c_str());
  }
}

TEST_F(RemoteJudgeTest, LearnsOnceWhatTheEndpointDoesNotTake) {
  const auto scores = ask("reject:logprobs", {"a", "b", "c", "d"}, 2);
  for (const auto& score : scores) EXPECT_EQ(*score, 4);
  EXPECT_EQ(server_->log()["requests"].size(), 4U + 1 + 4);  // eight questions, one of them asked twice
}

TEST_F(RemoteJudgeTest, StopsWhenItsTokensAreSpent) {
  try {
    ask("ok:4", {"a", "b", "c", "d", "e", "f"}, 1, 350);  // a hundred an answer
    FAIL() << "the budget was not kept";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_NE(std::string(error.what()).find("budget of 350 tokens is spent"), std::string::npos)
        << error.what();
    EXPECT_EQ(std::string(error.what()).find("private"), std::string::npos);
  }
  EXPECT_LE(server_->log()["requests"].size(), 3U);
}

TEST(RemoteJudge, HasItsOwnFingerprintByModelRubricAndAddress) {
  model::EndpointOptions o;
  o.url = "http://127.0.0.1:1/v1";
  const auto endpoint = model::Endpoint::open(o, Seed(1));
  const RemoteJudgeOptions base{o.url, "m", "a", "c", 5};
  const auto print = [&](const RemoteJudgeOptions& r) { return remote_judge(*endpoint, r)->fingerprint(); };
  EXPECT_EQ(print(base), print(base));
  for (const RemoteJudgeOptions& other :
       {RemoteJudgeOptions{"http://127.0.0.1:2/v1", "m", "a", "c", 5},
        RemoteJudgeOptions{o.url, "n", "a", "c", 5}, RemoteJudgeOptions{o.url, "m", "b", "c", 5},
        RemoteJudgeOptions{o.url, "m", "a", "d", 5}, RemoteJudgeOptions{o.url, "m", "a", "c", 6}})
    EXPECT_NE(print(base), print(other));
  EXPECT_THROW(remote_judge(*endpoint, {o.url, "", "a", "c", 5}), Error);
}

}  // namespace
}  // namespace sonder::instrument
