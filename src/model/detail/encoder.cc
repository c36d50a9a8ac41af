#include "model/detail/encoder.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/error.h"

namespace sonder::model::detail {
namespace {

llama_context* make_context(llama_model* model, int n_threads) {
  llama_context_params params = llama_context_default_params();
  const auto n = static_cast<std::uint32_t>(std::max(llama_model_n_ctx_train(model), 8));
  params.n_ctx = n;
  params.n_batch = n;
  params.n_ubatch = n;
  params.n_seq_max = 1;
  params.embeddings = true;
  params.n_threads = n_threads;
  params.n_threads_batch = n_threads;
  params.no_perf = true;
  const bool says_how = llama_model_n_cls_out(model) == 0;
  params.pooling_type = says_how ? LLAMA_POOLING_TYPE_UNSPECIFIED : LLAMA_POOLING_TYPE_MEAN;
  llama_context* context = llama_init_from_model(model, params);
  if (context == nullptr || llama_pooling_type(context) != LLAMA_POOLING_TYPE_NONE) return context;
  llama_free(context);
  params.pooling_type = LLAMA_POOLING_TYPE_MEAN;
  return llama_init_from_model(model, params);
}

}  // namespace

Encoder::Encoder(llama_model* model, int n_threads)
    : vocab_(llama_model_get_vocab(model)),
      n_max_(static_cast<std::size_t>(std::max(llama_model_n_ctx_train(model), 8))),
      n_embd_(static_cast<std::size_t>(llama_model_n_embd_out(model))),
      context_(make_context(model, n_threads)) {
  if (!context_) throw Error(ErrorKind::engine, "llama.cpp made no room for this encoder");
}

std::vector<int> Encoder::tokens_of(const std::string& text) const {
  const auto length = static_cast<std::int32_t>(text.size());
  std::vector<int> tokens(text.size() + 8);
  const std::int32_t n = llama_tokenize(vocab_, text.data(), length, tokens.data(),
                                        static_cast<std::int32_t>(tokens.size()), true, false);
  if (n < 0) throw Error(ErrorKind::engine, "llama.cpp could not cut a text into tokens");
  tokens.resize(static_cast<std::size_t>(n));
  if (tokens.size() > n_max_) {
    const int last = tokens.back();  // the token that closes a text
    tokens.resize(n_max_);
    tokens.back() = last;
  }
  return tokens;
}

std::vector<float> Encoder::embed(const std::string& text) {
  std::vector<int> tokens = tokens_of(text);
  if (tokens.empty()) throw Error(ErrorKind::engine, "this encoder has no tokens for an empty text");
  const llama_batch batch = llama_batch_get_one(tokens.data(), static_cast<std::int32_t>(tokens.size()));
  if (llama_encode(context_.get(), batch) != 0)
    throw Error(ErrorKind::engine, "llama.cpp could not encode a text");
  const float* pooled = llama_get_embeddings_seq(context_.get(), 0);
  if (pooled == nullptr) throw Error(ErrorKind::engine, "this model gives no sentence vector");
  double squared = 0;
  for (std::size_t j = 0; j < n_embd_; ++j)
    squared += static_cast<double>(pooled[j]) * static_cast<double>(pooled[j]);
  const double norm = std::sqrt(squared);
  if (!std::isfinite(norm) || norm == 0) throw Error(ErrorKind::engine, "a sentence vector has no direction");
  std::vector<float> unit(n_embd_);
  for (std::size_t j = 0; j < n_embd_; ++j)
    unit[j] = static_cast<float>(static_cast<double>(pooled[j]) / norm);
  return unit;
}

}  // namespace sonder::model::detail
