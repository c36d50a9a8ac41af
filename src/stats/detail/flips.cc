#include "stats/detail/flips.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace sonder::stats::detail {

Flips::Flips(std::span<const double> x) : n_(x.size()), in_((x.size() + 3) / 4), sign_(in_.size()) {
  for (std::size_t four = 0; four < in_.size(); ++four) {
    for (unsigned bits = 0; bits < 16; ++bits) {
      double in = 0;
      double out = 0;
      for (std::size_t j = 0; j < 4 && 4 * four + j < n_; ++j)
        ((bits >> j & 1U) != 0 ? in : out) += x[4 * four + j];
      in_[four][bits] = in;
      sign_[four][bits] = in - out;
    }
  }
}

template <class Take>
void Flips::each_four(Stream& stream, const Take& take) const {
  for (std::size_t four = 0; four < in_.size();) {
    std::uint32_t bits = stream();
    for (int k = 0; k < 8 && four < in_.size(); ++k, ++four, bits >>= 4U) take(four, bits & 15U);
  }
}

double Flips::signed_sum(Stream& stream) const {
  double total = 0;
  each_four(stream, [&](std::size_t four, std::uint32_t bits) { total += sign_[four][bits]; });
  return total;
}

Flips::Subset Flips::subset(Stream& stream) const {
  Subset subset;
  each_four(stream, [&](std::size_t four, std::uint32_t bits) {
    const std::size_t left = n_ - 4 * four;
    if (left < 4) bits &= (1U << left) - 1;
    subset.sum += in_[four][bits];
    subset.size += static_cast<std::size_t>(std::popcount(bits));
  });
  return subset;
}

}  // namespace sonder::stats::detail
