// A table of numbers. The layout of every table in the house, stated once:
// [n × d], row-major: element (i, j) is data[i * d + j].
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/error.h"

namespace sonder {

template <class T>
struct Table {
  std::size_t n = 0;    // rows
  std::size_t d = 0;    // columns
  std::vector<T> data;  // [n × d]

  Table() = default;
  Table(std::size_t rows, std::size_t columns) : n(rows), d(columns), data(rows * columns) {}

  std::span<T> row(std::size_t i) { return std::span<T>(data).subspan(i * d, d); }
  std::span<const T> row(std::size_t i) const { return std::span<const T>(data).subspan(i * d, d); }
  void append(std::span<const T> values) {
    if (n == 0 && d == 0) d = values.size();
    require(values.size() == d, "every row of a table has the same length");
    data.resize(data.size() + d);
    std::copy(values.begin(), values.end(), data.end() - static_cast<std::ptrdiff_t>(d));
    ++n;
  }
  bool operator==(const Table&) const = default;
};

using Rows = Table<float>;      // what a model gives: residuals, embeddings
using Numbers = Table<double>;  // what statistics use

}  // namespace sonder
