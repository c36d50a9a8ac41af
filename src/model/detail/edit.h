// The arithmetic of a hook on one row, and the checks a hook must pass before a model runs under it.
#pragma once

#include <span>

#include "model/hook.h"

namespace sonder::model::detail {

// Throws Error(bad_input): a layer outside 0..n_layers-1, edits not in ascending layer order, a direction
// that is not n_embd finite numbers of unit length (to 1e-3), an amount that is not finite.
void check_hook(const Hook& hook, int n_layers, int n_embd);

// x: [n_embd], changed in place.
void apply(const Edit& edit, std::span<float> x);

// Index of the first token that `hook` touches in a text whose prompt has n_prompt tokens; n_tokens when
// none.
int first_touched(const Hook& hook, int n_prompt, int n_tokens);

}  // namespace sonder::model::detail
