// What a model that is not there, not whole or not fit is told: kind and sentence. docs/faults-model.md
#include <gguf.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "model/detail/tiny_fixture.h"

namespace sonder::model {
namespace {

namespace fs = std::filesystem;
using detail::tiny;

struct Said {
  ErrorKind kind = ErrorKind::bug;
  std::string sentence = "nothing was thrown";
};

Said said(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return {error.kind(), error.what()};
  }
  return {};
}

void expect_says(const std::function<void()>& work, ErrorKind kind, const std::string& words) {
  const Said got = said(work);
  EXPECT_EQ(got.kind, kind) << got.sentence;
  EXPECT_NE(got.sentence.find(words), std::string::npos) << got.sentence << "\nlacks: " << words;
}

std::string place(const std::string& name) { return testing::TempDir() + "sonder_fault_" + name + ".gguf"; }

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string put(const std::string& name, const std::string& bytes) {
  std::string path = place(name);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::function<void()> load(const std::string& path) {
  return [path] { Model::load(path); };
}

std::string replaced(std::string bytes, const std::string& from, const std::string& to) {
  for (std::size_t at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at + to.size()))
    bytes.replace(at, from.size(), to);
  return bytes;
}

TEST(ModelFault, AMissingFile) {
  expect_says(load(place("none")), ErrorKind::io, "there is no model file at " + place("none"));
  expect_says(load(testing::TempDir()), ErrorKind::io, "there is no model file at " + testing::TempDir());
}

TEST(ModelFault, AFileThatIsNoGguf) {
  expect_says(load(put("text", "Dear diary, today")), ErrorKind::corrupt, "is no GGUF file");
  expect_says(load(put("empty", "")), ErrorKind::corrupt, "is no GGUF file");
  expect_says(load(put("magic", "GGUF and then nothing")), ErrorKind::corrupt,
              "is a broken or empty GGUF file");
}

TEST(ModelFault, AFileThatIsCutShortSaysHowMuchThereIs) {
  const std::string whole = bytes_of(tiny({})->card().path);
  for (const double share : {0.999, 0.9, 0.5}) {
    const auto n = static_cast<std::size_t>(share * static_cast<double>(whole.size()));
    expect_says(load(put("cut", whole.substr(0, n))), ErrorKind::corrupt,
                "is cut short: it has " + std::to_string(n) + " bytes of " + std::to_string(whole.size()));
  }
  for (const std::size_t n : {40U, 400U, 4000U})  // within the header
    expect_says(load(put("cut", whole.substr(0, n))), ErrorKind::corrupt, "is a broken or empty GGUF file");
  EXPECT_NO_THROW(Model::load(put("cut", whole))) << "and whole it loads";
}

TEST(ModelFault, AnArchitectureThatIsNotKnownIsNamed) {
  const std::string whole = bytes_of(tiny({})->card().path);
  expect_says(load(put("other", replaced(whole, "llama", "lloma"))), ErrorKind::engine,
              "(architecture lloma): it does not know this architecture");
}

TEST(ModelFault, AFileThatLacksATensor) {
  const std::string whole = bytes_of(tiny({})->card().path);
  expect_says(load(put("lacks", replaced(whole, "blk.2.ffn_up.weight", "blk.2.ffn_xx.weight"))),
              ErrorKind::engine, "or the file lacks a part that it needs");
}

TEST(ModelFault, AnEncoderIsNoGenerator) {
  const auto generator = tiny({});
  TinyOptions options;
  options.is_encoder = true;
  write_tiny_model(place("encoder"), options);
  const auto model = Model::load(place("encoder"));
  ASSERT_TRUE(model->card().is_encoder);
  const char* sentence =
      "this model embeds texts and writes none; load a model that writes, such as smollm2-135m";
  Request request;
  request.prompt = {5, 6};
  const Passage passage{{5, 6}, {}, 2};
  const std::vector<std::string> answers = {"0", "1"};
  expect_says(
      [&] {
        model->reply({&request, 1}, [](std::size_t, const Measured<Reply>&) {}, {});
      },
      ErrorKind::bad_input, sentence);
  expect_says(
      [&] {
        model->read({&passage, 1}, {}, {}, [](std::size_t, const Reading&) {}, {});
      },
      ErrorKind::bad_input, sentence);
  expect_says([&] { model->choose({&passage, 1}, answers, {}); }, ErrorKind::bad_input, sentence);
  expect_says([&] { generator->embed(answers, {}); }, ErrorKind::bad_input,
              "this model writes and embeds no texts; load an encoder, such as minilm");
}

TEST(ModelFault, AFileOfDirectionsIsNoModel) {
  const std::unique_ptr<gguf_context, void (*)(gguf_context*)> file(gguf_init_empty(), gguf_free);
  gguf_set_val_str(file.get(), "general.architecture", "controlvector");
  gguf_write_to_file(file.get(), place("direction").c_str(), false);
  expect_says(load(place("direction")), ErrorKind::bad_input, "holds directions, not a model");
}

TEST(ModelFault, ALayerOrAWidthThatTheModelLacks) {
  const auto model = tiny({});
  Request request;
  request.prompt = model->tokenise("the plan");
  const auto write = [&](const Edit& edit) {
    return [&model, request, edit]() mutable {
      request.hook = {{edit}, Span::reply};
      model->reply({&request, 1}, [](std::size_t, const Measured<Reply>&) {}, {});
    };
  };
  expect_says(write({Site{4}, EditKind::push, detail::unit(64, Seed(1)), 1}), ErrorKind::bad_input,
              "a hook names layer 4, this model has layers 0 to 3");
  expect_says(write({Site{-1}, EditKind::push, detail::unit(64, Seed(1)), 1}), ErrorKind::bad_input,
              "a hook names layer -1, this model has layers 0 to 3");
  expect_says(write({Site{1}, EditKind::push, detail::unit(32, Seed(1)), 1}), ErrorKind::bad_input,
              "a hook's direction has 32 numbers, this model's residual stream has 64");
  const Passage passage{request.prompt, {}, 1};
  expect_says(
      [&] {
        model->read({&passage, 1}, {}, {.layers = {4}}, [](std::size_t, const Reading&) {}, {});
      },
      ErrorKind::bad_input, "this model has layers 0 to 3");
  EXPECT_EQ(model->counts().passes, 0) << "refused before anything is computed";
}

TEST(ModelFault, AContextThatIsTooSmallForAPrompt) {
  const auto model = tiny({}, {.n_threads = 1, .n_slots = 2, .n_ctx = 64});
  EXPECT_EQ(model->card().n_ctx, 64);
  Request request;
  request.prompt.assign(50, 5);
  request.n_max = 15;
  expect_says(
      [&] {
        model->reply({&request, 1}, [](std::size_t, const Measured<Reply>&) {}, {});
      },
      ErrorKind::bad_input,
      "a text of 65 tokens, its reply included, is longer than the 64 that are allowed");
  EXPECT_EQ(model->counts().passes, 0);
  request.n_max = 14;
  EXPECT_NO_THROW(model->reply({&request, 1}, [](std::size_t, const Measured<Reply>&) {}, {}));
}

TEST(ModelFault, AFileThatIsWrittenToWhileItIsInUseIsNamedByBothHashes) {
  const auto model = tiny({});
  const std::string path = model->card().path;
  const std::string before = model->card().sha256;
  EXPECT_NO_THROW(model->require_unchanged());
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(-4, std::ios::end);
    file.write("\x00\x00\x80\x3f", 4);
  }
  const std::string after = sha256_file(path);
  ASSERT_NE(before, after);
  const Said got = said([&] { model->require_unchanged(); });
  EXPECT_EQ(got.kind, ErrorKind::corrupt);
  for (const std::string& words : {path, before, after, std::string("was changed while it was in use")})
    EXPECT_NE(got.sentence.find(words), std::string::npos) << got.sentence;
}

TEST(ModelFault, AFileThatIsTouchedReplacedOrRemovedDoesNoHarm) {
  const auto model = tiny({});
  const std::string path = model->card().path;
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(5));
  EXPECT_NO_THROW(model->require_unchanged()) << "touched";
  TinyOptions other;
  other.seed = Seed(2);
  write_tiny_model(path + ".new", other);
  fs::rename(path + ".new", path);
  EXPECT_NO_THROW(model->require_unchanged()) << "replaced: the old file is still the one in use";
  fs::remove(path);
  EXPECT_NO_THROW(model->require_unchanged()) << "removed";
}

TEST(ModelFault, ANumberThatIsNotFiniteInOneTextHarmsNoOther) {
  TinyOptions options = detail::mixed();
  options.broken_word = "form";
  const auto model = tiny(options);
  const auto passage = [&](const std::string& words, int n, const std::string& reply) {
    std::string text = "<|user|>";
    for (int i = 0; i < n; ++i) text += words;
    Passage p{model->tokenise(text), {}, 0};
    p.n_prompt = static_cast<int>(p.tokens.size());
    p.cuts = {p.n_prompt};
    for (const Token token : model->tokenise_plain(reply)) p.tokens.push_back(token);
    return p;
  };
  const Want want{.layers = {}, .log_probs = true};
  // The broken word comes last: nothing that is asked for is computed from it, but its place in the cache
  // stays, within reach of the next text's rows.
  const std::vector<Passage> broken_first = {passage(" box", 90, " form"), passage(" plan", 75, " is")};
  const auto got = detail::read_all(*model, broken_first, {}, want);
  const auto fresh = Model::load(model->card().path, {.n_threads = 1, .n_slots = 2});
  const auto expected = detail::read_all(*fresh, {&broken_first[1], 1}, {}, want);
  EXPECT_EQ(got[1].log_probs, expected[0].log_probs);

  const std::vector<Passage> inside = {passage(" form", 90, " is")};
  expect_says([&] { detail::read_all(*model, inside, {}, want); }, ErrorKind::engine,
              "the model computed a number that is not finite; the hook may be too strong for it");
  EXPECT_EQ(detail::read_all(*model, {&broken_first[1], 1}, {}, want)[0].log_probs, expected[0].log_probs);
}

}  // namespace
}  // namespace sonder::model
