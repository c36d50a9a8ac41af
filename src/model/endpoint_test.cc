// Against a real server on this machine that misbehaves on command.
#include "model/endpoint.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "net/server.h"

namespace sonder::model {
namespace {

constexpr const char* kMarker = "k9-private-words";  // in what the server sends; in no message

class EndpointTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = std::make_unique<net::Server>(); }
  static void TearDownTestSuite() { server_.reset(); }

  static EndpointOptions options(const std::string& steps) {
    EndpointOptions o;
    o.url = server_->url(steps);
    o.timeout = 5;
    o.retry = {4, 0.02, 0.1, 5};
    return o;
  }

  // Asks n questions; an answer of status 200 that begins with "{" is usable.
  void ask(const EndpointOptions& o, int n = 1) {
    std::vector<Question> questions;
    for (int i = 0; i < n; ++i)
      questions.push_back({R"({"model":"m","messages":[{"content":")" + std::to_string(i) + R"("}]})", 50});
    endpoint_ = Endpoint::open(o, Seed(1));
    endpoint_->ask(
        questions,
        [&](std::size_t i, const HttpAnswer& a) -> Handling {
          if (a.status != 200) return {Handling::Next::gone, "status " + std::to_string(a.status)};
          if (a.body.empty() || a.body[0] != '{') return {Handling::Next::again, "no JSON"};
          answers_[i] = a.body;
          return {Handling::Next::done, {}, {}, 100};
        },
        [&](std::size_t i, const std::string& reason) { gone_[i] = reason; }, cancel_);
  }

  // What the refusal says; "" when there is none.
  std::string refusal(const EndpointOptions& o, int n = 1) {
    try {
      ask(o, n);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }

  static std::unique_ptr<net::Server> server_;
  std::unique_ptr<Endpoint> endpoint_;
  std::map<std::size_t, std::string> answers_, gone_;
  Cancel cancel_;
};
std::unique_ptr<net::Server> EndpointTest::server_;

double seconds_since(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

TEST_F(EndpointTest, HandsOverEveryAnswer) {
  ask(options("ok:4"), 20);
  EXPECT_EQ(answers_.size(), 20U);
  EXPECT_TRUE(gone_.empty());
  EXPECT_EQ(endpoint_->traffic().sent, 20);
  EXPECT_EQ(endpoint_->traffic().again, 0);
  EXPECT_EQ(endpoint_->traffic().tokens, 2000);
  EXPECT_EQ(server_->log()["requests"].size(), 20U);
}

TEST_F(EndpointTest, AsksNoMoreThanSoManyAtOnceAndThatMany) {
  for (const int limit : {1, 3}) {
    auto o = options("wait:0.05+ok:4");
    o.concurrency = limit;
    ask(o, 12);
    EXPECT_EQ(server_->log()["most"], limit);
  }
}

TEST_F(EndpointTest, AsksAgainWhatPasses) {
  for (const std::string step : {"status:500", "status:503", "status:429", "status:408", "status:529", "cut",
                                 "reset", "junk", "empty", "html", "stream", "array"}) {
    answers_.clear();
    ask(options(step + "," + step + ",ok:4"));
    EXPECT_EQ(answers_.size(), 1U) << step;
    EXPECT_EQ(endpoint_->traffic().sent, 3) << step;
    EXPECT_EQ(endpoint_->traffic().again, 2) << step;
  }
}

TEST_F(EndpointTest, GivesAReasonWhenItDoesNotPass) {
  const std::pair<std::string, std::string> kinds[] = {
      {"status:500", "the endpoint failed (HTTP 500), 4 times"},
      {"status:429", "the endpoint was asked too often (HTTP 429), 4 times"},
      {"cut", "the connection ended before the answer did, 4 times"},
      {"html", "no JSON, 4 times"},
      {"status:403", "the endpoint does not allow this question (HTTP 403)"},
      {"status:413", "the text is too long for the endpoint (HTTP 413)"},
      {"status:418", "the endpoint refused the question (HTTP 418)"},
      {"status:400", "status 400"},
      {"huge", "the endpoint could not be asked: its answer was larger than 4 MB"}};
  for (const auto& [step, reason] : kinds) {
    gone_.clear();
    ask(options(step));
    EXPECT_EQ(gone_[0], reason) << step;
    EXPECT_TRUE(answers_.empty());
  }
}

TEST_F(EndpointTest, ObeysRetryAfterForAllItsQuestions) {
  auto o = options("after:1,ok:4");
  o.concurrency = 1;
  ask(o, 3);
  EXPECT_EQ(answers_.size(), 3U);
  const auto log = server_->log()["requests"];
  EXPECT_GE(log[1]["at"].get<double>() - log[0]["at"].get<double>(), 1.0);
  EXPECT_LT(log[3]["at"].get<double>() - log[0]["at"].get<double>(), 2.5);
}

TEST_F(EndpointTest, ObeysRetryAfterAsADate) {
  ask(options("date:2,ok:4"));
  const auto log = server_->log()["requests"];
  EXPECT_GE(log[1]["at"].get<double>() - log[0]["at"].get<double>(), 0.9);  // a date has whole seconds
}

TEST_F(EndpointTest, DoesNotWaitLongerThanItsUserWould) {
  EXPECT_EQ(refusal(options("after:100")),
            "the endpoint at 127.0.0.1 asks to wait 100 seconds; what was answered is kept, run again then");
}

TEST_F(EndpointTest, EndsWhatTakesTooLong) {
  for (const std::string step : {"hang:30", "drip:0.05"}) {
    auto o = options(step + ",ok:4");
    o.timeout = 0.4;
    const auto start = std::chrono::steady_clock::now();
    ask(o);
    EXPECT_EQ(answers_.size(), 1U);
    EXPECT_GE(seconds_since(start), 0.4);
    EXPECT_LT(seconds_since(start), 5);
    EXPECT_EQ(endpoint_->traffic().tokens, 150);  // the one that was ended may have been worked on
  }
}

TEST_F(EndpointTest, SaysThatNobodyListensAfterItsTries) {
  EndpointOptions o = options("ok:4");
  o.url = "http://127.0.0.1:" + std::to_string(net::closed_port()) + "/v1";
  EXPECT_EQ(refusal(o, 3), "the endpoint at 127.0.0.1 cannot be reached: the connection was refused");
  o.url = "https://no-such-host.invalid/v1";
  EXPECT_EQ(refusal(o), "the endpoint at no-such-host.invalid cannot be reached: its host is not known");
}

TEST_F(EndpointTest, StopsWhenFiveInARowFailAndKeepsWhatWasAnswered) {
  auto o = options("ok:4,ok:4,status:500");
  o.concurrency = 1;
  const std::string said = refusal(o, 8);
  EXPECT_NE(
      said.find("left 5 questions in a row unanswered, the last: the endpoint failed (HTTP 500), 4 times"),
      std::string::npos)
      << said;
  EXPECT_EQ(answers_.size(), 2U);
}

TEST_F(EndpointTest, GoesOnWhenSingleTextsAreRefused) {
  auto o = options("ok:4,status:403,status:403,status:403,status:403,status:403,status:403,status:403,ok:4");
  o.concurrency = 1;
  ask(o, 9);
  EXPECT_EQ(answers_.size(), 2U);
  EXPECT_EQ(gone_.size(), 7U);
}

TEST_F(EndpointTest, SendsTheKeyAsABearerTokenAndOnlyWhenThereIsOne) {
  auto o = options("key:good");
  o.key = "good";
  ask(o);
  EXPECT_EQ(answers_.size(), 1U);
  EXPECT_EQ(server_->log()["requests"][0]["authorization"], "Bearer good");
  ask(options("ok:4"));
  EXPECT_EQ(server_->log()["requests"][0]["authorization"], "");
}

TEST_F(EndpointTest, AWrongKeyNamesItsVariableAndNeverItself) {
  auto o = options("key:good");
  o.key = "sk-k9-secret";
  o.key_env = "MY_JUDGE_KEY";
  EXPECT_EQ(refusal(o, 5),
            "the endpoint at 127.0.0.1 did not accept the key; set the environment variable MY_JUDGE_KEY to "
            "a valid "
            "one (HTTP 401)");
  EXPECT_NE(refusal(options("key:good")).find("endpoint.key_env"), std::string::npos);
  o.key = "sk-k9-secret\r\nX: y";
  const std::string said = refusal(o);
  EXPECT_NE(said.find("MY_JUDGE_KEY"), std::string::npos);
  EXPECT_EQ(said.find("k9"), std::string::npos);
}

TEST_F(EndpointTest, FollowsNoRedirect) {
  EXPECT_NE(refusal(options("redirect")).find("does not follow"), std::string::npos);
  EXPECT_EQ(server_->log()["requests"].size(), 1U);
}

TEST_F(EndpointTest, StopsAtOnceWhereNoQuestionCouldBeAnswered) {
  EXPECT_NE(refusal(options("status:404")).find("no such model"), std::string::npos);
  EXPECT_NE(refusal(options("status:402")).find("no quota left"), std::string::npos);
  EXPECT_NE(refusal(options("status:429:insufficient_quota")).find("no quota left"), std::string::npos);
  EXPECT_EQ(server_->log()["requests"].size(), 1U);
}

TEST_F(EndpointTest, SpendsNoMoreThanItsTokens) {
  for (const int concurrency : {1, 8}) {
    answers_.clear();
    auto o = options("ok:4");
    o.tokens = 1050;
    o.concurrency = concurrency;
    EXPECT_NE(refusal(o, 40).find("budget of 1050 tokens is spent"), std::string::npos);
    EXPECT_LE(endpoint_->traffic().tokens, 1050 + 50 * concurrency);  // an answer may cost more than expected
    EXPECT_GE(answers_.size(), 10U);
  }
}

TEST_F(EndpointTest, AsksSomethingElseInItsPlaceWithoutAWait) {
  endpoint_ = Endpoint::open(options("reject:seed"), Seed(1));
  const std::vector<Question> one = {{R"({"seed":1})", 50}};
  int calls = 0;
  endpoint_->ask(
      one,
      [&](std::size_t, const HttpAnswer& a) -> Handling {
        ++calls;
        if (a.status == 400) return {Handling::Next::instead, {}, R"({"other":1})", {}};
        return {};
      },
      [](std::size_t, const std::string&) { FAIL(); }, cancel_);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(server_->log()["requests"][1]["body"], R"({"other":1})");
}

TEST_F(EndpointTest, StopsSoonWhenAsked) {
  auto o = options("hang:30");
  endpoint_ = Endpoint::open(o, Seed(1));
  cancel_.ask();
  EXPECT_NE(refusal(o).find("stopped on request"), std::string::npos);
}

TEST_F(EndpointTest, CanBeAskedAgainAfterAnError) {
  endpoint_ = Endpoint::open(options("hang:1,ok:4"), Seed(1));
  const std::vector<Question> one = {{"{}", 50}};
  Cancel stop;
  stop.ask();
  const auto done = [](std::size_t, const HttpAnswer&) -> Handling { return {}; };
  const auto gone = [](std::size_t, const std::string&) { FAIL(); };
  EXPECT_THROW(endpoint_->ask(one, done, gone, stop), Error);
  endpoint_->ask(one, done, gone, {});
  endpoint_->ask({}, done, gone, {});
  EXPECT_GE(endpoint_->traffic().sent, 1);
}

TEST_F(EndpointTest, NoMessageRepeatsWhatTheServerSent) {
  for (const std::string step :
       {"status:400", "status:401", "status:402", "status:403", "status:404", "status:413", "status:429",
        "status:500", "html", "half", "error200", "redirect", "context", "after:1000", "key:x"}) {
    gone_.clear();
    std::string said = refusal(options(step), 6);
    for (const auto& [i, reason] : gone_) said += reason;
    EXPECT_EQ(said.find(kMarker), std::string::npos) << step;
    EXPECT_EQ(said.find("messages"), std::string::npos) << step;
  }
}

TEST_F(EndpointTest, PlainHttpToAnotherMachineNeedsAWord) {
  EndpointOptions o;
  o.url = "http://example.org/v1";
  EXPECT_NE(refusal(o, 0).find("allow_http"), std::string::npos);
  o.allow_http = true;
  EXPECT_EQ(refusal(o, 0), "");
  o.url = "https://user:secret@example.org/v1";
  EXPECT_NE(refusal(o, 0).find("without a user name"), std::string::npos);
  EXPECT_EQ(refusal(o, 0).find("secret"), std::string::npos);
}

}  // namespace
}  // namespace sonder::model
