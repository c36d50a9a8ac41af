#include "model/detail/card.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/error.h"
#include "base/hash.h"
#include "model/detail/quiet.h"

namespace sonder::model::detail {
namespace {

std::string metadata(const llama_model* model, const std::string& key) {
  std::string value(256, '\0');
  std::int32_t n = llama_model_meta_val_str(model, key.c_str(), value.data(), value.size());
  if (n >= static_cast<std::int32_t>(value.size())) {
    value.resize(static_cast<std::size_t>(n) + 1);
    n = llama_model_meta_val_str(model, key.c_str(), value.data(), value.size());
  }
  value.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  return value;
}

struct Header {
  std::string architecture;    // empty when the file is no GGUF that llama.cpp can parse
  std::uintmax_t n_bytes = 0;  // of the whole file, as its table of tensors has it
};

Header header_of(const std::string& path) {
  Header header;
  gguf_init_params params{};
  params.no_alloc = true;
  const std::unique_ptr<gguf_context, void (*)(gguf_context*)> file(gguf_init_from_file(path.c_str(), params),
                                                                    gguf_free);
  if (!file) return header;
  const std::int64_t key = gguf_find_key(file.get(), "general.architecture");
  if (key < 0 || gguf_get_kv_type(file.get(), key) != GGUF_TYPE_STRING) return header;
  header.architecture = gguf_get_val_str(file.get(), key);
  for (std::int64_t i = 0; i < gguf_get_n_tensors(file.get()); ++i)
    header.n_bytes = std::max<std::uintmax_t>(header.n_bytes, gguf_get_data_offset(file.get()) +
                                                                  gguf_get_tensor_offset(file.get(), i) +
                                                                  gguf_get_tensor_size(file.get(), i));
  return header;
}

void check_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    throw Error(ErrorKind::io, "there is no model file at " + path);
  std::ifstream file(path, std::ios::binary);
  char magic[4] = {};
  if (!file.read(magic, sizeof(magic)) || std::memcmp(magic, "GGUF", sizeof(magic)) != 0)
    throw Error(ErrorKind::corrupt, path + " is no GGUF file");
}

std::string format_of(const llama_model* model) {
  std::string name = llama_ftype_name(llama_model_ftype(model));
  for (const std::string prefix : {"(guessed) ", "all "})
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  return name;
}

}  // namespace

llama_model_ptr open(const std::string& path) {
  start_llama();
  check_file(path);
  const Header header = header_of(path);
  const std::string& architecture = header.architecture;
  if (architecture.empty()) throw Error(ErrorKind::corrupt, path + " is a broken or empty GGUF file");
  require(architecture != "controlvector",
          path + " holds directions, not a model; name the .gguf file of a model");
  if (const std::uintmax_t found = std::filesystem::file_size(path); found < header.n_bytes)
    throw Error(ErrorKind::corrupt, path + " is cut short: it has " + std::to_string(found) + " bytes of " +
                                        std::to_string(header.n_bytes) + "; fetch or copy it again");
  llama_model_params params = llama_model_default_params();
  llama_model_ptr model(llama_model_load_from_file(path.c_str(), params));
  if (!model)
    throw Error(ErrorKind::engine,
                "llama.cpp could not load " + path + " (architecture " + architecture +
                    "): it does not know this architecture, or the file lacks a part that it needs");
  return model;
}

Card card_of(const llama_model* model, const std::string& path) {
  Card card;
  card.path = path;
  card.sha256 = sha256_file(path);
  card.architecture = metadata(model, "general.architecture");
  card.name = metadata(model, "general.name");
  card.format = format_of(model);
  card.licence = metadata(model, "general.license");
  if (card.licence.empty()) card.licence = "not stated in the file";
  card.n_layers = llama_model_n_layer(model);
  card.n_embd = llama_model_n_embd(model);
  card.n_vocab = llama_vocab_n_tokens(llama_model_get_vocab(model));
  card.n_ctx_train = llama_model_n_ctx_train(model);
  card.n_params = static_cast<std::int64_t>(llama_model_n_params(model));
  card.has_chat_template = llama_model_chat_template(model, nullptr) != nullptr;
  card.is_encoder = metadata(model, card.architecture + ".attention.causal") == "false";
  return card;
}

}  // namespace sonder::model::detail
