#include "model/tiny.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/hash.h"
#include "model/model.h"

namespace sonder::model {
namespace {

std::string path_of(const std::string& name) { return testing::TempDir() + "sonder_tiny_" + name + ".gguf"; }

TinyOptions warm_options() {
  TinyOptions options;
  options.warm = {"sorry", "feel",   "care",    "hug",    "dear",     "hope",  "kind",
                  "heart", "gentle", "hold",    "soft",   "love",     "tears", "close",
                  "safe",  "friend", "comfort", "listen", "together", "warm"};
  return options;
}

// Share of warm words among all words of 60 replies.
double warm_share(Model& model, const TinyOptions& options, const Hook& hook) {
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < 60; ++i) {
    Request request;
    request.prompt = model.tokenise("<|user|> the plan needs you<|end|><|assistant|>");
    request.hook = hook;
    request.sampler.temperature = 1;
    request.seed = Seed(7).child(i);
    request.n_max = 24;
    requests.push_back(request);
  }
  double n = 0;
  double n_warm = 0;
  model.reply(
      requests,
      [&](std::size_t, const Measured<Reply>& reply) {
        std::istringstream words(reply->text);
        for (std::string word; words >> word; ++n)
          if (std::find(options.warm.begin(), options.warm.end(), word) != options.warm.end()) ++n_warm;
      },
      Cancel());
  return n_warm / n;
}

TEST(Tiny, TokenisesWordsAsWords) {
  const std::string path = path_of("plain");
  write_tiny_model(path, {});
  const auto model = Model::load(path, {.n_threads = 1, .n_slots = 4});
  EXPECT_EQ(model->tokenise_plain("the plan, was on").size(), 5U);
  EXPECT_EQ(model->detokenise(model->tokenise_plain("the plan, was on")), "the plan, was on");
  EXPECT_EQ(model->detokenise(model->tokenise_plain("Zoë isn't")), "Zoë isn't");
}

TEST(Tiny, IsTheSameFileForTheSameOptions) {
  write_tiny_model(path_of("one"), {});
  write_tiny_model(path_of("two"), {});
  EXPECT_EQ(sha256_file(path_of("one")), sha256_file(path_of("two")));
  TinyOptions other;
  other.seed = Seed(2);
  write_tiny_model(path_of("two"), other);
  EXPECT_NE(sha256_file(path_of("one")), sha256_file(path_of("two")));
}

TEST(Tiny, PlantedWarmthIsWrittenMoreWhenPushedAndLessWhenAblated) {
  const TinyOptions options = warm_options();
  write_tiny_model(path_of("warm"), options);
  const auto model = Model::load(path_of("warm"), {.n_threads = 1});
  const std::vector<float> u = planted_direction(options);
  TinyOptions elsewhere = options;
  elsewhere.seed = Seed(99);
  const std::vector<float> random = planted_direction(elsewhere);

  const double base = warm_share(*model, options, {});
  const double pushed = warm_share(*model, options, {{{Site{1}, EditKind::push, u, 1.2F}}, Span::reply});
  const double sham = warm_share(*model, options, {{{Site{1}, EditKind::push, random, 1.2F}}, Span::reply});
  const double against = warm_share(*model, options, {{{Site{1}, EditKind::push, u, -1.2F}}, Span::reply});
  const double ablated = warm_share(*model, options, {{{Site{1}, EditKind::ablate, u, 0}}, Span::reply});
  RecordProperty("shares", std::to_string(base) + " " + std::to_string(pushed) + " " + std::to_string(sham) +
                               " " + std::to_string(against) + " " + std::to_string(ablated));
  EXPECT_GT(pushed, base + 0.2);
  EXPECT_LT(against, base - 0.2);
  EXPECT_LT(ablated, base - 0.1);
  EXPECT_NEAR(sham, base, 0.1);
}

}  // namespace
}  // namespace sonder::model
