// Text in, words out: Unicode words (UAX 29; @ and : part words) with their place in the bytes, folded for
// look-up. Linear time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sonder::text {

// Bytes begin .. end-1 of a text. A page marks a hit with it.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const Span&) const = default;
};

// The strongest mark between two words, in rising order.
enum class Gap : std::uint8_t {
  space,     // nothing but space, a hyphen or a quotation mark
  clause,    // , ; : a dash or a bracket
  sentence,  // . ! … or a new line
  question,  // ?
};

struct Word {
  Span bytes;               // in the text as it was given
  Span letters;             // in Words::folded
  Gap before = Gap::space;  // the first word of a text: sentence
  bool operator==(const Word&) const = default;
};

struct Words {
  std::vector<Word> list;
  std::string folded;    // the words one after another: NFC, lower case, ’ as '
  Gap end = Gap::space;  // what follows the last word; an empty text: space

  std::size_t size() const { return list.size(); }
  std::string_view operator[](std::size_t i) const {
    return std::string_view(folded).substr(list[i].letters.begin,
                                           list[i].letters.end - list[i].letters.begin);
  }
};

// Splits many texts; buffers are kept, so that a text costs no allocation once they have grown. Letters up to
// U+024F take a fast way that gives the same words as ICU; all else, Thai and Chinese included, is ICU's.
// Bytes that are no UTF-8 separate words, like a space. One Splitter per thread.
class Splitter {
 public:
  Splitter();
  ~Splitter();
  Splitter(Splitter&&) noexcept;
  Splitter& operator=(Splitter&&) noexcept;

  // The result is valid until the next call.
  const Words& split(std::string_view text);
  // The same, always through ICU: what the fast way is tested against.
  const Words& split_by_icu(std::string_view text);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Sentences by UAX 29 (ICU), as byte spans without the space around them. Source: [UAX29].
std::vector<Span> sentences(std::string_view text);

// NFC; bytes that are no UTF-8 become U+FFFD. Source: [UAX15].
std::string normalise(std::string_view text);

}  // namespace sonder::text
