// A list of estimates for a terminal or a program. Nothing is computed here.
#pragma once

#include <span>
#include <string>

#include "stats/families.h"

namespace sonder::report {

// Value, 95 % and 90 % interval, p, units; remarks below. What could not be estimated says why. `head`: one
// line above. width: columns.
std::string estimates_text(const std::string& head, std::span<const stats::Line> lines, int width);

// {"test": …, "estimates": [{"name", "value", "lo95", "hi95", "lo90", "hi90", "p", "n_units", "status",
// "warnings"}]}; a value that does not exist is null. Ends with a line break.
std::string estimates_json(const std::string& test, std::span<const stats::Line> lines);

}  // namespace sonder::report
