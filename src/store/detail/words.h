// Small helpers of the readers: valid UTF-8, and what may be quoted in a message.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sonder::store::detail {

// Byte offset (0-based) of the first byte that is not well-formed UTF-8: overlong forms, surrogates and code
// points above U+10FFFF included. Source: the Unicode Standard, table 3-7.
std::optional<std::size_t> find_invalid_utf8(std::string_view bytes);

// Offset of the first control character (NUL among them) other than tab, line feed and carriage return.
std::optional<std::size_t> find_control(std::string_view bytes);

// 'word' when it looks like an identifier, else its size: a message never repeats a person's text.
std::string in_quotes(std::string_view word);

std::string joined(std::span<const std::string> words, std::string_view last = "or");  // "a, b or c"

}  // namespace sonder::store::detail
