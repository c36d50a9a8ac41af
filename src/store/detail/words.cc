#include "store/detail/words.h"

#include <algorithm>

namespace sonder::store::detail {
namespace {

constexpr std::size_t kLongestWord = 40;

unsigned char at(std::string_view bytes, std::size_t i) { return static_cast<unsigned char>(bytes[i]); }

// Length of the well-formed sequence at i, 0 when there is none.
std::size_t sequence_at(std::string_view bytes, std::size_t i) {
  const unsigned char lead = at(bytes, i);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (i + length > bytes.size()) return 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  for (std::size_t k = 1; k < length; ++k, low = 0x80, high = 0xBF) {
    if (at(bytes, i + k) < low || at(bytes, i + k) > high) return 0;
  }
  return length;
}

bool identifier(std::string_view word) {
  if (word.empty() || word.size() > kLongestWord) return false;
  return std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '+';
  });
}

}  // namespace

std::optional<std::size_t> find_invalid_utf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = sequence_at(bytes, i);
    if (length == 0) return i;
    i += length;
  }
  return std::nullopt;
}

std::optional<std::size_t> find_control(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const unsigned char c = at(bytes, i);
    if (c == 0x7F || (c < 0x20 && c != '\t' && c != '\n' && c != '\r')) return i;
  }
  return std::nullopt;
}

std::string in_quotes(std::string_view word) {
  if (identifier(word)) return "'" + std::string(word) + "'";
  return word.empty() ? "an empty text" : "a text of " + std::to_string(word.size()) + " bytes";
}

std::string joined(std::span<const std::string> words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " " + std::string(last) + " " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace sonder::store::detail
