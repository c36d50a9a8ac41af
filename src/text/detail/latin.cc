#include "text/detail/latin.h"

#include <unicode/uchar.h>

#include <array>

namespace sonder::text::detail {
namespace {

constexpr char32_t kEnd = 0x250;  // the table covers letters below this
constexpr char32_t kCurly = 0x2019;

// Word_Break classes of UAX 29, as far as they occur here.
enum class Kind : std::uint8_t { other, letter, digit, joiner, mid_letter, mid_number, mid_both, foreign };

struct Entry {
  Kind kind = Kind::other;
  std::uint16_t lower = 0;
};

Kind kind_of(UChar32 c) {
  switch (u_getIntPropertyValue(c, UCHAR_WORD_BREAK)) {
    case U_WB_ALETTER:
      return Kind::letter;
    case U_WB_NUMERIC:
      return Kind::digit;
    case U_WB_EXTENDNUMLET:
      return Kind::joiner;
    case U_WB_MIDLETTER:
      return Kind::mid_letter;
    case U_WB_MIDNUM:
      return Kind::mid_number;
    case U_WB_MIDNUMLET:
    case U_WB_SINGLE_QUOTE:
      return Kind::mid_both;
    case U_WB_FORMAT:
    case U_WB_EXTEND:
    case U_WB_ZWJ:
      return Kind::foreign;
    default:
      return Kind::other;
  }
}

std::array<Entry, kEnd> make_table() {
  std::array<Entry, kEnd> table;
  for (UChar32 c = 0; c < static_cast<UChar32>(kEnd); ++c) {
    Entry& e = table[static_cast<std::size_t>(c)];
    e.kind = c == ':' || c == '@' ? Kind::other : kind_of(c);  // they part words: words.cc says why
    e.lower = static_cast<std::uint16_t>(u_tolower(c));
    // Capitals whose small form is longer or leaves the table, and letters that are not in NFC by themselves.
    if (c == 0x130 || e.lower >= kEnd) e.kind = Kind::foreign;
  }
  return table;
}

class Alphabet {
 public:
  Alphabet() : table_(make_table()) {}
  const Entry& operator[](char32_t c) const {
    if (c < kEnd) return table_[c];
    if (c == kCurly || c == 0x2018) return apostrophe_;
    if ((c >= 0x2010 && c <= 0x2015) || (c >= 0x201A && c <= 0x2022) || c == 0x2026 || c == 0x20AC)
      return mark_;
    return foreign_;
  }

 private:
  std::array<Entry, kEnd> table_;
  Entry apostrophe_{Kind::mid_both, '\''};
  Entry mark_{Kind::other, 0};
  Entry foreign_{Kind::foreign, 0};
};

const Alphabet& alphabet() {
  static const Alphabet kAlphabet;
  return kAlphabet;
}

// One letter of at most three bytes. `n` 0: not UTF-8, or longer.
struct Letter {
  char32_t c = 0;
  std::size_t n = 0;
};

Letter letter_at(std::string_view text, std::size_t i) {
  if (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80)
    return {static_cast<unsigned char>(text[i]), 1};
  const auto byte = [&](std::size_t k) {
    return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U;
  };
  const unsigned b0 = byte(0);
  if (b0 < 0x80) return {b0, 1};
  const unsigned b1 = byte(1);
  if ((b1 & 0xC0U) != 0x80U) return {};
  if (b0 >= 0xC2 && b0 < 0xE0) return {((b0 & 0x1FU) << 6) | (b1 & 0x3FU), 2};
  const unsigned b2 = byte(2);
  if (b0 != 0xE2 || (b2 & 0xC0U) != 0x80U) return {};
  return {((b0 & 0x0FU) << 12) | ((b1 & 0x3FU) << 6) | (b2 & 0x3FU), 3};
}

void append_lower(const Entry& e, std::string& out) {
  if (e.lower < 0x80) {
    out.push_back(static_cast<char>(e.lower));
  } else {
    out.push_back(static_cast<char>(0xC0 | (e.lower >> 6)));
    out.push_back(static_cast<char>(0x80 | (e.lower & 0x3F)));
  }
}

// May `next` follow a mark of kind `mid` that follows `last`? UAX 29 rules WB6, WB7, WB11, WB12.
bool joins(Kind last, Kind mid, Kind next) {
  if (last == Kind::letter && next == Kind::letter) return mid == Kind::mid_letter || mid == Kind::mid_both;
  if (last == Kind::digit && next == Kind::digit) return mid == Kind::mid_number || mid == Kind::mid_both;
  return false;
}

bool is_core(Kind kind) { return kind == Kind::letter || kind == Kind::digit || kind == Kind::joiner; }

}  // namespace

Gap raised(Gap gap, char32_t c) {
  Gap mark = Gap::space;
  switch (c) {
    case '?':
    case 0xFF1F:
    case 0x61F:
      return Gap::question;
    case '.':
    case '!':
    case '\n':
    case 0x2026:
    case 0x3002:
    case 0xFF01:
      mark = Gap::sentence;
      break;
    case ',':
    case ';':
    case ':':
    case '(':
    case ')':
    case 0x2013:
    case 0x2014:
    case 0x3001:
    case 0xFF0C:
      mark = Gap::clause;
      break;
    default:
      return gap;
  }
  return gap < mark ? mark : gap;
}

bool split_latin(std::string_view text, Words& out) {
  const Alphabet& letters = alphabet();
  Gap gap = Gap::sentence;
  std::size_t i = 0;
  while (i < text.size()) {
    Letter at = letter_at(text, i);
    const Entry* e = &letters[at.c];
    if (at.n == 0 || e->kind == Kind::foreign) return false;
    if (!is_core(e->kind)) {
      gap = raised(gap, at.c);
      i += at.n;
      continue;
    }
    Word word{{i, i}, {out.folded.size(), 0}, gap};
    Kind last = Kind::other;
    bool has_core = false;  // "_" alone is no word
    while (true) {
      append_lower(*e, out.folded);
      last = e->kind;
      has_core = has_core || last != Kind::joiner;
      i += at.n;
      at = letter_at(text, i);
      if (i >= text.size()) break;
      e = &letters[at.c];
      if (at.n == 0 || e->kind == Kind::foreign) return false;
      if (is_core(e->kind)) continue;
      const Letter after = i + at.n < text.size() ? letter_at(text, i + at.n) : Letter{' ', 1};
      const Entry& next = letters[after.c];
      if (after.n == 0 || next.kind == Kind::foreign) return false;
      if (!joins(last, e->kind, next.kind)) break;
    }
    word.bytes.end = i;
    word.letters.end = out.folded.size();
    if (!has_core) {
      out.folded.resize(word.letters.begin);
      continue;
    }
    out.list.push_back(word);
    gap = Gap::space;
  }
  out.end = out.list.empty() ? Gap::space : gap;
  return true;
}

}  // namespace sonder::text::detail
