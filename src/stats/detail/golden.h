// For tests only: how the golden numbers of methods.md 10 are compared. 1e-6 relative, unless the source
// shows fewer digits: then the test says so itself.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/rows.h"
#include "stats/estimate.h"

#define EXPECT_GOLDEN(found, golden) EXPECT_NEAR(found, golden, 1e-6 * std::abs(golden))

namespace sonder::stats::detail {

inline void expect_interval(Interval found, double low, double high) {
  EXPECT_GOLDEN(found.low, low);
  EXPECT_GOLDEN(found.high, high);
}

inline Numbers numbers(const std::vector<std::vector<double>>& rows) {
  Numbers table;
  for (const std::vector<double>& row : rows) table.append(row);
  return table;
}

}  // namespace sonder::stats::detail
