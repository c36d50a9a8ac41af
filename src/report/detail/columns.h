// Text in columns, for terminals. A code point counts as one column: Sonder's own words hold no wide letters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sonder::report::detail {

// Columns that the text takes.
std::size_t columns(std::string_view text);

// `text` in lines of at most `width` columns, broken at spaces; every line begins with `indent` spaces, those
// after the first with `hang` more. A word longer than a line stands alone. Ends with a line break, unless
// text is empty.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent = 0, std::size_t hang = 0);

// Rows with aligned columns, two spaces apart, indented by two. rows[0] is the head. When they do not fit in
// `width`, each row is written as a block instead: its first cell, then "head  cell" lines.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t width);

}  // namespace sonder::report::detail
