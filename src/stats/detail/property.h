// For tests only: properties of random inputs, a thousand each, from one seed; a failure is shrunk and
// printed.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "stats/estimate.h"

namespace sonder::stats::detail {

// The same inputs in every run; RC_PARAMS in the environment wins (another seed, more of them).
inline const bool kSeeded = setenv("RC_PARAMS", "seed=20261130 max_success=1000", 0) == 0;

template <class Property>
void holds(const std::string& what, Property&& property) {
  EXPECT_TRUE(rc::check(what, std::forward<Property>(property))) << what;
}

// Quarters from -10 to 10: ties are frequent and arithmetic is nearly exact.
inline rc::Gen<double> quarters() {
  return rc::gen::map(rc::gen::inRange(-40, 41), [](int k) { return k / 4.0; });
}
inline rc::Gen<std::vector<double>> quarters(std::size_t n) {
  return rc::gen::container<std::vector<double>>(n, quarters());
}
inline rc::Gen<std::vector<int>> labels(std::size_t n, int count) {
  return rc::gen::container<std::vector<int>>(n, rc::gen::inRange(0, count));
}

// What a file may hold at worst, and still be finite.
inline rc::Gen<double> wild() {
  return rc::gen::element(0.0, -0.0, 5e-324, -5e-324, 1e-310, 1e-160, -1e-160, .1, 1.0, -1.0, 3.0, 1e12,
                          1e12 + 1, 1e12 + 2, 1e16, -1e155, 1e155, 1e300, -1e300, 1.7e308, -1.7e308);
}
inline rc::Gen<double> rough() {  // the same without what cannot be squared
  return rc::gen::element(0.0, -0.0, 5e-324, -5e-324, 1e-310, .1, .2, .1 + .2, .3, 1.0, -1.0, 1e12, 1e12 + 1,
                          1e12 + 2);
}
inline rc::Gen<std::vector<double>> wild(std::size_t n) {
  return rc::gen::oneOf(rc::gen::container<std::vector<double>>(n, wild()),
                        rc::gen::container<std::vector<double>>(n, rough()));
}

inline std::string shown(const Estimate& e) {
  std::string text = "status " + std::to_string(static_cast<int>(e.status));
  for (const double number : {e.value, e.se, e.p, e.ci95.low, e.ci95.high, e.ci90.low, e.ci90.high}) {
    char digits[32];
    std::snprintf(digits, sizeof digits, " %.17g", number);
    text += digits;
  }
  for (const std::string& warning : e.warnings) text += "; " + warning;
  return text;
}

// Never NaN nor infinite, ends in order, a p that is one.
inline bool sound(const Estimate& e) {
  bool fine = e.ci95.low <= e.ci95.high && e.ci90.low <= e.ci90.high && e.p > 0 && e.p <= 1 && e.se >= 0 &&
              (e.status == Status::ok || !e.warnings.empty());
  for (const double number : {e.value, e.se, e.p, e.ci95.low, e.ci95.high, e.ci90.low, e.ci90.high})
    fine = fine && std::isfinite(number);
  if (!fine) RC_LOG() << shown(e) << std::endl;
  return fine;
}

inline bool close(double a, double b, double tolerance = 1e-9) {
  return std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

// Status and numbers alike; p to 1e-6, since it may come from a tail.
inline bool same(const Estimate& a, const Estimate& b, double tolerance = 1e-9) {
  return a.status == b.status && close(a.value, b.value, tolerance) && close(a.se, b.se, tolerance) &&
         close(a.p, b.p, 1e-6);
}

inline std::size_t size_between(int low, int high) {  // both included
  return static_cast<std::size_t>(*rc::gen::inRange(low, high + 1));
}

}  // namespace sonder::stats::detail
