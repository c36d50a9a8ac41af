// The table of the plan's keys: the one place where a key gets its name, range and help.
#pragma once

#include <vector>

#include "store/detail/form.h"
#include "store/plan.h"

namespace sonder::store::detail {

constexpr int kPlanFormat = 1;

// `format` receives the value of the key `sonder`.
std::vector<Field> fields(Plan& plan, int& format);

}  // namespace sonder::store::detail
