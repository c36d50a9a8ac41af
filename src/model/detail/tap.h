// The tap on the residual stream: what llama.cpp's evaluation callback does during one decode call.
// llama.cpp calls "l_out-<k>" what Sonder calls layer k: the residual stream after block k, one row per
// token. In the last layer only the rows whose logits are wanted are left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include "model/hook.h"

struct ggml_tensor;

namespace sonder::model::detail {

// Where one layer's rows go.
struct Capture {
  int layer = 0;
  float* after = nullptr;   // [rows × n_embd] as later layers see them; may be null
  float* before = nullptr;  // the same before the hook's edits at this layer; may be null
};

// One decode call, as the tap must know it.
struct Pass {
  std::vector<const Hook*> hooks;    // one per row in batch order; null where nothing is done
  std::vector<std::size_t> outputs;  // rows whose logits are wanted, ascending
  std::vector<Capture> captures;
  std::size_t n_captured = 0;   // only the first rows are captured (a dummy row may follow)
  bool residuals_only = false;  // nothing after the last captured layer is needed: stop there
};

class Tap {
 public:
  Tap(int n_layers, int n_embd);
  Tap(const Tap&) = delete;
  Tap& operator=(const Tap&) = delete;

  // `pass` is borrowed until settle().
  void begin(const Pass& pass);
  // After the call: rethrows what was parked; throws Error(engine) when a layer that had to be edited or
  // captured never came by, came by twice, or had an unexpected shape.
  void settle();
  void abandon() { pass_ = nullptr; }

  static bool on_tensor(ggml_tensor* tensor, bool ask, void* self) noexcept;

 private:
  bool wants(const ggml_tensor* tensor) const;
  bool take(ggml_tensor* tensor);
  void edit_rows(ggml_tensor* tensor, int layer);
  void capture_rows(const ggml_tensor* tensor, int layer, bool before) const;
  std::size_t row_of(std::size_t i_tensor_row) const;  // row of the batch

  int n_layers_;
  int n_embd_;
  const Pass* pass_ = nullptr;
  bool busy_ = false;         // some layer is needed in this pass
  bool pruned_ = false;       // the tensor at hand holds output rows only
  int stop_after_ = -1;       // last needed layer when residuals_only
  std::vector<char> edited_;  // [n_layers] some row is edited here
  std::vector<char> needed_;  // [n_layers]
  std::vector<char> seen_;    // [n_layers]
  std::vector<float> row_;    // [n_embd] scratch for back ends whose memory is not the host's
  std::exception_ptr parked_;
};

}  // namespace sonder::model::detail
