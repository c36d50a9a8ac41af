// Reads passages one after the other in one stream, part by part, and does not read again what the last
// passage read in the same way. A part is always computed by itself, so the bits do not depend on what was
// shared.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "model/detail/decoder.h"
#include "model/detail/vocab.h"
#include "model/model.h"

namespace sonder::model::detail {

class Reader {
 public:
  static constexpr int kStreams = 2;  // the text, and dummy rows

  // All arguments are borrowed. What was read before is forgotten.
  Reader(Decoder& decoder, Counts& counts, int n_layers, int n_embd);

  // Reads all of one checked passage. Every call on one reader has the same hook and the same wanted layers.
  // What is returned is lent until the next call. Throws Error(engine) when a number is not finite.
  const Reading& read(const Passage& passage, const Hook& hook, const Want& want);

 private:
  struct Part {
    int begin = 0;
    int end = 0;
    int touched = 0;            // first token the hook touches, begin..end
    std::vector<int> outputs;   // tokens whose next-token logits are kept, ascending
    std::vector<float> logits;  // [outputs × n_vocab]
  };

  std::vector<Part> plan(const Passage& passage, const Hook& hook, const Want& want) const;
  std::size_t n_shared(const Passage& passage, const std::vector<Part>& parts) const;
  void compute(const Passage& passage, Part& part, const Hook& hook, const Want& want);
  void decode_chunk(const Passage& passage, Part& part, int begin, int end, const Hook& hook,
                    const Want& want);
  void collect(const Passage& passage, const Want& want);
  std::span<const float> logits_after(int i_token) const;
  void check_finite(std::span<const float> row) const;

  Decoder& decoder_;
  Counts& counts_;
  int n_layers_;
  std::size_t n_embd_;
  std::size_t n_vocab_ = 0;
  std::vector<Token> tokens_;  // of the passage in the stream
  std::vector<Part> parts_;
  Reading reading_;  // of tokens_
  std::vector<Row> rows_;
  Pass pass_;
};

}  // namespace sonder::model::detail
