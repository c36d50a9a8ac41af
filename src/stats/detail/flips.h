// Sums of x over random signs or random subsets, four units at a time.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/seed.h"

namespace sonder::stats::detail {

class Flips {
 public:
  explicit Flips(std::span<const double> x);

  // Every unit counts with its own random sign: bit i of the stream is the sign of unit i, 1 for +.
  double signed_sum(Stream& stream) const;

  // Every unit is in or out by a coin.
  struct Subset {
    double sum = 0;
    std::size_t size = 0;
  };
  Subset subset(Stream& stream) const;

 private:
  template <class Take>
  void each_four(Stream& stream, const Take& take) const;

  std::size_t n_;
  std::vector<std::array<double, 16>> in_;    // sum of the units whose bit is 1
  std::vector<std::array<double, 16>> sign_;  // minus the others
};

}  // namespace sonder::stats::detail
