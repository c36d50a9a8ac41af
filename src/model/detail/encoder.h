// Sentence vectors from an encoder: one text a call, so that its bits do not depend on other texts.
#pragma once

#include <llama-cpp.h>

#include <string>
#include <vector>

namespace sonder::model::detail {

class Encoder {
 public:
  // `model` must outlive the encoder. Throws Error(engine) when llama.cpp refuses.
  Encoder(llama_model* model, int n_threads);

  // Mean of the last hidden states (or what the file says), unit length. [n_embd] A text that is too long
  // loses its end. Throws Error(engine) when the vector is not finite or zero.
  std::vector<float> embed(const std::string& text);

 private:
  std::vector<int> tokens_of(const std::string& text) const;

  const llama_vocab* vocab_;
  std::size_t n_max_;
  std::size_t n_embd_;
  llama_context_ptr context_;
};

}  // namespace sonder::model::detail
