// Shares that add to one as horizontal bars, drawn as SVG without any script.
#pragma once

#include <string>
#include <vector>

namespace sonder::report::detail {

struct StackRow {
  std::string label;
  std::vector<double> shares;  // sum to 1, in the order of the key
};

struct Stack {
  std::string caption;
  std::vector<StackRow> rows;
};

// A <figure>. A share of at least .07 carries its number; each piece has a <title>.
std::string stack_svg(const Stack& stack);
// The key, in the order of the shares: at most 7 words.
std::string stack_key(const std::vector<std::string>& words);

}  // namespace sonder::report::detail
