// Numbers as people read them. Only the look: rounding for display, a true minus sign, an interval in
// brackets.
#pragma once

#include <string>

#include "study/findings.h"

namespace sonder::report::detail {

std::string number(double value, int decimals);         // "0.23", "−0.04"; never "−0.00"
std::string signed_number(double value, int decimals);  // "+0.23"

// "0.87 [0.80, 0.93]" with the 95 % interval, or "missing: reason".
std::string with_interval(const study::Figure& figure, int decimals);
std::string with_signed_interval(const study::Figure& figure, int decimals);

}  // namespace sonder::report::detail
