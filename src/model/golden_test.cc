// Against reference figures made by transformers (tests/data/README.md). Needs the pulled models.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "model/catalogue.h"
#include "model/model.h"

namespace sonder::model {
namespace {

using Json = nlohmann::json;

Json read_json(const std::string& name) {
  std::ifstream file(SONDER_ROOT "/tests/data/" + name);
  return Json::parse(file);
}

std::vector<float> read_floats(const std::string& name) {
  std::ifstream file(SONDER_ROOT "/tests/data/" + name, std::ios::binary | std::ios::ate);
  std::vector<float> numbers(static_cast<std::size_t>(file.tellg()) / sizeof(float));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(numbers.data()),
            static_cast<std::streamsize>(numbers.size() * sizeof(float)));
  return numbers;
}

// Squared distance and squared length of one row, to be summed over rows.
struct Apart {
  double distance = 0;
  double length = 0;
  void add(std::span<const float> got, std::span<const float> expected) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      distance += std::pow(double{got[i]} - double{expected[i]}, 2);
      length += std::pow(double{expected[i]}, 2);
    }
  }
  double relative() const { return std::sqrt(distance / length); }
};

double cosine(std::span<const float> a, std::span<const float> b) {
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += double{a[i]} * double{b[i]};
    aa += double{a[i]} * double{a[i]};
    bb += double{b[i]} * double{b[i]};
  }
  return ab / std::sqrt(aa * bb);
}

#define SONDER_NEEDS(name) \
  if (!find_pulled(name))  \
  GTEST_SKIP() << "'" << (name) << "' is not here; run ./dev sonder model pull " << (name)

// One model for all tests of it: reading half a gigabyte takes a second.
class GoldenSmol : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (find_pulled("smollm2-135m"))
      model_ = Model::load(resolve("smollm2-135m"), {.n_threads = 1, .n_slots = 2});
  }
  static void TearDownTestSuite() { model_.reset(); }
  void SetUp() override { SONDER_NEEDS("smollm2-135m"); }
  static std::unique_ptr<Model> model_;
};
std::unique_ptr<Model> GoldenSmol::model_;

TEST_F(GoldenSmol, ResidualsAfterEveryBlockAreThoseOfTransformers) {
  const Json about = read_json("smollm2_residuals.json");
  ASSERT_EQ(find_pulled("smollm2-135m").value_or(Pulled{}).source_sha256,
            about["source_sha256"].get<std::string>());
  const std::vector<float> numbers = read_floats("smollm2_residuals.bin");
  const auto n_embd = about["n_embd"].get<std::size_t>();
  const auto n_layers = about["n_layers"].get<std::size_t>();
  Want want;
  for (std::size_t layer = 0; layer < n_layers; ++layer) want.layers.push_back(static_cast<int>(layer));
  std::vector<Passage> passages;
  for (const Json& text : about["texts"]) {
    const auto tokens = text["tokens"].get<std::vector<Token>>();
    passages.push_back({tokens, {}, static_cast<int>(tokens.size())});
  }
  std::vector<Reading> readings(passages.size());
  model_->read(passages, {}, want, [&](std::size_t i, const Reading& reading) { readings[i] = reading; }, {});

  // Without the first token of each text: its norm, ten times that of the others, would hide them.
  std::vector<Apart> layers(n_layers);
  double worst_row = 0;
  const float* expected = numbers.data();
  for (std::size_t i = 0; i < readings.size(); ++i)
    for (std::size_t layer = 0; layer < n_layers; ++layer)
      for (const std::size_t position : about["texts"][i]["positions"].get<std::vector<std::size_t>>()) {
        Apart row;
        row.add(readings[i].residuals.at(layer).row(position), {expected, n_embd});
        worst_row = std::max(worst_row, row.relative());
        if (position > 0)
          layers[layer].add(readings[i].residuals.at(layer).row(position), {expected, n_embd});
        expected += n_embd;
      }
  ASSERT_EQ(expected, numbers.data() + numbers.size());
  // llama.cpp's flash attention rounds keys and values to 16 bits: about 5e-4 here, everything else is 1e-6.
  // A shift by one layer or one row would be > 0.1.
  double worst_layer = 0;
  for (std::size_t layer = 0; layer < n_layers; ++layer) {
    EXPECT_LE(layers[layer].relative(), 1e-3) << "layer " << layer;
    worst_layer = std::max(worst_layer, layers[layer].relative());
  }
  EXPECT_LE(worst_row, 2e-3);
  RecordProperty("worst_layer", std::to_string(worst_layer));
  RecordProperty("worst_row", std::to_string(worst_row));
}

TEST_F(GoldenSmol, ChatTemplateAndTokensAreThoseOfTransformers) {
  const Json about = read_json("smollm2_chat.json");
  for (const Json& conversation : about["conversations"]) {
    std::vector<Message> turns;
    for (const Json& turn : conversation["turns"]) turns.push_back({turn["role"], turn["content"]});
    const std::string rendered = model_->render(turns, Template::chat);
    EXPECT_EQ(rendered, conversation["text"].get<std::string>()) << conversation["name"];
    EXPECT_EQ(model_->tokenise(rendered), conversation["tokens"].get<std::vector<Token>>())
        << conversation["name"];
  }
}

TEST_F(GoldenSmol, TokensOfPlainTextAreThoseOfTransformers) {
  const Json about = read_json("smollm2_residuals.json");
  for (const Json& text : about["texts"])
    EXPECT_EQ(model_->tokenise(text["text"]), text["tokens"].get<std::vector<Token>>()) << text["text"];
}

TEST(Golden, SentenceVectorsAreThoseOfTransformers) {
  SONDER_NEEDS("minilm");
  const Json about = read_json("minilm_vectors.json");
  ASSERT_EQ(find_pulled("minilm").value_or(Pulled{}).source_sha256,
            about["source_sha256"].get<std::string>());
  const auto texts = about["texts"].get<std::vector<std::string>>();
  const auto model = Model::load(resolve("minilm"), {.n_threads = 1});
  const Rows vectors = model->embed(texts, {});
  ASSERT_EQ(vectors.n, texts.size());
  double lowest = 1;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto expected = about["vectors"][i].get<std::vector<float>>();
    ASSERT_EQ(vectors.d, expected.size());
    EXPECT_GE(cosine(vectors.row(i), expected), 0.9999) << texts[i];
    lowest = std::min(lowest, cosine(vectors.row(i), expected));
  }
  RecordProperty("lowest_cosine", std::to_string(lowest));
}

}  // namespace
}  // namespace sonder::model
