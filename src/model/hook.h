// What may be done to the residual stream while a model runs, as values: comparable, storable, hashable.
// Layers are 0-based: layer k is the residual stream after block k. llama.cpp's own numbering stays in
// detail/.
#pragma once

#include <string>
#include <vector>

namespace sonder::model {

struct Site {
  int layer = 0;  // 0 .. n_layers-1
  auto operator<=>(const Site&) const = default;
};

// Which rows of a sequence a hook touches.
enum class Span {
  reply,        // rows of reply tokens: the first reply token is still drawn from the untouched prompt
  last_prompt,  // the last prompt token and every reply token
  all,          // every token; the prompt is then read again for this hook
};

enum class EditKind {
  push,    // x + amount * direction
  ablate,  // x - direction * (direction·x - amount): the component along `direction` becomes `amount`
};

struct Edit {
  Site site;
  EditKind kind = EditKind::push;
  std::vector<float> direction;  // [n_embd], unit length
  float amount = 0;              // in residual units (see latent/dose.h for the four units people use)
  bool operator==(const Edit&) const = default;
};

// An empty hook changes nothing and costs nothing.
struct Hook {
  std::vector<Edit> edits;  // in ascending layer order
  Span span = Span::reply;
  bool empty() const { return edits.empty(); }
  bool operator==(const Hook&) const = default;
};

std::string hash_of(const Hook& hook);  // SHA-256 of its canonical bytes; "" for an empty hook

}  // namespace sonder::model
