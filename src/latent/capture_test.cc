#include "latent/capture.h"

#include <gtest/gtest.h>

#include "model/tiny.h"

namespace sonder::latent {
namespace {

class Capture : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::string path = testing::TempDir() + "sonder_latent_capture.gguf";
    model::write_tiny_model(path, {});
    model_ = model::Model::load(path, {.n_threads = 1, .n_slots = 4}).release();  // owned: freed below
  }
  static void TearDownTestSuite() { delete model_; }

  static model::Passage passage(const std::string& prompt, const std::string& reply) {
    model::Passage out;
    out.tokens = model_->tokenise(prompt);
    out.n_prompt = static_cast<int>(out.tokens.size());
    out.cuts = {out.n_prompt};
    const auto rest = model_->tokenise_plain(reply);
    out.tokens.insert(out.tokens.end(), rest.begin(), rest.end());
    return out;
  }

  static std::vector<model::Passage> passages() {
    return {passage("the plan needs you", " the plan was on"),
            passage("the plan needs you", " you, the plan"), passage("you was", " on the")};
  }

  static model::Model* model_;
};
model::Model* Capture::model_ = nullptr;

TEST_F(Capture, TakesTheMeanOverReplyTokensAndTheLastPromptToken) {
  const auto texts = passages();
  const std::vector<int> layers = {0, 2};
  const auto got = capture(*model_, texts, layers, Position::reply_mean, Cancel());
  ASSERT_EQ(got.at_position.size(), 2U);
  EXPECT_EQ(got.layers, layers);
  model::Want want;
  want.layers = layers;
  model_->read(
      texts, {}, want,
      [&](std::size_t i, const model::Reading& reading) {
        const auto n_prompt = static_cast<std::size_t>(texts[i].n_prompt);
        for (std::size_t l = 0; l < 2; ++l) {
          const Rows& x = reading.residuals[l];
          ASSERT_EQ(x.n, texts[i].tokens.size());
          for (std::size_t j = 0; j < x.d; ++j) {
            double sum = 0;
            for (std::size_t t = n_prompt; t < x.n; ++t) sum += static_cast<double>(x.row(t)[j]);
            EXPECT_FLOAT_EQ(got.at_position[l].row(i)[j],
                            static_cast<float>(sum / static_cast<double>(x.n - n_prompt)));
            EXPECT_EQ(got.at_prompt[l].row(i)[j], x.row(n_prompt - 1)[j]);
          }
        }
      },
      Cancel());
}

TEST_F(Capture, PositionsDifferAsTheySay) {
  const auto texts = passages();
  const auto prompt = capture(*model_, texts, {1}, Position::last_prompt, Cancel());
  EXPECT_EQ(prompt.at_position, prompt.at_prompt);
  const auto last = capture(*model_, texts, {1}, Position::last_reply, Cancel());
  EXPECT_EQ(last.at_prompt, prompt.at_prompt);
  EXPECT_NE(last.at_position, prompt.at_position);
}

TEST_F(Capture, RepliesToOnePromptShareItsStateAndItIsReadOnce) {
  const auto texts = passages();
  const auto before = model_->counts().prefilled;
  const auto got = capture(*model_, texts, {3}, Position::reply_mean, Cancel());
  const auto read = model_->counts().prefilled - before;
  EXPECT_TRUE(std::ranges::equal(got.at_prompt[0].row(0), got.at_prompt[0].row(1)));
  std::size_t all = 0;
  for (const auto& text : texts) all += text.tokens.size();
  EXPECT_LE(static_cast<std::size_t>(read), all - static_cast<std::size_t>(texts[1].n_prompt));
  // Each passage alone gives the same bytes as all together.
  const auto alone = capture(*model_, std::span(texts).subspan(1, 1), {3}, Position::reply_mean, Cancel());
  EXPECT_TRUE(std::ranges::equal(alone.at_position[0].row(0), got.at_position[0].row(1)));
}

TEST_F(Capture, RefusesWhatHasNoReplyOrNoPrompt) {
  auto empty = passage("you", "");
  EXPECT_THROW(capture(*model_, std::span(&empty, 1), {0}, Position::reply_mean, Cancel()), Error);
  EXPECT_NO_THROW(capture(*model_, std::span(&empty, 1), {0}, Position::last_prompt, Cancel()));
  auto bare = passage("you", " on");
  bare.n_prompt = 0;
  bare.cuts = {};
  EXPECT_THROW(capture(*model_, std::span(&bare, 1), {0}, Position::reply_mean, Cancel()), Error);
  EXPECT_THROW(capture(*model_, std::span(&empty, 1), {}, Position::last_prompt, Cancel()), Error);
}

}  // namespace
}  // namespace sonder::latent
