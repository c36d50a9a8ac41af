// What a long call tells while it works. Whoever wants to show it hands one in; the library never prints.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace sonder {

// `step`: what is being done, in plain words. `unit`: what is counted ("cells", "texts", "MB").
struct Progress {
  std::string step;
  std::string unit;
  std::int64_t done = 0;
  std::int64_t total = 0;
};

using OnProgress = std::function<void(const Progress&)>;  // may be empty

}  // namespace sonder
