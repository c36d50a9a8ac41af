// Loading, the card, chat templates, tokens.
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "model/detail/tiny_fixture.h"

namespace sonder::model {
namespace {

using detail::tiny;

ErrorKind kind_of(const std::function<void()>& work, std::string* message = nullptr) {
  try {
    work();
  } catch (const Error& error) {
    if (message != nullptr) *message = error.what();
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorKind::bug;
}

TEST(Load, SaysWhetherTheFileIsAbsentBrokenOrUnknown) {
  EXPECT_EQ(kind_of([] { Model::load("/nowhere/model.gguf"); }), ErrorKind::io);
  const std::string path = testing::TempDir() + "sonder_broken.gguf";
  std::ofstream(path, std::ios::binary) << "not a model";
  EXPECT_EQ(kind_of([&] { Model::load(path); }), ErrorKind::corrupt);
  std::ofstream(path, std::ios::binary) << "GGUF and then nothing";
  EXPECT_EQ(kind_of([&] { Model::load(path); }), ErrorKind::corrupt);

  const auto model = tiny({});
  std::ifstream whole(model->card().path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(whole)), {});
  bytes.replace(bytes.find("llama"), 5, "lloma");
  std::ofstream(path, std::ios::binary) << bytes;
  std::string message;
  EXPECT_EQ(kind_of([&] { Model::load(path); }, &message), ErrorKind::engine);
  EXPECT_NE(message.find("lloma"), std::string::npos);
}

TEST(Load, RefusesOptionsThatMeanNothing) {
  const auto model = tiny({});
  const std::string path = model->card().path;
  EXPECT_EQ(kind_of([&] { Model::load(path, {.n_slots = 0}); }), ErrorKind::bad_input);
  EXPECT_EQ(kind_of([&] { Model::load(path, {.n_slots = 255}); }), ErrorKind::bad_input);
  EXPECT_EQ(kind_of([&] { Model::load(path, {.n_threads = -1}); }), ErrorKind::bad_input);
}

TEST(Load, FillsTheCard) {
  const auto model = tiny({});
  const Card& card = model->card();
  EXPECT_EQ(card.architecture, "llama");
  EXPECT_EQ(card.name, "tiny");
  EXPECT_EQ(card.format, "F32");
  EXPECT_EQ(card.licence, "apache-2.0");
  EXPECT_EQ(card.n_layers, 4);
  EXPECT_EQ(card.n_embd, 64);
  EXPECT_EQ(card.n_ctx_train, 2048);
  EXPECT_EQ(card.n_vocab, 263 + 2 * 49);
  EXPECT_TRUE(card.has_chat_template);
  EXPECT_FALSE(card.is_encoder);
  EXPECT_EQ(card.sha256, sha256_file(card.path));
}

const std::vector<Message> kTalk = {
    {"system", "Be brief."}, {"user", "Hi <|end|>"}, {"assistant", "Yes?"}, {"user", "Go."}};

TEST(Render, UsesTheTemplateOfTheFile) {
  EXPECT_EQ(tiny({})->render(kTalk, Template::chat),
            "<|system|>Be brief.<|end|><|user|>Hi "
            "<|end|><|end|><|assistant|>Yes?<|end|><|user|>Go.<|end|><|assistant|>");
}

TEST(Render, WritesATranscriptForBaseModels) {
  EXPECT_EQ(tiny({})->render(kTalk, Template::plain),
            "Be brief.\n\nUser: Hi <|end|>\n\nAssistant: Yes?\n\nUser: Go.\n\nAssistant:");
}

TEST(Render, NeverInventsATemplate) {
  TinyOptions options;
  options.chat_template = "";
  const auto model = tiny(options);
  std::string message;
  EXPECT_FALSE(model->card().has_chat_template);
  EXPECT_EQ(kind_of([&] { model->render(kTalk, Template::chat); }, &message), ErrorKind::bad_input);
  EXPECT_NE(message.find("plain"), std::string::npos);
  EXPECT_NO_THROW(model->render(kTalk, Template::plain));
}

TEST(Render, PassesOnATemplatesRefusalWithoutTheWords) {
  TinyOptions options;
  options.chat_template =
      "{% for m in messages %}{% if m['role'] == 'assistant' %}{{ raise_exception('no: ' + m['content']) "
      "}}{% endif %}"
      "{{ m['content'] }}{% endfor %}";
  const auto model = tiny(options);
  std::string message;
  EXPECT_EQ(kind_of([&] { model->render(kTalk, Template::chat); }, &message), ErrorKind::bad_input);
  EXPECT_EQ(message.find("Yes?"), std::string::npos);
  EXPECT_NE(message.find("assistant"), std::string::npos);
}

TEST(Render, RefusesATemplateThatCannotBeParsed) {
  TinyOptions options;
  options.chat_template = "{% for m in messages %}";
  const auto model = tiny(options);
  EXPECT_EQ(kind_of([&] { model->render(kTalk, Template::chat); }), ErrorKind::bad_input);
}

TEST(Render, RefusesTurnsThatMeanNothing) {
  const auto model = tiny({});
  for (const Template form : {Template::chat, Template::plain}) {
    EXPECT_EQ(kind_of([&] { model->render({}, form); }), ErrorKind::bad_input);
    const std::vector<Message> turns = {{"robot", "Hi"}};
    EXPECT_EQ(kind_of([&] { model->render(turns, form); }), ErrorKind::bad_input);
  }
}

TEST(Tokens, SpecialOnesAreRecognisedInRenderedTextOnly) {
  const auto model = tiny({});
  EXPECT_EQ(model->tokenise("<|user|> plan<|end|>").size(), 4U);     // <s> in front
  EXPECT_EQ(model->tokenise("<s><|user|> plan<|end|>").size(), 4U);  // which is never doubled
  EXPECT_EQ(model->tokenise_plain("<|end|>").size(), 7U);            // seven bytes
  EXPECT_EQ(model->detokenise(model->tokenise_plain("<|end|>")), "<|end|>");
  EXPECT_EQ(model->tokenise_plain("").size(), 0U);
  EXPECT_EQ(kind_of([&] { model->detokenise(std::vector<Token>{-1}); }), ErrorKind::bad_input);
}

TEST(Embed, IsRefusedByAModelThatWrites) {
  const std::vector<std::string> texts = {"hello"};
  EXPECT_EQ(kind_of([&] { tiny({})->embed(texts, {}); }), ErrorKind::bad_input);
}

TEST(HookHash, TellsHooksApart) {
  const Hook one = {{{Site{1}, EditKind::push, {1, 0}, 2}}, Span::reply};
  Hook other = one;
  EXPECT_EQ(hash_of({}), "");
  EXPECT_EQ(hash_of(one), hash_of(other));
  other.span = Span::all;
  EXPECT_NE(hash_of(one), hash_of(other));
  other = one;
  other.edits[0].amount = 2.0001F;
  EXPECT_NE(hash_of(one), hash_of(other));
  other = one;
  other.edits[0].direction[1] = -0.0F;
  EXPECT_NE(hash_of(one), hash_of(other));
}

}  // namespace
}  // namespace sonder::model
