// Lists of words and phrases in categories, and where they occur in a text.
//
// A list is a text file. `#` opens a comment; `[name]` or `[name] weight` opens a category; any other line is
// an entry: words in lower case, as Splitter folds them. In an entry
//   ^word      only where a sentence begins
//   _          any one word of the same sentence
//   (a|b|c)    one of these; (|a) may be left out; words only
//   word/v     the forms of a regular verb: ache, aches, ached, aching
//   word/n     singular and plural
//   word/a     an adjective, its adverb and its noun: sad, sadly, sadness
//   … = 2.5    a weight of its own
// The category `[not]` holds negators: a hit is negated when one stands up to three words before it in the
// same clause. The category `[skip]` holds phrases that say nothing and hide the shorter entries inside them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/words.h"

namespace sonder::text {

struct Category {
  std::string name;
  double weight = 1;
  bool operator==(const Category&) const = default;
};

struct Hit {
  Span bytes;                // in the text that was split
  std::size_t category = 0;  // index into WordList::categories()
  double weight = 1;
  std::size_t first = 0;  // index of its first word
  std::size_t n = 1;      // words
  bool negated = false;
  bool operator==(const Hit&) const = default;
};

// Buffers of one reader of texts: kept, so that a text costs no allocation once they have grown.
struct Hits {
  std::vector<Hit> list;
  std::vector<std::uint32_t> ids;  // of the words, for the search itself
};

// Immutable once read; may be shared between threads.
class WordList {
 public:
  // Throws Error(bad_input) naming `name` and the line.
  static WordList parse(std::string_view file, std::string_view name);
  ~WordList();
  WordList(WordList&&) noexcept;
  WordList& operator=(WordList&&) noexcept;

  const std::vector<Category>& categories()
      const;  // in order of the file; with "not" and "skip" where present
  std::size_t category(
      std::string_view name) const;  // its index. Throws Error(bad_input) for an unknown name.

  // From left to right, longest entry first, no two overlapping; without negators and skipped phrases. An
  // entry never runs across the end of a sentence. Time: words × the longest entry.
  void find(const Words& words, Hits& out) const;

 private:
  struct Parts;
  explicit WordList(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace sonder::text
