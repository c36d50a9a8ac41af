// On the default model itself, where it has been pulled: the bits do not depend on slots, threads, order or
// company.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "model/catalogue.h"
#include "model/detail/tiny_fixture.h"

namespace sonder::model {
namespace {

using detail::Cell;
using detail::write_all;

class RealModel : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (find_pulled("smollm2-135m")) model_ = load(2, 1);
  }
  static void TearDownTestSuite() { model_.reset(); }
  void SetUp() override {
    if (!model_) GTEST_SKIP() << "smollm2-135m is not here; run ./dev sonder model pull smollm2-135m";
  }
  static std::unique_ptr<Model> load(int n_slots, int n_threads) {
    return Model::load(resolve("smollm2-135m"), {.n_threads = n_threads, .n_slots = n_slots});
  }
  static std::unique_ptr<Model> model_;
};
std::unique_ptr<Model> RealModel::model_;

std::vector<Request> cells(const Model& model) {
  std::vector<Request> requests;
  for (const char* words :
       {"I lost my job last week and I do not know how to tell my family.", "My cat is ill."}) {
    const std::vector<Message> turns = {{"user", words}};
    for (const Span span : {Span::reply, Span::last_prompt, Span::all}) {
      for (const float amount : {0.0F, 40.0F}) {
        Request request;
        request.prompt = model.tokenise(model.render(turns, Template::chat));
        if (amount > 0)
          request.hook = {{{Site{16}, EditKind::push, detail::unit(model.card().n_embd, Seed(3)), amount},
                           {Site{29}, EditKind::ablate, detail::unit(model.card().n_embd, Seed(4)), 0}},
                          span};
        request.seed = Seed(1).child(static_cast<std::uint64_t>(span));
        request.n_max = 3 + static_cast<int>(requests.size() % 3);
        requests.push_back(request);
      }
    }
  }
  return requests;
}

TEST_F(RealModel, RepliesAreTheSameToTheLastBitForAnySlotsThreadsAndOrder) {
  if (std::getenv("SONDER_MODELS") == nullptr) GTEST_SKIP() << "takes half a minute: set SONDER_MODELS=1";
  const std::vector<Request> requests = cells(*model_);
  const std::vector<Cell> expected = write_all(*model_, requests);
  EXPECT_NE(expected[0].logits, expected[1].logits);  // a push does something
  for (const auto& [n_slots, n_threads] : {std::pair(7, 2), std::pair(60, 1)})
    EXPECT_EQ(write_all(*load(n_slots, n_threads), requests), expected)
        << n_slots << " slots, " << n_threads << " threads";

  const auto seven = load(7, 2);
  std::vector<Request> backwards(requests.rbegin(), requests.rend());
  std::vector<Cell> got = write_all(*seven, backwards);
  std::reverse(got.begin(), got.end());
  EXPECT_EQ(got, expected);
  EXPECT_EQ(write_all(*seven, {&requests[5], 1})[0], expected[5]);
}

TEST_F(RealModel, APushArrivesAsAsked) {
  const std::vector<Message> turns = {{"user", "My cat is ill."}};
  Passage passage;
  passage.tokens = model_->tokenise(model_->render(turns, Template::chat));
  passage.n_prompt = static_cast<int>(passage.tokens.size());
  for (const Token token : model_->tokenise_plain("I am so sorry to hear that."))
    passage.tokens.push_back(token);
  for (const int layer : {0, 16, 29}) {
    const Hook hook = {{{Site{layer}, EditKind::push, detail::unit(model_->card().n_embd, Seed(3)), 20}},
                       Span::reply};
    const Manipulation m = check_manipulation(*model_, passage, hook, {});
    EXPECT_LT(m.worst_relative_error, 1e-3) << layer;
    EXPECT_NEAR(m.got, 20, 0.02) << layer;
    EXPECT_EQ(m.change_before, 0) << layer;
    EXPECT_GT(m.kl, 0) << layer;
  }
}

TEST_F(RealModel, ChoosesAmongDigitsWithTheirMassInSight) {
  Passage passage;
  passage.tokens = model_->tokenise_plain(
      "Rate the warmth of each reply from 0 to 5.\nReply: Too bad.\nRating: 1\n"
      "Reply: I am so sorry, that must hurt.\nRating: 5\nReply: OK.\nRating:");
  passage.n_prompt = static_cast<int>(passage.tokens.size());
  const std::vector<std::string> answers = {"0", "1", "2", "3", "4", "5"};
  // This tokeniser spells " 5" as a space and a digit: without the second step the mass would be next to
  // nothing.
  EXPECT_GT(model_->choose({&passage, 1}, answers, {})[0].mass, 0.8);
}

}  // namespace
}  // namespace sonder::model
