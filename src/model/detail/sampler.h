// One draw from a row of logits: one uniform, the distribution function inverted in token order.
// Source for min-p: [Nguyen2024]; for top-p: [Holtzman2020].
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/model.h"

namespace sonder::model::detail {

void check_sampler(const Sampler& sampler);  // throws Error(bad_input)

// Scratch for `draw`, one per thread.
struct Weights {
  std::vector<float> weight;  // [n_vocab] exp((logit - max) / temperature)
  std::vector<double> block;  // sums over blocks of tokens
  std::vector<Token> order;
};

// The token at `uniform` in [0, 1) of the tempered and filtered distribution; greedy (lowest id on a tie) at
// temperature 0, where `uniform` is not used. Filters look at the tempered probabilities; both keep the
// likeliest token. Nothing when a logit is not finite.
std::optional<Token> draw(std::span<const float> logits, const Sampler& sampler, double uniform,
                          Weights& scratch);

// log(sum(exp(logits))) in f64. NaN when a logit is not finite.
double log_sum_exp(std::span<const float> logits);

}  // namespace sonder::model::detail
