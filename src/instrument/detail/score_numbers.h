// The quantities in a judge's words. Private to the room.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace sonder::instrument::detail {

enum class Kind { level, off_menu, out_of_range, other_scale };

struct Number {
  std::size_t begin = 0;  // bytes of the text
  std::size_t end = 0;    // with "/5" or "out of 5"
  Kind kind = Kind::level;
  int level = 0;
  bool of_five = false;  // names its scale
  bool word = false;     // "four"
  bool operator==(const Number&) const = default;
};

bool is_letter(char c);  // of any alphabet: every byte of a letter beyond ASCII is one
std::size_t skip_spaces(std::string_view text, std::size_t at);

// Whether what stands behind a number lets it be a score; another word makes it a count: "4 sentences".
bool goes_on(std::string_view rest);

// Digits and the words zero to five, in order; text in lower case. "4th", "a4" and "3x" are no quantities.
// "4.0" is a level, "4.5", "4,5" and "4+" are off the menu, "-1" and "12" out of range, "8/10" and "80 %" on
// another scale.
std::vector<Number> numbers_in(std::string_view text);

}  // namespace sonder::instrument::detail
