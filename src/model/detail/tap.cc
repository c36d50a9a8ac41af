#include "model/detail/tap.h"

#include <ggml-backend.h>
#include <ggml.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <string>

#include "base/error.h"
#include "model/detail/edit.h"

namespace sonder::model::detail {
namespace {

// k of a tensor named "l_out-<k>", or -1.
int layer_of(const char* name) {
  constexpr char kPrefix[] = "l_out-";
  constexpr std::size_t kLength = sizeof(kPrefix) - 1;
  if (std::strncmp(name, kPrefix, kLength) != 0) return -1;
  int layer = 0;
  const char* digit = name + kLength;
  if (*digit == '\0') return -1;
  for (; *digit != '\0'; ++digit) {
    if (*digit < '0' || *digit > '9' || layer > 100000) return -1;
    layer = layer * 10 + (*digit - '0');
  }
  return layer;
}

bool on_host(const ggml_tensor* tensor) {
  return tensor->buffer == nullptr || ggml_backend_buffer_is_host(tensor->buffer);
}

[[noreturn]] void unusable(int layer, const std::string& what) {
  throw Error(ErrorKind::engine, "the residual stream of layer " + std::to_string(layer) + " " + what +
                                     "; this model's architecture cannot be read or steered here");
}

}  // namespace

Tap::Tap(int n_layers, int n_embd)
    : n_layers_(n_layers),
      n_embd_(n_embd),
      edited_(static_cast<std::size_t>(n_layers)),
      needed_(static_cast<std::size_t>(n_layers)),
      seen_(static_cast<std::size_t>(n_layers)),
      row_(static_cast<std::size_t>(n_embd)) {}

void Tap::begin(const Pass& pass) {
  pass_ = &pass;
  parked_ = nullptr;
  std::fill(edited_.begin(), edited_.end(), 0);
  std::fill(needed_.begin(), needed_.end(), 0);
  std::fill(seen_.begin(), seen_.end(), 0);
  stop_after_ = -1;
  for (const Capture& capture : pass.captures) {
    needed_[static_cast<std::size_t>(capture.layer)] = 1;
    stop_after_ = std::max(stop_after_, capture.layer);
  }
  if (!pass.residuals_only) stop_after_ = n_layers_;
  for (const Hook* hook : pass.hooks) {
    if (hook == nullptr) continue;
    for (const Edit& edit : hook->edits) {
      if (edit.site.layer > stop_after_) continue;
      edited_[static_cast<std::size_t>(edit.site.layer)] = 1;
      needed_[static_cast<std::size_t>(edit.site.layer)] = 1;
    }
  }
  busy_ = std::accumulate(needed_.begin(), needed_.end(), 0) > 0;
}

void Tap::settle() {
  const Pass* pass = pass_;
  pass_ = nullptr;
  if (parked_) std::rethrow_exception(parked_);
  if (pass == nullptr || !busy_) return;
  for (int layer = 0; layer < n_layers_; ++layer) {
    if (layer == n_layers_ - 1 && pass->outputs.empty())
      continue;  // no row of it was computed, none was asked for
    const auto k = static_cast<std::size_t>(layer);
    if (needed_[k] != 0 && seen_[k] == 0) unusable(layer, "was not seen while the model ran");
  }
}

// C code calls this, so nothing may be thrown out of it: park the exception, stop the graph.
bool Tap::on_tensor(ggml_tensor* tensor, bool ask, void* self) noexcept {
  Tap& tap = *static_cast<Tap*>(self);
  if (tap.parked_ || tap.pass_ == nullptr || !tap.busy_) return false;
  try {
    return ask ? tap.wants(tensor) : tap.take(tensor);
  } catch (...) {                            // parks
    tap.parked_ = std::current_exception();  // settle() rethrows once the C call has returned
    return false;
  }
}

bool Tap::wants(const ggml_tensor* tensor) const {
  const int layer = layer_of(tensor->name);
  return layer >= 0 && layer < n_layers_ && needed_[static_cast<std::size_t>(layer)] != 0;
}

bool Tap::take(ggml_tensor* tensor) {
  const int layer = layer_of(tensor->name);
  const auto k = static_cast<std::size_t>(layer);
  if (seen_[k] != 0) unusable(layer, "came by twice in one pass");
  seen_[k] = 1;

  const auto n_rows = static_cast<std::size_t>(tensor->ne[1]);
  pruned_ = n_rows != pass_->hooks.size();
  const bool expected = !pruned_ || (layer == n_layers_ - 1 && n_rows == pass_->outputs.size());
  if (!expected || tensor->ne[0] != n_embd_ || ggml_nrows(tensor) != tensor->ne[1])
    unusable(layer, "has an unexpected shape");
  if (tensor->type != GGML_TYPE_F32 || tensor->nb[0] != sizeof(float))
    unusable(layer, "is not stored as 32-bit floats");

  if (n_rows > 0) {
    capture_rows(tensor, layer, true);
    if (edited_[k] != 0) edit_rows(tensor, layer);
    capture_rows(tensor, layer, false);
  }
  return layer != stop_after_;
}

std::size_t Tap::row_of(std::size_t i_tensor_row) const {
  return pruned_ ? pass_->outputs[i_tensor_row] : i_tensor_row;
}

void Tap::edit_rows(ggml_tensor* tensor, int layer) {
  const bool host = on_host(tensor);
  const std::size_t bytes = row_.size() * sizeof(float);
  for (std::size_t i = 0; i < static_cast<std::size_t>(tensor->ne[1]); ++i) {
    const Hook* hook = pass_->hooks[row_of(i)];
    if (hook == nullptr) continue;
    const auto touches = [layer](const Edit& edit) { return edit.site.layer == layer; };
    if (std::none_of(hook->edits.begin(), hook->edits.end(), touches)) continue;
    const std::size_t offset = i * tensor->nb[1];
    float* x = row_.data();
    if (host) {
      x = reinterpret_cast<float*>(static_cast<char*>(tensor->data) + offset);
    } else {
      ggml_backend_tensor_get(tensor, x, offset, bytes);
    }
    for (const Edit& edit : hook->edits)
      if (edit.site.layer == layer) apply(edit, std::span<float>(x, row_.size()));
    if (!host) ggml_backend_tensor_set(tensor, x, offset, bytes);
  }
}

void Tap::capture_rows(const ggml_tensor* tensor, int layer, bool before) const {
  const std::size_t bytes = row_.size() * sizeof(float);
  for (const Capture& capture : pass_->captures) {
    float* to = before ? capture.before : capture.after;
    if (capture.layer != layer || to == nullptr) continue;
    for (std::size_t i = 0; i < static_cast<std::size_t>(tensor->ne[1]); ++i) {
      const std::size_t row = row_of(i);
      if (row >= pass_->n_captured) continue;
      const std::size_t offset = i * tensor->nb[1];
      float* x = to + row * row_.size();
      if (on_host(tensor)) {
        std::memcpy(x, static_cast<const char*>(tensor->data) + offset, bytes);
      } else {
        ggml_backend_tensor_get(tensor, x, offset, bytes);
      }
    }
  }
}

}  // namespace sonder::model::detail
