#include "model/detail/convert.h"

#include <ggml.h>
#include <gguf.h>
#include <gtest/gtest.h>

#include <memory>

#include "model/detail/pull_fixture.h"
#include "model/detail/safetensors.h"

namespace sonder::model::detail {
namespace {

std::string complaint(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::corrupt);
    return error.what();
  }
  return "";
}

std::string with_header(const std::string& header, const std::string& data) {
  const std::uint64_t n = header.size();
  return std::string(reinterpret_cast<const char*>(&n), sizeof n) + header + data;
}

bool holds(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(Safetensors, ReadsNamesShapesAndNumbers) {
  const std::string file = safetensors_of({{"a", {2, 3}}, {"b", {2}}});
  const Tensors tensors = parse_safetensors(file);
  ASSERT_EQ(tensors.size(), 2U);
  const Tensor& b = f32_tensor(tensors, "b", {2});
  std::vector<float> numbers(2);
  std::copy(b.bytes.begin(), b.bytes.end(), reinterpret_cast<char*>(numbers.data()));
  EXPECT_EQ(numbers, (std::vector<float>{6, 7}));
}

TEST(Safetensors, RefusesEveryTruncation) {
  const std::string file = safetensors_of({{"a", {2, 3}}, {"b", {2}}});
  for (std::size_t n = 0; n < file.size(); ++n)
    EXPECT_TRUE(holds(complaint([&] { parse_safetensors(file.substr(0, n)); }), "safetensors"))
        << n << " bytes";
}

TEST(Safetensors, RefusesAHeaderThatLies) {
  const std::string data(8, '\0');
  EXPECT_TRUE(holds(complaint([&] { parse_safetensors(with_header("[1]", data)); }), "not a JSON object"));
  EXPECT_TRUE(
      holds(complaint([&] { parse_safetensors(with_header("{nonsense", data)); }), "not a JSON object"));
  EXPECT_TRUE(
      holds(complaint([&] { parse_safetensors(with_header(R"({"a":{"dtype":"F32"}})", data)); }), "lacks"));
  const auto with = [&](const std::string& shape, const std::string& offsets) {
    return with_header(R"({"a":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}",
                       data);
  };
  EXPECT_EQ(complaint([&] { parse_safetensors(with("[2]", "[0,8]")); }), "");
  EXPECT_TRUE(holds(complaint([&] { parse_safetensors(with("[2]", "[0,12]")); }), "truncated"));
  EXPECT_TRUE(holds(complaint([&] { parse_safetensors(with("[2]", "[8,0]")); }), "truncated"));
  EXPECT_TRUE(holds(complaint([&] { parse_safetensors(with("[3]", "[0,8]")); }), "shape"));
  EXPECT_TRUE(holds(complaint([&] { parse_safetensors(with("[-2]", "[0,8]")); }), "negative"));
  EXPECT_TRUE(
      holds(complaint([&] { parse_safetensors(with("[4611686018427387904,16]", "[0,8]")); }), "too large"));
}

TEST(Safetensors, RefusesAMissingTensorAnotherTypeAndAnotherShape) {
  const std::string file =
      with_header(R"({"a":{"dtype":"F16","shape":[4],"data_offsets":[0,8]}})", std::string(8, '\0'));
  const Tensors half = parse_safetensors(file);
  EXPECT_TRUE(holds(complaint([&] { f32_tensor(half, "a", {4}); }), "'a' is F16; F32 is expected"));
  EXPECT_TRUE(holds(complaint([&] { f32_tensor(half, "b", {4}); }), "'b' is missing"));
  const std::string whole = safetensors_of({{"a", {2, 3}}});
  const Tensors full = parse_safetensors(whole);
  EXPECT_TRUE(holds(complaint([&] { f32_tensor(full, "a", {3, 2}); }), "[2 × 3]; [3 × 2] is expected"));
}

class Bert : public ::testing::Test {
 protected:
  void convert() { bert_to_gguf({weights_, vocabulary_, config_, "Tiny", "CC0-1.0"}, folder_ / "tiny.gguf"); }
  Folder folder_;
  std::string weights_ = safetensors_of(tiny_bert_shapes());
  std::string vocabulary_ = kTinyVocabulary;
  std::string config_ = kTinyConfig;
};

TEST_F(Bert, BecomesAGgufThatLlamaCppCanName) {
  convert();
  const std::unique_ptr<gguf_context, decltype(&gguf_free)> gguf(
      gguf_init_from_file((folder_ / "tiny.gguf").c_str(), {/*no_alloc=*/true, nullptr}), &gguf_free);
  ASSERT_TRUE(gguf);
  EXPECT_EQ(gguf_get_n_tensors(gguf.get()), 21);  // 5 before the block, 16 in it; the pooler is dropped
  for (const char* name :
       {"token_embd.weight", "position_embd.weight", "token_types.weight", "token_embd_norm.bias",
        "blk.0.attn_q.weight", "blk.0.attn_output.bias", "blk.0.attn_output_norm.weight",
        "blk.0.ffn_up.weight", "blk.0.ffn_down.bias", "blk.0.layer_output_norm.weight"})
    EXPECT_GE(gguf_find_tensor(gguf.get(), name), 0) << name;
  EXPECT_EQ(gguf_get_tensor_ne(gguf.get(), gguf_find_tensor(gguf.get(), "blk.0.ffn_up.weight"))[0], 4);

  const auto tokens = gguf_find_key(gguf.get(), "tokenizer.ggml.tokens");
  EXPECT_STREQ(gguf_get_arr_str(gguf.get(), tokens, 2), "[CLS]");
  EXPECT_STREQ(gguf_get_arr_str(gguf.get(), tokens, 5), "\u2581warm");
  EXPECT_STREQ(gguf_get_arr_str(gguf.get(), tokens, 6), "th");
  const auto id = [&](const char* key) {
    return gguf_get_val_u32(gguf.get(), gguf_find_key(gguf.get(), key));
  };
  EXPECT_EQ(id("tokenizer.ggml.bos_token_id"), 2U);
  EXPECT_EQ(id("tokenizer.ggml.eos_token_id"), 3U);
  EXPECT_EQ(id("tokenizer.ggml.seperator_token_id"), 3U);
  EXPECT_EQ(id("bert.pooling_type"), 1U);
  EXPECT_FALSE(gguf_get_val_bool(gguf.get(), gguf_find_key(gguf.get(), "bert.attention.causal")));
}

TEST_F(Bert, IsRefusedWhenItsFilesDoNotFitTogether) {
  vocabulary_ = "[PAD]\n[UNK]\n";
  EXPECT_TRUE(holds(complaint([&] { convert(); }), "vocab.txt has 2 lines; config.json says 7"));
  vocabulary_ = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nmask\nwarm\n##th\n";
  EXPECT_TRUE(holds(complaint([&] { convert(); }), "vocab.txt has no [MASK]"));
  vocabulary_ = kTinyVocabulary;
  auto shapes = tiny_bert_shapes();
  shapes.erase("encoder.layer.0.output.dense.bias");
  weights_ = safetensors_of(shapes);
  EXPECT_TRUE(holds(complaint([&] { convert(); }), "'encoder.layer.0.output.dense.bias' is missing"));
  weights_ = safetensors_of(tiny_bert_shapes());
  config_ = R"({"model_type":"bert","hidden_act":"relu"})";
  EXPECT_TRUE(holds(complaint([&] { convert(); }), "gelu"));
  config_ = R"({"model_type":"bert","hidden_act":"gelu"})";
  EXPECT_TRUE(holds(complaint([&] { convert(); }), "lacks a size"));
  config_ = "no json";
  EXPECT_TRUE(holds(complaint([&] { convert(); }), "lacks a size"));
}

}  // namespace
}  // namespace sonder::model::detail
