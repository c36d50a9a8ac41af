// What the benchmarks share.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

struct Row {
  std::string name;
  double value;
  std::string unit;
  double goal;
  std::string better;  // "higher" or "lower"
  std::string remark;
  bool ok() const { return better == "higher" ? value >= goal : value <= goal; }
};

inline double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

// The store and report rooms at size. Needs no model; first, so that the peak of memory is theirs.
std::vector<Row> ledger();

// The stats room: each estimator, how it grows with its rows, and the same work by a Python package in the
// same run, where the environment variable SONDER_REFERENCE names a Python that has it
// (tools/reference/requirements.txt).
std::vector<Row> statistics();
