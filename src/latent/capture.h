// Residuals of texts at every layer: the reading half of the house's inside view.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/rows.h"
#include "model/model.h"

namespace sonder::latent {

enum class Position {
  reply_mean,   // mean over reply tokens
  last_reply,   // last reply token
  last_prompt,  // last prompt token, before any reply token
};

// `at_position` and `at_prompt`: one table per wanted layer, [n_passages × n_embd] f32, in order of passages.
struct Captured {
  std::vector<int> layers;
  std::vector<Rows> at_position;
  std::vector<Rows> at_prompt;  // last prompt token: the guard against reading the label from the text itself
};

Captured capture(model::Model& model, std::span<const model::Passage> passages,
                 const std::vector<int>& layers, Position position, const Cancel& cancel);

}  // namespace sonder::latent
