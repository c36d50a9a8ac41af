// Words to tokens and back.
#pragma once

#include <llama.h>

#include <span>
#include <string>
#include <vector>

#include "model/model.h"

namespace sonder::model::detail {

class Vocab {
 public:
  explicit Vocab(const llama_model* model);

  std::size_t n_tokens() const { return pieces_.size(); }
  bool ends_turn(Token token) const { return llama_vocab_is_eog(vocab_, token); }
  // The bytes of a token inside a text; empty for a special token.
  const std::string& piece(Token token) const { return pieces_[static_cast<std::size_t>(token)]; }

  // See Model::tokenise and Model::tokenise_plain.
  std::vector<Token> tokenise(const std::string& rendered) const;
  std::vector<Token> tokenise_plain(const std::string& text) const;
  // As a text of its own: tokenisers that put a space in front of a text take it away again. Special tokens
  // are left out.
  std::string detokenise(std::span<const Token> tokens) const;

  // Throws Error(bad_input) when a token is none of this vocabulary.
  void check(std::span<const Token> tokens) const;

 private:
  const llama_vocab* vocab_;
  std::vector<std::string> pieces_;
};

}  // namespace sonder::model::detail
