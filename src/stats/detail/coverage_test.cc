#include "stats/detail/coverage.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

namespace sonder::stats::detail {

void covers(const std::string& name, int n_runs, const std::function<Trial(Stream&, Seed)>& trial,
            Kind kind) {
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
