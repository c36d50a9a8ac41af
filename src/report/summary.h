// What a terminal shows at the end of a run.
#pragma once

#include <string>

#include "study/findings.h"

namespace sonder::report {

// The verdict, a small table of coordinates, which instruments may speak, the main effects with their
// intervals. width: columns, at least 40. Plain UTF-8 without colour; ends with a line break.
std::string text_summary(const study::Findings& findings, int width);

}  // namespace sonder::report
