// Small llama-architecture models written from a seed: what tests and stories run on, in milliseconds,
// without network.
#pragma once

#include <string>
#include <vector>

#include "base/seed.h"

namespace sonder::model {

// Each word is a token of its own, with and without a space before it; anything else is spelled in bytes. A
// reply is a row of words with spaces; it ends by itself after about `mean_words`.
struct TinyOptions {
  std::vector<std::string> words = tiny_words();  // besides the warm ones
  std::vector<std::string>
      warm;                // planted: these words read and write along one direction of the residual stream
  double warm_bias = 0.3;  // how far along it every token already is: base replies lean to warm words
  std::string chat_template = tiny_chat_template();  // "": the file has none
  bool adds_first_token = true;                      // the tokeniser puts <s> in front
  bool is_encoder = false;                           // the file says that attention looks both ways
  std::string broken_word;  // reading this word (with a space before it) makes every number NaN
  int n_layers = 4;
  int n_embd = 64;       // a multiple of 16
  double mixing = 0.02;  // size of what a block adds; the planted direction passes best through small ones
  double mean_words = 16;
  Seed seed{1};

  static std::vector<std::string> tiny_words();  // 40 plain words, the digits 0 to 5, and . , ?
  static std::string tiny_chat_template();
};

// Throws Error(io) when the file cannot be written. Same options, same bytes.
void write_tiny_model(const std::string& path, const TinyOptions& options);

// The planted direction of such a model. [n_embd], unit length
std::vector<float> planted_direction(const TinyOptions& options);

}  // namespace sonder::model
