// A study's findings as one self-contained HTML page. Nothing is computed here: the page shows what was
// found.
#pragma once

#include <string>

#include "study/findings.h"

namespace sonder::report {

// The whole page: style, charts and data inside, no connection out (its content security policy refuses one).
// The verdict, its coordinates and what they mean are plain HTML; charts, tables and replies need JavaScript.
// Replies are stored compressed and drawn one scenario at a time, so that 100,000 of them open in a second or
// two.
std::string page(const study::Findings& findings);

}  // namespace sonder::report
