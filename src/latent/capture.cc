#include "latent/capture.h"

#include <algorithm>

namespace sonder::latent {
namespace {

// Mean of rows [first, x.n) of x, summed in f64.
void put_mean(const Rows& x, std::size_t first, std::span<float> out) {
  std::vector<double> sum(x.d, 0.0);
  for (std::size_t i = first; i < x.n; ++i) {
    const auto row = x.row(i);
    for (std::size_t j = 0; j < x.d; ++j) sum[j] += static_cast<double>(row[j]);
  }
  const auto count = static_cast<double>(x.n - first);
  for (std::size_t j = 0; j < x.d; ++j) out[j] = static_cast<float>(sum[j] / count);
}

void put_row(const Rows& x, std::size_t i, std::span<float> out) {
  const auto row = x.row(i);
  std::copy(row.begin(), row.end(), out.begin());
}

void check(std::span<const model::Passage> passages, Position position) {
  for (const auto& passage : passages) {
    require(passage.n_prompt >= 1 && static_cast<std::size_t>(passage.n_prompt) <= passage.tokens.size(),
            "a passage to capture has at least one prompt token and no more than it has tokens");
    require(position == Position::last_prompt ||
                static_cast<std::size_t>(passage.n_prompt) < passage.tokens.size(),
            "a passage captured over its reply has at least one reply token");
  }
}

}  // namespace

Captured capture(model::Model& model, std::span<const model::Passage> passages,
                 const std::vector<int>& layers, Position position, const Cancel& cancel) {
  require(!layers.empty(), "name at least one layer to capture");
  check(passages, position);
  const auto width = static_cast<std::size_t>(model.card().n_embd);
  Captured out{layers, std::vector<Rows>(layers.size(), Rows(passages.size(), width)), {}};
  out.at_prompt = out.at_position;

  model::Want want;
  want.layers = layers;
  const auto keep = [&](std::size_t i, const model::Reading& reading) {
    const auto n_prompt = static_cast<std::size_t>(passages[i].n_prompt);
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const Rows& x = reading.residuals[l];
      put_row(x, n_prompt - 1, out.at_prompt[l].row(i));
      const auto target = out.at_position[l].row(i);
      if (position == Position::reply_mean) put_mean(x, n_prompt, target);
      if (position == Position::last_reply) put_row(x, x.n - 1, target);
      if (position == Position::last_prompt) put_row(x, n_prompt - 1, target);
    }
  };
  model.read(passages, {}, want, keep, cancel);
  return out;
}

}  // namespace sonder::latent
