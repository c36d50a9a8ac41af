// A judge's words, read as a level from 0 to 5. Private to the room.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/measured.h"

namespace sonder::instrument::detail {

// Understands a bare number, JSON with or without fences and comments, a labelled number ("Rating: 4"), "4/5"
// and "4 out of 5"; what a model thinks aloud in <think> tags is skipped. Never guesses: Missing when there
// is no score, when there are different ones, when it is no whole number or beyond the scale, when the JSON
// is broken or the judge declines. A number that stands in the text without being called a score is none.
// Reasons are fixed sentences: nothing of the text is repeated.
Measured<int> level_in(std::string_view text);

}  // namespace sonder::instrument::detail
