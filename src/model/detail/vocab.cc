#include "model/detail/vocab.h"

#include <cstdint>

#include "base/error.h"
#include "model/detail/reply_text.h"

namespace sonder::model::detail {
namespace {

std::string piece_of(const llama_vocab* vocab, Token token) {
  std::string piece(32, '\0');
  std::int32_t n =
      llama_token_to_piece(vocab, token, piece.data(), static_cast<std::int32_t>(piece.size()), 0, false);
  if (n < 0) {
    piece.resize(static_cast<std::size_t>(-n));
    n = llama_token_to_piece(vocab, token, piece.data(), static_cast<std::int32_t>(piece.size()), 0, false);
  }
  piece.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  return piece;
}

std::vector<Token> tokens_of(const llama_vocab* vocab, const std::string& text, bool special) {
  const auto length = static_cast<std::int32_t>(text.size());
  std::vector<Token> tokens(text.size() + 8);
  std::int32_t n = llama_tokenize(vocab, text.data(), length, tokens.data(),
                                  static_cast<std::int32_t>(tokens.size()), false, special);
  if (n < 0) {
    tokens.resize(static_cast<std::size_t>(-n));
    n = llama_tokenize(vocab, text.data(), length, tokens.data(), static_cast<std::int32_t>(tokens.size()),
                       false, special);
  }
  if (n < 0) throw Error(ErrorKind::engine, "llama.cpp could not cut a text into tokens");
  tokens.resize(static_cast<std::size_t>(n));
  return tokens;
}

}  // namespace

Vocab::Vocab(const llama_model* model) : vocab_(llama_model_get_vocab(model)) {
  const std::int32_t n = llama_vocab_n_tokens(vocab_);
  pieces_.reserve(static_cast<std::size_t>(n));
  for (Token token = 0; token < n; ++token) pieces_.push_back(piece_of(vocab_, token));
}

std::vector<Token> Vocab::tokenise(const std::string& rendered) const {
  std::vector<Token> tokens = tokens_of(vocab_, rendered, true);
  const Token first = llama_vocab_bos(vocab_);
  const bool wanted = llama_vocab_get_add_bos(vocab_) && first != LLAMA_TOKEN_NULL;
  if (wanted && (tokens.empty() || tokens.front() != first)) tokens.insert(tokens.begin(), first);
  return tokens;
}

std::vector<Token> Vocab::tokenise_plain(const std::string& text) const {
  return tokens_of(vocab_, text, false);
}

std::string Vocab::detokenise(std::span<const Token> tokens) const {
  check(tokens);
  const auto count = static_cast<std::int32_t>(tokens.size());
  std::string text(tokens.size() * 8 + 16, '\0');
  std::int32_t n = llama_detokenize(vocab_, tokens.data(), count, text.data(),
                                    static_cast<std::int32_t>(text.size()), false, false);
  if (n < 0) {
    text.resize(static_cast<std::size_t>(-n));
    n = llama_detokenize(vocab_, tokens.data(), count, text.data(), static_cast<std::int32_t>(text.size()),
                         false, false);
  }
  text.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  return valid_utf8(text);
}

void Vocab::check(std::span<const Token> tokens) const {
  for (const Token token : tokens)
    require(token >= 0 && static_cast<std::size_t>(token) < pieces_.size(),
            "a token is not in this model's vocabulary");
}

}  // namespace sonder::model::detail
