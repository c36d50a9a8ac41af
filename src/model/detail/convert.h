// Makes the GGUF that runs from the file that was shipped.
#pragma once

#include <string>
#include <string_view>

namespace sonder::model::detail {

// A quantised GGUF as 32-bit floats: loses nothing, and is what decodes fastest in batches (parts.md 2).
// Throws Error(engine) when llama.cpp cannot read or write it.
void to_f32(const std::string& gguf, const std::string& out);

// What a BERT sentence encoder is published as.
struct BertFiles {
  std::string_view weights;     // model.safetensors
  std::string_view vocabulary;  // vocab.txt: one token a line
  std::string_view config;      // config.json
  std::string name;
  std::string licence;
};
// A GGUF of architecture "bert" that averages over tokens. Throws Error(corrupt) when the files do not fit
// together, Error(io) when `out` cannot be written.
void bert_to_gguf(const BertFiles& files, const std::string& out);

}  // namespace sonder::model::detail
