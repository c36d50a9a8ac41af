// For tests only: how often a 95 % interval holds the truth. Prints one row of docs/coverage.md.
#pragma once

#include <functional>
#include <string>

#include "base/seed.h"
#include "stats/estimate.h"

namespace sonder::stats::detail {

enum class Kind { exact, conservative };

// One trial draws data from the stream and gives the interval and, where it varies, the truth.
struct Trial {
  Interval interval;
  double truth = 0;
};

void covers(const std::string& name, int n_runs, const std::function<Trial(Stream&, Seed)>& trial,
            Kind kind = Kind::exact);

}  // namespace sonder::stats::detail
