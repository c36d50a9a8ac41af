// The word lists of lists/, as cmake embeds them (tools/embed.py).
#pragma once

#include <string_view>

namespace sonder::embedded {

extern const std::string_view instrument_affective;
extern const std::string_view instrument_cognitive;

}  // namespace sonder::embedded
