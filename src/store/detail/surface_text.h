// What a text shows at first sight: its words and marks, by a rule that needs no dictionary.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sonder::store::detail {

struct SurfaceText {
  std::vector<std::string> words;  // as written; an apostrophe inside belongs to the word
  int tokens = 0;                  // words and punctuation marks
  int sentences = 0;               // runs of . ? ! …
  int commas = 0, questions = 0, exclamations = 0;
  int i_words = 0, you_words = 0;

  std::string opening(std::size_t n) const;  // the first n words, in small (ASCII) letters
};

// Letters and digits of every script, and _, make words; every other visible character is a mark. (Unicode's
// general categories are approximated: beyond ASCII only punctuation, space, arrow and pictograph blocks are
// told from letters.)
SurfaceText surface_text(std::string_view text);

}  // namespace sonder::store::detail
