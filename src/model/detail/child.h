// Runs one program without a shell, and never leaves it behind.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/cancel.h"

namespace sonder::model::detail {

constexpr int kNoProgram = -1;

// Exit code of `argv`, or kNoProgram when argv[0] is not on the PATH; 128 + n when signal n ended it. The
// environment is ours plus `extra`. What it prints goes to the file `log`. `tick` is called about ten times a
// second. Throws Error(cancelled) after the program and everything it started were ended.
int run_child(const std::vector<std::string>& argv,
              const std::vector<std::pair<std::string, std::string>>& extra, const std::string& log,
              const std::function<void()>& tick, const Cancel& cancel);

}  // namespace sonder::model::detail
