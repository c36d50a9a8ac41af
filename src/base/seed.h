// Named child seeds and a counter-based random stream.
// One root seed per plan; every random choice draws a child named after its purpose, so that
// adding a random step never disturbs the others and nothing depends on threads or order.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sonder {

class Seed {
 public:
  explicit constexpr Seed(std::uint64_t value) : value_(value) {}
  // A seed for the purpose `name`, or for the i-th of a series.
  Seed child(std::string_view name) const;
  Seed child(std::uint64_t index) const;
  constexpr std::uint64_t value() const { return value_; }
  constexpr bool operator==(const Seed&) const = default;

 private:
  std::uint64_t value_;
};

// Philox 4x32-10, keyed by a seed. Source: [Salmon2011]. Satisfies UniformRandomBitGenerator,
// but use the members: the standard distributions differ between libraries.
class Stream {
 public:
  using result_type = std::uint32_t;
  explicit Stream(Seed seed) : key_(seed.value()) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return 0xffffffffU; }
  result_type operator()();

  double uniform();                      // in [0, 1), 53 bits
  double normal();                       // mean 0, sd 1 (inverse of the normal distribution function)
  std::uint64_t below(std::uint64_t n);  // in 0..n-1, unbiased; n > 0
  bool coin() { return (operator()() & 1U) != 0; }

  // Fisher–Yates.
  template <class Span>
  void shuffle(Span&& items) {
    for (std::uint64_t i = items.size(); i > 1; --i) {
      using std::swap;
      swap(items[i - 1], items[below(i)]);
    }
  }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
  std::array<std::uint32_t, 4> block_{};
  unsigned left_ = 0;
};

}  // namespace sonder
