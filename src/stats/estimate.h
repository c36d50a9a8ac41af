// What every estimator returns: a value, its interval, how it went. Never NaN.
#pragma once

#include <string>
#include <vector>

namespace sonder::stats {

enum class Status {
  ok,
  undefined,  // the estimate does not exist on these data; `warnings` says why
  refused,    // too few units for this method
  unbounded,  // a value exists, its interval does not (Fieller g >= 1)
  flagged,    // usable, but read `warnings`
};

struct Interval {
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

// When not usable(), both intervals span the whole scale, so that no threshold is passed by accident.
struct Estimate {
  double value = 0;
  Interval ci95;
  Interval ci90;
  double se = 0;
  double p = 1;  // two-sided against 0 unless the function says otherwise
  Status status = Status::ok;
  int n_units = 0;  // clusters (scenarios)
  std::vector<std::string> warnings;
  bool usable() const { return status == Status::ok || status == Status::flagged; }
};

}  // namespace sonder::stats
