#include "model/detail/decoder.h"

#include <algorithm>
#include <string>

#include "base/error.h"

namespace sonder::model::detail {
namespace {

llama_context* make_context(llama_model* model, const Shape& shape, Tap& tap) {
  llama_context_params params = llama_context_default_params();
  const auto n_streams = static_cast<std::uint32_t>(shape.n_streams);
  params.n_seq_max = n_streams;
  params.n_ctx = n_streams * static_cast<std::uint32_t>(shape.n_ctx_seq);
  params.n_batch = std::max<std::uint32_t>(Decoder::kChunk, n_streams);
  params.n_ubatch = params.n_batch;
  params.n_threads = shape.n_threads;
  params.n_threads_batch = shape.n_threads;
  params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_ENABLED;
  params.kv_unified = false;
  params.swa_full = true;         // so that a part of a text can be forgotten and read anew
  params.type_k = GGML_TYPE_F16;  // flash attention casts anything wider to F16 in every pass
  params.type_v = GGML_TYPE_F16;
  params.cb_eval = &Tap::on_tensor;
  params.cb_eval_user_data = &tap;
  params.no_perf = true;
  return llama_init_from_model(model, params);
}

}  // namespace

Decoder::Decoder(llama_model* model, const Shape& shape, Counts& counts)
    : shape_(shape),
      counts_(counts),
      tap_(llama_model_n_layer(model), llama_model_n_embd(model)),
      n_vocab_(static_cast<std::size_t>(llama_vocab_n_tokens(llama_model_get_vocab(model)))),
      context_(make_context(model, shape, tap_)),
      token_(kChunk),
      pos_(kChunk),
      n_seq_id_(kChunk, 1),
      seq_id_(kChunk),
      seq_id_at_(kChunk),
      output_(kChunk) {
  if (!context_)
    throw Error(ErrorKind::engine, "llama.cpp made no room for " + std::to_string(shape.n_streams) +
                                       " texts of " + std::to_string(shape.n_ctx_seq) +
                                       " tokens; use fewer slots or shorter texts");
  for (std::size_t i = 0; i < kChunk; ++i) seq_id_at_[i] = &seq_id_[i];
}

void Decoder::put(std::size_t i, const Row& row) {
  token_[i] = row.token;
  pos_[i] = row.pos;
  seq_id_[i] = row.stream;
  output_[i] = row.output ? 1 : 0;
}

void Decoder::fill(std::span<const Row> rows, Pass& pass) {
  rows_.assign(rows.begin(), rows.end());
  pass.n_captured = rows.size();
  if (rows.size() == 1) {
    const int beside = rows[0].stream + 1;
    forget(beside, 0);
    rows_.push_back({0, beside, 0, rows[0].output, nullptr});
  }
  // The last layer and the output matrix see output rows only: there, too, never one alone.
  const auto is_output = [](const Row& row) { return row.output; };
  if (std::count_if(rows_.begin(), rows_.end(), is_output) == 1) rows_[rows_[0].output ? 1 : 0].output = true;

  pass.hooks.clear();
  pass.outputs.clear();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    put(i, rows_[i]);
    pass.hooks.push_back(rows_[i].hook);
    if (rows_[i].output) pass.outputs.push_back(i);
  }
}

void Decoder::decode(std::span<const Row> rows, Pass& pass) {
  if (rows.empty() || rows.size() > kChunk) throw Error(ErrorKind::bug, "a pass has 1 to 512 rows");
  fill(rows, pass);
  llama_batch batch{};
  batch.n_tokens = static_cast<std::int32_t>(rows_.size());
  batch.token = token_.data();
  batch.pos = pos_.data();
  batch.n_seq_id = n_seq_id_.data();
  batch.seq_id = seq_id_at_.data();
  batch.logits = output_.data();

  tap_.begin(pass);
  const std::int32_t code = llama_decode(context_.get(), batch);
  ++counts_.passes;
  tap_.settle();
  if (code != 0)
    throw Error(ErrorKind::engine, "llama.cpp could not compute a pass (code " + std::to_string(code) + ")");
}

std::span<const float> Decoder::logits(std::size_t i_row) const {
  const float* row = llama_get_logits_ith(context_.get(), static_cast<std::int32_t>(i_row));
  if (row == nullptr) throw Error(ErrorKind::bug, "logits of a row that has none");
  return {row, n_vocab_};
}

void Decoder::forget_all() {
  llama_memory_clear(llama_get_memory(context_.get()), spoiled_);
  spoiled_ = false;
}

bool Decoder::try_forget(int stream, int from_pos) {
  return llama_memory_seq_rm(llama_get_memory(context_.get()), stream, from_pos, -1);
}

void Decoder::forget(int stream, int from_pos) {
  if (!try_forget(stream, from_pos))
    throw Error(ErrorKind::engine, "this model's memory cannot forget a part of a text");
}

void Decoder::copy(int from_stream, int to_stream) {
  if (from_stream == to_stream) return;
  llama_memory_seq_cp(llama_get_memory(context_.get()), from_stream, to_stream, -1, -1);
}

}  // namespace sonder::model::detail
