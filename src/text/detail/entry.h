// One line of a word list, spelled out. Private to the room.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sonder::text::detail {

// The forms of a regular verb: base, -s, -ed, -ing.
std::vector<std::string> verb_forms(const std::string& base);
std::vector<std::string> noun_forms(const std::string& base);
std::vector<std::string> adjective_forms(const std::string& base);  // sad, sadly, sadness

// Throws Error(bad_input) "`where`: `promise`" when it was not kept.
void demand(bool kept, const std::string& where, std::string_view promise);

// Every sequence of words that a pattern such as "(i|we) ache/v with _" stands for; "^" stays on the first
// word,
// "_" stays as it is. Throws Error(bad_input), naming `where`, when a bracket is open or there are too many.
std::vector<std::vector<std::string>> spelled_out(std::string_view pattern, const std::string& where);

}  // namespace sonder::text::detail
