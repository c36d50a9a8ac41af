#include "model/detail/edit.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"

namespace sonder::model::detail {
namespace {

double dot(std::span<const float> x, std::span<const float> y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += static_cast<double>(x[j]) * static_cast<double>(y[j]);
  return sum;
}

}  // namespace

void check_hook(const Hook& hook, int n_layers, int n_embd) {
  int last = 0;
  for (const Edit& edit : hook.edits) {
    const int layer = edit.site.layer;
    require(layer >= 0 && layer < n_layers, "a hook names layer " + std::to_string(layer) +
                                                ", this model has layers 0 to " +
                                                std::to_string(n_layers - 1));
    require(layer >= last, "the edits of a hook stand in ascending layer order");
    last = layer;
    require(edit.direction.size() == static_cast<std::size_t>(n_embd),
            "a hook's direction has " + std::to_string(edit.direction.size()) +
                " numbers, this model's residual stream has " + std::to_string(n_embd));
    require(std::isfinite(edit.amount), "a hook's amount is a finite number");
    const double squared = dot(edit.direction, edit.direction);
    require(std::isfinite(squared) && std::abs(squared - 1) < 2e-3, "a hook's direction has unit length");
  }
}

void apply(const Edit& edit, std::span<float> x) {
  const std::vector<float>& u = edit.direction;
  if (edit.kind == EditKind::push) {
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += edit.amount * u[j];
    return;
  }
  const double excess = dot(x, u) - static_cast<double>(edit.amount);
  for (std::size_t j = 0; j < x.size(); ++j)
    x[j] = static_cast<float>(static_cast<double>(x[j]) - excess * static_cast<double>(u[j]));
}

int first_touched(const Hook& hook, int n_prompt, int n_tokens) {
  if (hook.empty()) return n_tokens;
  if (hook.span == Span::all) return 0;
  return std::clamp(hook.span == Span::last_prompt ? n_prompt - 1 : n_prompt, 0, n_tokens);
}

}  // namespace sonder::model::detail
