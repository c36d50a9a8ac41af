// One llama.cpp context in which every sequence has a stream of the cache to itself.
// What makes the logits of a row the same to the last bit whatever else is computed beside it (measured, F32,
// CPU): own streams, flash attention, never one row alone through a matrix product (another kernel), and
// texts read in chunks of a fixed size.
#pragma once

#include <llama-cpp.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/detail/tap.h"
#include "model/model.h"

namespace sonder::model::detail {

struct Row {
  Token token = 0;
  int stream = 0;
  int pos = 0;
  bool output = false;         // logits wanted
  const Hook* hook = nullptr;  // null: nothing is done to this row
};

struct Shape {
  int n_streams = 2;
  int n_ctx_seq = 256;  // most tokens of one stream
  int n_threads = 1;
};

class Decoder {
 public:
  static constexpr std::size_t kChunk = 512;  // most rows of one call; fixed, for it decides the shapes

  // `model` and `counts` must outlive the decoder. Throws Error(engine) when llama.cpp refuses, e.g. for
  // memory.
  Decoder(llama_model* model, const Shape& shape, Counts& counts);
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  const Shape& shape() const { return shape_; }

  // Rows in ascending stream order, one stream after the other without gaps, at most kChunk. A single row
  // gets a dummy beside it in stream + 1, whose content is lost. `pass.hooks` and `pass.outputs` are filled
  // here.
  void decode(std::span<const Row> rows, Pass& pass);
  // [n_vocab], of row i of the last call, which had `output`; valid until the next call.
  std::span<const float> logits(std::size_t i_row) const;

  void forget_all();                      // every stream, and after spoil() also what stale cells hold
  void forget(int stream, int from_pos);  // throws Error(engine) when the model's memory cannot forget a part
  bool try_forget(int stream, int from_pos);  // false when it cannot
  void copy(int from_stream, int to_stream);
  void spoil() { spoiled_ = true; }  // something not finite may be in the cache
  bool spoiled() const { return spoiled_; }

 private:
  void fill(std::span<const Row> rows, Pass& pass);
  void put(std::size_t i, const Row& row);

  Shape shape_;
  Counts& counts_;
  Tap tap_;
  std::size_t n_vocab_;
  llama_context_ptr context_;
  bool spoiled_ = false;
  std::vector<Row> rows_;  // with the dummy
  std::vector<llama_token> token_;
  std::vector<llama_pos> pos_;
  std::vector<std::int32_t> n_seq_id_;
  std::vector<llama_seq_id> seq_id_;
  std::vector<llama_seq_id*> seq_id_at_;
  std::vector<std::int8_t> output_;
};

}  // namespace sonder::model::detail
