// What a terminal shows at the end of a run.
#pragma once

#include <string>

#include "study/findings.h"

namespace sonder::report {

// The verdict, a small table of its coordinates, which instruments may speak, and the main shifts with their
// 95 % intervals. width: columns; below 40 counts as 40. `page`: where the page was written; empty: not said.
// Plain UTF-8 without colour; ends with a line break.
std::string text_summary(const study::Findings& findings, int width, const std::string& page = "");

}  // namespace sonder::report
