// Labels of clusters made dense: 0, 1, 2 … in order of first appearance.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sonder::stats::detail {

struct Labels {
  std::vector<std::size_t> of;  // [n rows] in 0..count-1
  std::size_t count = 0;
};
Labels dense(std::span<const int> label);

// The label of each pair (first, second) that occurs. Equal lengths.
Labels crossed(const Labels& first, const Labels& second);

}  // namespace sonder::stats::detail
