#include "store/detail/surface_text.h"

#include <array>
#include <cstdint>

namespace sonder::store::detail {
namespace {

enum class Class { space, word, mark };

struct Letter {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
};

// text is valid UTF-8 (the bank's reader saw to it); a stray byte counts as one letter.
Letter letter_at(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[k]));
  };
  const std::uint32_t lead = byte(i);
  const std::size_t length = lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 1 || i + length > text.size()) return {lead, 1};
  std::uint32_t code = lead & (0x7FU >> length);
  for (std::size_t k = 1; k < length; ++k) code = (code << 6U) | (byte(i + k) & 0x3FU);
  return {code, length};
}

struct Block {
  std::uint32_t first, last;
  Class is;
};
// Beyond ASCII, in order; what is not listed is part of a word.
constexpr std::array<Block, 16> kBlocks{{
    {0x80, 0x9F, Class::space},  // controls
    {0xA0, 0xA0, Class::space},  // no-break space
    {0xA1, 0xA9, Class::mark},   // Latin-1 marks, around the letters ª µ º
    {0xAB, 0xB4, Class::mark},
    {0xB6, 0xB9, Class::mark},
    {0xBB, 0xBF, Class::mark},
    {0xD7, 0xD7, Class::mark},  // ×
    {0xF7, 0xF7, Class::mark},  // ÷
    {0x2000, 0x200B, Class::space},
    {0x200C, 0x2027, Class::mark},   // dashes, quotes, ellipsis
    {0x2028, 0x202F, Class::space},  // separators
    {0x2030, 0x2BFF, Class::mark},   // marks, currency, arrows, symbols, dingbats
    {0x3000, 0x3000, Class::space},
    {0x3001, 0x3004, Class::mark},
    {0x3008, 0x3020, Class::mark},
    {0x1F000, 0x1FAFF, Class::mark},  // pictographs
}};

Class class_of(std::uint32_t code) {
  if (code < 0x80) {
    if (code <= 0x20 || code == 0x7F) return Class::space;
    const bool word = (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') ||
                      (code >= 'a' && code <= 'z') || code == '_';
    return word ? Class::word : Class::mark;
  }
  for (const Block& block : kBlocks) {
    if (code >= block.first && code <= block.last) return block.is;
  }
  return Class::word;
}

constexpr std::uint32_t kApostrophe = 0x2019;
constexpr std::uint32_t kEllipsis = 0x2026;
bool apostrophe(std::uint32_t code) { return code == '\'' || code == kApostrophe; }

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

void add_word(SurfaceText& found, std::string_view word) {
  ++found.tokens;
  const std::string_view rest = word.substr(1);
  if (word[0] == 'I' && (rest.empty() || rest[0] == '\'' || rest.rfind("\xE2\x80\x99", 0) == 0))
    ++found.i_words;
  if (lower(word).rfind("you", 0) == 0) ++found.you_words;
  found.words.emplace_back(word);
}

}  // namespace

std::string SurfaceText::opening(std::size_t n) const {
  std::string text;
  for (std::size_t i = 0; i < std::min(n, words.size()); ++i) text += (i > 0 ? " " : "") + lower(words[i]);
  return text;
}

SurfaceText surface_text(std::string_view text) {
  SurfaceText found;
  bool after_end = false;  // the mark before also ended a sentence
  for (std::size_t i = 0; i < text.size();) {
    const Letter letter = letter_at(text, i);
    const std::size_t start = i;
    i += letter.bytes;
    if (class_of(letter.code) == Class::word) {
      while (i < text.size()) {
        Letter next = letter_at(text, i);
        std::size_t step = next.bytes;
        if (apostrophe(next.code) && i + step < text.size()) {
          next = letter_at(text, i + step);
          step += next.bytes;
        }
        if (class_of(next.code) != Class::word) break;
        i += step;
      }
      add_word(found, text.substr(start, i - start));
      after_end = false;
    } else if (class_of(letter.code) == Class::mark) {
      ++found.tokens;
      found.commas += letter.code == ',' ? 1 : 0;
      found.questions += letter.code == '?' ? 1 : 0;
      found.exclamations += letter.code == '!' ? 1 : 0;
      const bool end =
          letter.code == '.' || letter.code == '?' || letter.code == '!' || letter.code == kEllipsis;
      found.sentences += end && !after_end ? 1 : 0;
      after_end = end;
    } else {
      after_end = false;
    }
  }
  return found;
}

}  // namespace sonder::store::detail
