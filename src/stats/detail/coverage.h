// For tests only: how often a 95 % interval holds the truth. Prints one row of docs/coverage.md.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
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

inline void covers(const std::string& name, int n_runs, const std::function<Trial(Stream&, Seed)>& trial,
                   Kind kind = Kind::exact) {
  int inside = 0;
  int below = 0;
  for (int run = 0; run < n_runs; ++run) {
    const Seed seed = Seed(20261130).child(name).child(static_cast<std::uint64_t>(run));
    Stream stream(seed.child("data"));
    const Trial found = trial(stream, seed.child("draws"));
    inside += found.interval.low <= found.truth && found.truth <= found.interval.high ? 1 : 0;
    below += found.truth < found.interval.low ? 1 : 0;
  }
  const double share = inside / double(n_runs);
  const double error = std::sqrt(share * (1 - share) / n_runs);
  std::printf("| %s | %d | %.4f | %.4f | %.3f / %.3f | %s |\n", name.c_str(), n_runs, share, error,
              below / double(n_runs), 1 - share - below / double(n_runs),
              kind == Kind::exact ? ".95 ± .015" : "at least .935");
  EXPECT_GE(share, .935) << name;
  if (kind == Kind::exact) {
    EXPECT_LE(share, .965) << name;
  }
}

}  // namespace sonder::stats::detail
