// Writes replies: one scheduler for all requests. Streams 0..m-1 hold the m replies at work, without gaps, so
// that one step is one pass; behind them stand the stream in which prompts are read and a spare one for dummy
// rows.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/cancel.h"
#include "base/seed.h"
#include "model/detail/decoder.h"
#include "model/detail/reply_text.h"
#include "model/detail/sampler.h"
#include "model/detail/vocab.h"
#include "model/model.h"

namespace sonder::model::detail {

// Told of the logits that each token of a reply is drawn from; for tests.
using OnLogits =
    std::function<void(std::size_t i_request, std::size_t i_token, std::span<const float> logits)>;

class Writer {
 public:
  // Streams a decoder needs for n_slots replies at a time.
  static int n_streams(int n_slots);

  // All arguments are borrowed. `requests` have been checked.
  Writer(Decoder& decoder, const Vocab& vocab, int n_slots, Counts& counts, const OnLogits& on_logits);

  // See Model::reply.
  void run(std::span<const Request> requests, const Model::OnReply& done, const Cancel& cancel);

 private:
  struct Slot {
    std::size_t i_request;
    int pos;     // of `next` in its stream
    Token next;  // to be computed in the coming step
    Stream random;
    ReplyText text;
  };
  enum class State { writing, finished, not_finite };

  std::vector<std::size_t> order() const;
  void read_prefix(const Request& request);
  void start(std::size_t i_request, std::size_t i_slot);
  void step();
  void draw_all();
  State advance(Slot& slot, std::optional<Token> token, Stopped& stopped);
  void vacate(std::size_t i_slot);
  int prompt_stream() const;

  Decoder& decoder_;
  const Vocab& vocab_;
  std::size_t n_slots_;
  Counts& counts_;
  const OnLogits& on_logits_;

  std::span<const Request> requests_;
  const Request* in_prompt_stream_ = nullptr;  // whose prefix stands there now
  std::vector<Slot> slots_;
  std::vector<std::size_t> waiting_;  // requests to come, last first
  std::vector<Row> rows_;
  Pass pass_;
  std::vector<std::optional<Token>> drawn_;
  std::vector<Weights> scratch_;  // one per thread
};

}  // namespace sonder::model::detail
