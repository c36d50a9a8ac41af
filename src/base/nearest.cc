#include "base/nearest.h"

#include <algorithm>
#include <vector>

namespace sonder {
namespace {

constexpr std::size_t kLongestWord = 40;  // what is longer is no misspelt word

}  // namespace

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::vector<std::size_t>> cost(from.size() + 1, std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 0; i <= from.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= to.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replace = cost[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[from.size()][to.size()];
}

std::optional<std::string> nearest(std::string_view found, std::span<const std::string> known) {
  if (found.size() > kLongestWord) return std::nullopt;
  std::optional<std::string> best;
  std::size_t least = found.size();  // a word that shares nothing with the known one is no misspelling of it
  for (const std::string& word : known) {
    const std::size_t distance = edit_distance(found, word);
    if (distance < least && distance <= std::max<std::size_t>(2, word.size() / 3)) {
      best = word;
      least = distance;
    }
  }
  return best;
}

}  // namespace sonder
