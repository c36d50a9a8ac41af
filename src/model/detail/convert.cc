#include "model/detail/convert.h"

#include <ggml.h>
#include <gguf.h>
#include <llama.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "model/detail/files.h"
#include "model/detail/quiet.h"
#include "model/detail/safetensors.h"

namespace sonder::model::detail {
namespace {

using Json = nlohmann::json;
using Gguf = std::unique_ptr<gguf_context, decltype(&gguf_free)>;
using Context = std::unique_ptr<ggml_context, decltype(&ggml_free)>;

// The sizes of a BERT, from config.json.
struct Shape {
  std::int64_t n_embd = 0;
  std::int64_t n_ff = 0;
  std::int64_t n_layers = 0;
  std::int64_t n_heads = 0;
  std::int64_t n_positions = 0;
  std::int64_t n_types = 0;
  std::int64_t n_vocab = 0;
  float epsilon = 0;
};

Shape shape_of(std::string_view config) {
  const Json json = Json::parse(config, nullptr, /*allow_exceptions=*/false);
  try {
    if (json.at("model_type") != "bert" || json.at("hidden_act") != "gelu" ||
        json.value("position_embedding_type", "absolute") != "absolute")
      throw Error(ErrorKind::corrupt, "config.json is not that of a BERT with gelu and absolute positions");
    return {json.at("hidden_size"),         json.at("intermediate_size"),       json.at("num_hidden_layers"),
            json.at("num_attention_heads"), json.at("max_position_embeddings"), json.at("type_vocab_size"),
            json.at("vocab_size"),          json.at("layer_norm_eps")};
  } catch (const Json::exception&) {  // border: the JSON library
    throw Error(ErrorKind::corrupt, "config.json lacks a size of the BERT, or is no JSON");
  }
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_special(const std::string& token) {
  return token.size() > 2 && token.starts_with('[') && token.ends_with(']');
}

// llama.cpp marks the beginning of a word, WordPiece its continuation.
std::string in_llama_spelling(const std::string& token) {
  if (is_special(token)) return token;
  return token.starts_with("##") ? token.substr(2) : "\u2581" + token;
}

void set_size(gguf_context* gguf, const char* key, std::int64_t value) {
  gguf_set_val_u32(gguf, key, static_cast<std::uint32_t>(value));
}

void set_vocabulary(gguf_context* gguf, const std::vector<std::string>& tokens) {
  constexpr std::int32_t kNormal = 1;  // llama_token_type
  constexpr std::int32_t kControl = 3;
  std::vector<std::string> spelled;
  std::vector<const char*> pointers;
  std::vector<std::int32_t> types;
  spelled.reserve(tokens.size());
  pointers.reserve(tokens.size());
  for (const std::string& token : tokens) {
    spelled.push_back(in_llama_spelling(token));
    types.push_back(is_special(token) ? kControl : kNormal);
  }
  for (const std::string& text : spelled) pointers.push_back(text.c_str());
  gguf_set_val_str(gguf, "tokenizer.ggml.model", "bert");
  gguf_set_arr_str(gguf, "tokenizer.ggml.tokens", pointers.data(), pointers.size());
  gguf_set_arr_data(gguf, "tokenizer.ggml.token_type", GGUF_TYPE_INT32, types.data(), types.size());

  const auto set_id = [&](const char* key, const char* token) {
    const auto found = std::find(tokens.begin(), tokens.end(), token);
    if (found == tokens.end()) throw Error(ErrorKind::corrupt, std::string("vocab.txt has no ") + token);
    set_size(gguf, key, found - tokens.begin());
  };
  set_id("tokenizer.ggml.bos_token_id", "[CLS]");
  set_id("tokenizer.ggml.eos_token_id", "[SEP]");
  set_id("tokenizer.ggml.seperator_token_id", "[SEP]");  // spelled so in llama.cpp
  set_id("tokenizer.ggml.cls_token_id", "[CLS]");
  set_id("tokenizer.ggml.unknown_token_id", "[UNK]");
  set_id("tokenizer.ggml.padding_token_id", "[PAD]");
  set_id("tokenizer.ggml.mask_token_id", "[MASK]");
}

void set_metadata(gguf_context* gguf, const Shape& shape, const BertFiles& files) {
  gguf_set_val_str(gguf, "general.architecture", "bert");
  gguf_set_val_str(gguf, "general.type", "model");
  gguf_set_val_str(gguf, "general.name", files.name.c_str());
  gguf_set_val_str(gguf, "general.license", files.licence.c_str());
  set_size(gguf, "general.file_type", LLAMA_FTYPE_ALL_F32);
  set_size(gguf, "bert.context_length", shape.n_positions);
  set_size(gguf, "bert.embedding_length", shape.n_embd);
  set_size(gguf, "bert.feed_forward_length", shape.n_ff);
  set_size(gguf, "bert.block_count", shape.n_layers);
  set_size(gguf, "bert.attention.head_count", shape.n_heads);
  gguf_set_val_f32(gguf, "bert.attention.layer_norm_epsilon", shape.epsilon);
  gguf_set_val_bool(gguf, "bert.attention.causal", false);
  set_size(gguf, "bert.pooling_type", LLAMA_POOLING_TYPE_MEAN);
  set_size(gguf, "tokenizer.ggml.token_type_count", shape.n_types);
}

// One published tensor and what llama.cpp calls it.
struct Named {
  std::string from;
  std::string to;
  std::vector<std::int64_t> shape;
};

// Weight and bias of one linear map or norm.
void add_pair(std::vector<Named>& all, const std::string& from, const std::string& to,
              const std::vector<std::int64_t>& weight) {
  all.push_back({from + ".weight", to + ".weight", weight});
  all.push_back({from + ".bias", to + ".bias", {weight.front()}});
}

std::vector<Named> names_of(const Shape& s) {
  std::vector<Named> all = {
      {"embeddings.word_embeddings.weight", "token_embd.weight", {s.n_vocab, s.n_embd}},
      {"embeddings.position_embeddings.weight", "position_embd.weight", {s.n_positions, s.n_embd}},
      {"embeddings.token_type_embeddings.weight", "token_types.weight", {s.n_types, s.n_embd}},
  };
  add_pair(all, "embeddings.LayerNorm", "token_embd_norm", {s.n_embd});
  for (std::int64_t i = 0; i < s.n_layers; ++i) {
    const std::string from = "encoder.layer." + std::to_string(i) + ".";
    const std::string to = "blk." + std::to_string(i) + ".";
    add_pair(all, from + "attention.self.query", to + "attn_q", {s.n_embd, s.n_embd});
    add_pair(all, from + "attention.self.key", to + "attn_k", {s.n_embd, s.n_embd});
    add_pair(all, from + "attention.self.value", to + "attn_v", {s.n_embd, s.n_embd});
    add_pair(all, from + "attention.output.dense", to + "attn_output", {s.n_embd, s.n_embd});
    add_pair(all, from + "attention.output.LayerNorm", to + "attn_output_norm", {s.n_embd});
    add_pair(all, from + "intermediate.dense", to + "ffn_up", {s.n_ff, s.n_embd});
    add_pair(all, from + "output.dense", to + "ffn_down", {s.n_embd, s.n_ff});
    add_pair(all, from + "output.LayerNorm", to + "layer_output_norm", {s.n_embd});
  }
  return all;
}

void add_tensor(gguf_context* gguf, ggml_context* context, const Named& named, const Tensor& tensor) {
  const bool flat = named.shape.size() == 1;  // ggml counts the fastest dimension first
  ggml_tensor* made = flat ? ggml_new_tensor_1d(context, GGML_TYPE_F32, named.shape[0])
                           : ggml_new_tensor_2d(context, GGML_TYPE_F32, named.shape[1], named.shape[0]);
  ggml_set_name(made, named.to.c_str());
  gguf_add_tensor(gguf, made);
  gguf_set_tensor_data(gguf, named.to.c_str(), tensor.bytes.data());
}

}  // namespace

void to_f32(const std::string& gguf, const std::string& out) {
  start_llama();
  llama_model_quantize_params params = llama_model_quantize_default_params();
  params.ftype = LLAMA_FTYPE_ALL_F32;
  params.allow_requantize = true;
  if (llama_model_quantize(gguf.c_str(), out.c_str(), &params) != 0)
    throw Error(ErrorKind::engine, "llama.cpp could not turn '" + gguf + "' into 32-bit floats in '" + out +
                                       "': the file is no model that it knows, or the disk is full");
}

void bert_to_gguf(const BertFiles& files, const std::string& out) {
  const Shape shape = shape_of(files.config);
  const std::vector<std::string> tokens = lines_of(files.vocabulary);
  if (static_cast<std::int64_t>(tokens.size()) != shape.n_vocab)
    throw Error(ErrorKind::corrupt, "vocab.txt has " + std::to_string(tokens.size()) +
                                        " lines; config.json says " + std::to_string(shape.n_vocab));
  const Tensors tensors = parse_safetensors(files.weights);
  const std::vector<Named> names = names_of(shape);

  const Gguf gguf(gguf_init_empty(), &gguf_free);
  const Context context(ggml_init({ggml_tensor_overhead() * names.size(), nullptr, /*no_alloc=*/true}),
                        &ggml_free);
  set_metadata(gguf.get(), shape, files);
  set_vocabulary(gguf.get(), tokens);
  for (const Named& named : names)
    add_tensor(gguf.get(), context.get(), named, f32_tensor(tensors, named.from, named.shape));
  errno = 0;
  if (!gguf_write_to_file(gguf.get(), out.c_str(), /*only_meta=*/false))
    throw_io("cannot write '" + out + "'", errno);
}

}  // namespace sonder::model::detail
