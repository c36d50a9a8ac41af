#include "text/words.h"

#include <unicode/brkiter.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utext.h>

#include "base/error.h"
#include "text/detail/latin.h"

namespace sonder::text {
namespace {

void check(UErrorCode code, const char* what) {
  if (U_FAILURE(code))
    throw Error(ErrorKind::engine, std::string("ICU could not ") + what + ": " + u_errorName(code));
}

// A text as ICU's break iterators read it: UTF-8, offsets in bytes.
class Utf8 {
 public:
  explicit Utf8(std::string_view text) {
    UErrorCode code = U_ZERO_ERROR;
    text_ = utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &code);
    check(code, "read a text");
  }
  ~Utf8() { utext_close(text_); }
  Utf8(const Utf8&) = delete;
  Utf8& operator=(const Utf8&) = delete;
  UText* get() { return text_; }

 private:
  UText* text_ = nullptr;
};

icu::UnicodeString from_utf8(std::string_view text) {
  return icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
}

const icu::Normalizer2& nfc() {
  UErrorCode code = U_ZERO_ERROR;
  const icu::Normalizer2* form = icu::Normalizer2::getNFCInstance(code);
  check(code, "load its normal forms");
  return *form;
}

void append_folded(std::string_view word, std::string& out) {
  UErrorCode code = U_ZERO_ERROR;
  icu::UnicodeString folded = from_utf8(word);
  folded.toLower(icu::Locale::getRoot());
  folded = nfc().normalize(folded, code);
  check(code, "normalise a word");
  folded.findAndReplace(icu::UnicodeString(static_cast<char16_t>(0x2019)), icu::UnicodeString(u'\''));
  folded.findAndReplace(icu::UnicodeString(static_cast<char16_t>(0x2018)), icu::UnicodeString(u'\''));
  folded.toUTF8String(out);
}

// A segment ICU calls a word may still be marks alone, such as "_".
bool has_letters(std::string_view bytes) {
  const icu::UnicodeString letters = from_utf8(bytes);
  for (std::int32_t i = 0; i < letters.length(); i = letters.moveIndex32(i, 1))
    if (u_isalnum(letters.char32At(i))) return true;
  return false;
}

Gap raised_by(Gap gap, std::string_view bytes) {
  const icu::UnicodeString letters = from_utf8(bytes);
  for (std::int32_t i = 0; i < letters.length(); i = letters.moveIndex32(i, 1))
    gap = detail::raised(gap, static_cast<char32_t>(letters.char32At(i)));
  return gap;
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// ICU's releases differ on whether @ and : join letters. Here they part words: ICU reads a space in their
// place.
std::string without_joiners(std::string_view text) {
  std::string plain(text);
  for (char& c : plain)
    if (c == '@' || c == ':') c = ' ';
  return plain;
}

constexpr std::size_t kMostBytes = 1U << 30;  // ICU counts in 32 bits

}  // namespace

struct Splitter::Parts {
  Words words;
  std::unique_ptr<icu::BreakIterator> breaks;  // made when a text first needs it
};

Splitter::Splitter() : parts_(std::make_unique<Parts>()) {}
Splitter::~Splitter() = default;
Splitter::Splitter(Splitter&&) noexcept = default;
Splitter& Splitter::operator=(Splitter&&) noexcept = default;

const Words& Splitter::split(std::string_view text) {
  Words& words = parts_->words;
  words.list.clear();
  words.folded.clear();
  return detail::split_latin(text, words) ? words : split_by_icu(text);
}

const Words& Splitter::split_by_icu(std::string_view text) {
  require(text.size() <= kMostBytes, "a text is at most one gigabyte long");
  Words& words = parts_->words;
  words.list.clear();
  words.folded.clear();
  UErrorCode code = U_ZERO_ERROR;
  if (!parts_->breaks) {
    parts_->breaks.reset(icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), code));
    check(code, "load its word boundaries");
  }
  const std::string plain = without_joiners(text);
  Utf8 source(plain);
  icu::BreakIterator& breaks = *parts_->breaks;
  breaks.setText(source.get(), code);
  check(code, "read a text");
  Gap gap = Gap::sentence;
  std::int32_t from = breaks.first();
  for (std::int32_t to = breaks.next(); to != icu::BreakIterator::DONE; from = to, to = breaks.next()) {
    const auto begin = static_cast<std::size_t>(from);
    const std::string_view segment = text.substr(begin, static_cast<std::size_t>(to) - begin);
    if (breaks.getRuleStatus() == UBRK_WORD_NONE || !has_letters(segment)) {
      gap = raised_by(gap, segment);
      continue;
    }
    Word word{{begin, static_cast<std::size_t>(to)}, {words.folded.size(), 0}, gap};
    append_folded(segment, words.folded);
    word.letters.end = words.folded.size();
    words.list.push_back(word);
    gap = Gap::space;
  }
  words.end = words.list.empty() ? Gap::space : gap;
  return words;
}

std::vector<Span> sentences(std::string_view text) {
  require(text.size() <= kMostBytes, "a text is at most one gigabyte long");
  UErrorCode code = U_ZERO_ERROR;
  const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createSentenceInstance(icu::Locale::getRoot(), code));
  check(code, "load its sentence boundaries");
  Utf8 source(text);
  breaks->setText(source.get(), code);
  check(code, "read a text");
  std::vector<Span> out;
  std::int32_t from = breaks->first();
  for (std::int32_t to = breaks->next(); to != icu::BreakIterator::DONE; from = to, to = breaks->next()) {
    Span span{static_cast<std::size_t>(from), static_cast<std::size_t>(to)};
    while (span.begin < span.end && is_space(text[span.begin])) ++span.begin;
    while (span.end > span.begin && is_space(text[span.end - 1])) --span.end;
    if (span.begin < span.end) out.push_back(span);
  }
  return out;
}

std::string normalise(std::string_view text) {
  require(text.size() <= kMostBytes, "a text is at most one gigabyte long");
  UErrorCode code = U_ZERO_ERROR;
  const icu::UnicodeString normal = nfc().normalize(from_utf8(text), code);
  check(code, "normalise a text");
  std::string out;
  normal.toUTF8String(out);
  return out;
}

}  // namespace sonder::text
