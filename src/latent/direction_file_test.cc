#include <common.h>
#include <gguf.h>
#include <gtest/gtest.h>
#include <llama.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>

#include "latent/direction.h"
#include "model/tiny.h"

namespace sonder::latent {
namespace {

std::string path_of(const std::string& name) { return testing::TempDir() + "sonder_latent_" + name; }

Direction direction(int layer, std::size_t width, double gap, Seed seed) {
  Direction like{"affective", "dom", layer, std::vector<float>(width), gap, 138.25, 3.5, -1.25};
  auto out = random_direction(like, seed);
  out.method = "dom";
  out.neutral_mean = -1.25;
  return out;
}

DirectionFile file_of(std::vector<Direction> directions) {
  DirectionFile file;
  file.directions = std::move(directions);
  file.model_sha256 = std::string(64, 'a');
  file.model_name = "tiny";
  file.bank_sha256 = std::string(64, 'b');
  file.auroc = 0.925;
  file.concordance = 0.95;
  return file;
}

// What went wrong when `path` was read.
std::string complaint(const std::string& path, ErrorKind kind) {
  try {
    read_directions(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "it was read";
  return {};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(DirectionFile, GivesBackWhatWasWrittenToTheLastBit) {
  const auto file = file_of(
      {direction(0, 64, 2, Seed(1)), direction(2, 64, 0.37, Seed(2)), direction(16, 64, 11.3, Seed(3))});
  write_directions(path_of("round.gguf"), file);
  EXPECT_EQ(read_directions(path_of("round.gguf")), file);
  EXPECT_FALSE(std::filesystem::exists(path_of("round.gguf.part")));
}

TEST(DirectionFile, RefusesToWriteWhatNobodyCouldRead) {
  const auto path = path_of("refused.gguf");
  EXPECT_THROW(write_directions(path, file_of({})), Error);
  EXPECT_THROW(write_directions(path, file_of({direction(2, 8, 1, Seed(1)), direction(2, 8, 1, Seed(2))})),
               Error);
  EXPECT_THROW(write_directions(path, file_of({direction(1, 8, 1, Seed(1)), direction(2, 9, 1, Seed(2))})),
               Error);
  EXPECT_THROW(write_directions(path, file_of({direction(1, 8, 0, Seed(1))})), Error);
  EXPECT_THROW(write_directions("/nowhere/at/all.gguf", file_of({direction(1, 8, 1, Seed(1))})), Error);
}

TEST(DirectionFile, OtherFilesAreRefusedWithASentence) {
  EXPECT_NE(complaint(path_of("absent.gguf"), ErrorKind::io).find("absent.gguf"), std::string::npos);
  write_bytes(path_of("text.gguf"), "warm words");
  EXPECT_NE(complaint(path_of("text.gguf"), ErrorKind::bad_input).find("no GGUF"), std::string::npos);
  write_bytes(path_of("empty.gguf"), "");
  complaint(path_of("empty.gguf"), ErrorKind::bad_input);
  model::write_tiny_model(path_of("model.gguf"), {});
  EXPECT_NE(complaint(path_of("model.gguf"), ErrorKind::bad_input).find("no direction"), std::string::npos);
}

// As repeng writes it: a unit vector a layer, and nothing that says what it means.
TEST(DirectionFile, AControlVectorOfAnotherProgramIsRefusedForWhatItDoesNotSay) {
  gguf_context* g = gguf_init_empty();
  gguf_set_val_str(g, "general.architecture", "controlvector");
  ggml_context* c = ggml_init({ggml_tensor_overhead() * 2, nullptr, true});
  ggml_tensor* t = ggml_new_tensor_1d(c, GGML_TYPE_F32, 2);
  ggml_set_name(t, "direction.3");
  float values[2] = {1, 0};
  t->data = values;
  gguf_add_tensor(g, t);
  gguf_write_to_file(g, path_of("repeng.gguf").c_str(), false);
  gguf_free(g);
  ggml_free(c);
  EXPECT_NE(complaint(path_of("repeng.gguf"), ErrorKind::bad_input).find("another program"),
            std::string::npos);
}

TEST(DirectionFile, DamageIsNoticed) {
  const auto path = path_of("whole.gguf");
  write_directions(path, file_of({direction(2, 64, 2, Seed(1)), direction(3, 64, 2, Seed(2))}));
  const std::string whole = bytes_of(path);
  for (const double share : {0.05, 0.3, 0.6, 0.9, 0.999}) {
    write_bytes(path_of("cut.gguf"),
                whole.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.size()))));
    complaint(path_of("cut.gguf"), ErrorKind::corrupt);
  }
  std::string flipped = whole;
  flipped[whole.size() - 61] =
      static_cast<char>(flipped[whole.size() - 61] ^ 0x40);  // in a tensor's exponent
  write_bytes(path_of("flipped.gguf"), flipped);
  complaint(path_of("flipped.gguf"), ErrorKind::corrupt);
}

TEST(DirectionFile, AnotherModelIsNamedByBothHashes) {
  const auto file = file_of({direction(2, 64, 2, Seed(1))});
  model::Card card;
  card.sha256 = file.model_sha256;
  card.n_embd = 64;
  card.n_layers = 3;
  EXPECT_NO_THROW(require_fits(file, card));
  card.sha256 = std::string(64, 'c');
  try {
    require_fits(file, card);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(file.model_sha256), std::string::npos);
    EXPECT_NE(std::string(error.what()).find(card.sha256), std::string::npos);
  }
  card.sha256 = file.model_sha256;
  card.n_embd = 65;
  EXPECT_THROW(require_fits(file, card), Error);
  card.n_embd = 64;
  card.n_layers = 2;
  EXPECT_THROW(require_fits(file, card), Error);
}

// Logits after the last token, from llama.cpp alone, with its own loader and its own adapter.
std::vector<float> llama_logits(const std::string& model_path, const std::string& vector_path, float strength,
                                std::vector<llama_token> tokens, int n_layers) {
  const std::unique_ptr<llama_model, decltype(&llama_model_free)> model(
      llama_model_load_from_file(model_path.c_str(), llama_model_default_params()), llama_model_free);
  auto params = llama_context_default_params();
  params.n_ctx = 64;
  params.n_threads = params.n_threads_batch = 1;
  const std::unique_ptr<llama_context, decltype(&llama_free)> context(
      llama_init_from_model(model.get(), params), llama_free);
  if (strength != 0) {
    const auto loaded = common_control_vector_load({{strength, vector_path}});
    EXPECT_EQ(loaded.n_embd, llama_model_n_embd(model.get()));
    llama_set_adapter_cvec(context.get(), loaded.data.data(), loaded.data.size(), loaded.n_embd, 1, n_layers);
  }
  EXPECT_EQ(llama_decode(context.get(), llama_batch_get_one(tokens.data(), static_cast<int>(tokens.size()))),
            0);
  const float* logits = llama_get_logits_ith(context.get(), -1);
  return {logits, logits + llama_vocab_n_tokens(llama_model_get_vocab(model.get()))};
}

double furthest(std::span<const float> a, std::span<const float> b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, static_cast<double>(std::abs(a[i] - b[i])));
  return worst;
}

TEST(DirectionFile, LlamaCppsOwnLoaderPushesAsWeDo) {
  const auto model_path = path_of("pushed.gguf");
  model::TinyOptions options;
  options.mixing = 0.5;  // so that later blocks notice what earlier ones were given
  model::write_tiny_model(model_path, options);
  const auto model = model::Model::load(model_path, {.n_threads = 1, .n_slots = 4});
  const auto tokens = model->tokenise("the plan needs you");
  for (const int layer : {1, 2}) {
    const auto d = direction(layer, static_cast<std::size_t>(options.n_embd), 1.5, Seed(4));
    const auto vector_path = path_of("push.gguf");
    write_directions(vector_path, file_of({d}));
    const float gaps = 2;

    model::Passage passage;
    passage.tokens = tokens;
    passage.n_prompt = static_cast<int>(tokens.size());
    model::Want want;
    want.logits = true;
    const auto logits = [&](const model::Hook& hook) {
      std::vector<float> out;
      model->read(
          std::span(&passage, 1), hook, want,
          [&](std::size_t, const model::Reading& reading) { out = reading.logits.data; }, Cancel());
      return out;
    };
    const auto ours = logits(push(d, gaps, DoseUnit::gap, d, model::Span::all));
    const auto theirs = llama_logits(model_path, vector_path, gaps, tokens, options.n_layers);
    const auto plain = llama_logits(model_path, vector_path, 0, tokens, options.n_layers);
    ASSERT_EQ(ours.size(), theirs.size());
    const double moved = furthest(theirs, plain);
    EXPECT_GT(moved, 0.01);
    EXPECT_LT(furthest(ours, theirs), 1e-4 * moved + 1e-5) << "layer " << layer << ", moved " << moved;
  }
}

}  // namespace
}  // namespace sonder::latent
