// The word that was probably meant, for messages about a wrong one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sonder {

// Edits (insert, delete, replace, swap neighbours) that turn one word into the other.
std::size_t edit_distance(std::string_view from, std::string_view to);

// The known word that was probably meant: at most 2 edits, or a third of its length, whichever is more.
std::optional<std::string> nearest(std::string_view found, std::span<const std::string> known);

}  // namespace sonder
