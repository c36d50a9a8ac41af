#include "stats/detail/labels.h"

#include <cstdint>
#include <unordered_map>

namespace sonder::stats::detail {
namespace {

template <class Key, class KeyOf>
Labels number(std::size_t n, const KeyOf& key_of) {
  Labels labels;
  labels.of.reserve(n);
  std::unordered_map<Key, std::size_t> place;
  for (std::size_t i = 0; i < n; ++i) {
    const auto [at, fresh] = place.try_emplace(key_of(i), labels.count);
    labels.count += fresh ? 1 : 0;
    labels.of.push_back(at->second);
  }
  return labels;
}

}  // namespace

Labels dense(std::span<const int> label) {
  return number<int>(label.size(), [&](std::size_t i) { return label[i]; });
}

Labels crossed(const Labels& first, const Labels& second) {
  return number<std::uint64_t>(first.of.size(), [&](std::size_t i) {
    return static_cast<std::uint64_t>(first.of[i]) * second.count + second.of[i];
  });
}

}  // namespace sonder::stats::detail
