#include "model/detail/sampler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "base/error.h"

namespace sonder::model::detail {
namespace {

constexpr std::size_t kBlock = 1024;
constexpr std::size_t kLanes = 8;

// exp(-y) for y >= 0 to 2 units in the last place of f32; exp(-87) for anything above 87. Written so that
// compilers turn the loop around it into vector code, with the same bits as without: no call, no branch, no
// reordered sum. (The bits of floats that are not negative have the order of whole numbers, and compilers may
// not turn a float's compare into a choice.)
inline float exp_minus(float y) {
  constexpr auto kMost = std::bit_cast<std::int32_t>(87.0F);
  const float held = -std::bit_cast<float>(std::min(std::bit_cast<std::int32_t>(y), kMost));
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to a whole number
  const float shifted = held * 1.44269504F + kRound;
  const float n = shifted - kRound;
  const float r = (held - n * 0.693359375F) + n * 2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;
  const std::uint32_t power = (std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(kRound))
                              << 23U;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(p) + power);
}

// Largest logit; NaN when one is not finite.
float peak(std::span<const float> logits) {
  constexpr float kMost = std::numeric_limits<float>::max();
  std::array<float, kLanes> most;
  std::array<std::int32_t, kLanes> good;
  most.fill(-kMost);
  good.fill(1);
  const std::size_t whole = logits.size() - logits.size() % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      const float x = logits[i + k];
      most[k] = x > most[k] ? x : most[k];
      good[k] &= (x <= kMost) & (x >= -kMost);
    }
  }
  float best = -kMost;
  bool finite = true;
  for (std::size_t k = 0; k < kLanes; ++k) {
    best = std::max(best, most[k]);
    finite = finite && good[k] != 0;
  }
  for (std::size_t i = whole; i < logits.size(); ++i) {
    best = std::max(best, logits[i]);
    finite = finite && std::isfinite(logits[i]);
  }
  return finite ? best : std::numeric_limits<float>::quiet_NaN();
}

double sum_of(std::span<const float> x) {
  std::array<double, kLanes> lane{};
  const std::size_t whole = x.size() - x.size() % kLanes;
  const float* at = x.data();
  for (std::size_t i = 0; i < whole; i += kLanes, at += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) lane[k] += static_cast<double>(at[k]);
  double sum = std::accumulate(lane.begin(), lane.end(), 0.0);
  for (std::size_t i = whole; i < x.size(); ++i) sum += static_cast<double>(x[i]);
  return sum;
}

void weigh(std::span<const float> logits, float most, double temperature, std::vector<float>& weight) {
  weight.resize(logits.size());
  const auto scale = static_cast<float>(1 / temperature);
  float* w = weight.data();
  const float* x = logits.data();
  const std::size_t n = logits.size();
  for (std::size_t i = 0; i < n; ++i) w[i] = exp_minus((most - x[i]) * scale);
}

// Weights outside the smallest set of likeliest tokens that holds top_p become 0; on a tie the lower id
// stays.
void keep_top_p(double top_p, Weights& s) {
  const double wanted = top_p * sum_of(s.weight);
  std::vector<Token>& order = s.order;
  float floor = 1e-2F;  // look at few tokens first: mostly they hold enough
  for (;; floor *= 1e-3F) {
    order.clear();
    double held = 0;
    for (std::size_t i = 0; i < s.weight.size(); ++i) {
      if (s.weight[i] < floor) continue;
      order.push_back(static_cast<Token>(i));
      held += static_cast<double>(s.weight[i]);
    }
    if (held >= wanted || floor == 0) break;
  }
  const auto w = [&s](Token token) { return s.weight[static_cast<std::size_t>(token)]; };
  std::sort(order.begin(), order.end(),
            [&w](Token a, Token b) { return w(a) != w(b) ? w(a) > w(b) : a < b; });
  double held = 0;
  std::size_t n_kept = 0;
  while (n_kept < order.size() && (n_kept == 0 || held < wanted))
    held += static_cast<double>(w(order[n_kept++]));
  order.resize(n_kept);
  std::sort(order.begin(), order.end());
  auto next = order.begin();
  for (std::size_t i = 0; i < s.weight.size(); ++i) {
    if (next != order.end() && *next == static_cast<Token>(i)) {
      ++next;
    } else {
      s.weight[i] = 0;
    }
  }
}

Token invert(double uniform, Weights& s) {
  s.block.clear();
  const std::span<const float> weight(s.weight);
  for (std::size_t i = 0; i < weight.size(); i += kBlock)
    s.block.push_back(sum_of(weight.subspan(i, std::min(kBlock, weight.size() - i))));
  const double target = uniform * std::accumulate(s.block.begin(), s.block.end(), 0.0);

  double below = 0;
  std::size_t block = 0;
  while (block + 1 < s.block.size() && below + s.block[block] <= target) below += s.block[block++];
  while (s.block[block] <= 0 && block > 0) --block;  // rounding led past the last block that holds anything
  Token last = 0;
  const std::size_t end = std::min(weight.size(), (block + 1) * kBlock);
  for (std::size_t i = block * kBlock; i < end; ++i) {
    if (weight[i] <= 0) continue;
    last = static_cast<Token>(i);
    below += static_cast<double>(weight[i]);
    if (below > target) break;
  }
  return last;
}

}  // namespace

void check_sampler(const Sampler& sampler) {
  const double t = sampler.temperature;
  require(std::isfinite(t) && (t == 0 || t >= 1e-3), "temperature is 0 (greedy) or at least 0.001");
  require(sampler.top_p > 0 && sampler.top_p <= 1, "top_p is above 0 and at most 1");
  require(sampler.min_p >= 0 && sampler.min_p <= 1, "min_p is between 0 and 1");
}

std::optional<Token> draw(std::span<const float> logits, const Sampler& sampler, double uniform,
                          Weights& scratch) {
  const float most = peak(logits);
  if (std::isnan(most)) return std::nullopt;
  if (sampler.temperature == 0)
    return static_cast<Token>(std::find(logits.begin(), logits.end(), most) - logits.begin());
  weigh(logits, most, sampler.temperature, scratch.weight);
  if (sampler.top_p < 1) keep_top_p(sampler.top_p, scratch);
  if (sampler.min_p > 0) {
    for (float& weight : scratch.weight)
      if (static_cast<double>(weight) < sampler.min_p) weight = 0;
  }
  return invert(uniform, scratch);
}

double log_sum_exp(std::span<const float> logits) {
  const auto most = static_cast<double>(peak(logits));
  double sum = 0;
  for (const float x : logits) sum += std::exp(static_cast<double>(x) - most);
  return most + std::log(sum);
}

}  // namespace sonder::model::detail
