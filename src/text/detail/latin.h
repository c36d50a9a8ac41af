// The fast way for letters up to U+024F. Private to the room.
#pragma once

#include <string_view>

#include "text/words.h"

namespace sonder::text::detail {

// Appends the words of `text` to `out`, and returns true; or returns false, with `out` unspecified, when the
// text has a letter that needs ICU.
bool split_latin(std::string_view text, Words& out);

// Raises `gap` to what the mark `c` means.
Gap raised(Gap gap, char32_t c);

}  // namespace sonder::text::detail
