#include "base/seed.h"

#include <boost/math/special_functions/erf.hpp>
#include <cmath>

namespace sonder {
namespace {

// SplitMix64's finaliser: every input bit reaches every output bit. Source: [Steele2014].
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

std::array<std::uint32_t, 4> philox(std::uint64_t counter, std::uint64_t key) {
  auto c0 = static_cast<std::uint32_t>(counter);
  auto c1 = static_cast<std::uint32_t>(counter >> 32U);
  std::uint32_t c2 = 0;
  std::uint32_t c3 = 0;
  auto k0 = static_cast<std::uint32_t>(key);
  auto k1 = static_cast<std::uint32_t>(key >> 32U);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = 0xD2511F53ULL * c0;
    const std::uint64_t p1 = 0xCD9E8D57ULL * c2;
    c0 = static_cast<std::uint32_t>(p1 >> 32U) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(p1);
    c2 = static_cast<std::uint32_t>(p0 >> 32U) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(p0);
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  return {c0, c1, c2, c3};
}

}  // namespace

Seed Seed::child(std::string_view name) const {
  std::uint64_t h = mix(value_ ^ 0x6e616d65ULL);  // "name": a word and a number never meet
  for (const char letter : name) h = mix(h ^ static_cast<unsigned char>(letter));
  return Seed(mix(h ^ name.size()));
}

Seed Seed::child(std::uint64_t index) const { return Seed(mix(mix(value_ ^ 0x696e646578ULL) ^ index)); }

Stream::result_type Stream::operator()() {
  if (left_ == 0) {
    block_ = philox(counter_++, key_);
    left_ = 4;
  }
  return block_[4 - left_--];
}

double Stream::uniform() {
  const std::uint64_t high = operator()();
  const std::uint64_t bits = (high << 32U) | operator()();
  return static_cast<double>(bits >> 11U) * 0x1.0p-53;
}

double Stream::normal() {
  double u = uniform();
  while (u == 0.0) u = uniform();
  return -std::sqrt(2.0) * boost::math::erfc_inv(2.0 * u);
}

std::uint64_t Stream::below(std::uint64_t n) {
  const std::uint64_t limit = UINT64_MAX - (UINT64_MAX % n + 1) % n;  // last value of the last whole block
  while (true) {
    const std::uint64_t high = operator()();
    const std::uint64_t bits = (high << 32U) | operator()();
    if (bits <= limit) return bits % n;
  }
}

}  // namespace sonder
