// A table of text as spreadsheets write it: RFC 4180, UTF-8 with or without a byte order mark, LF or CRLF.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rows.h"

namespace sonder::store {

// A table with named columns. Cells are texts until a test asks for numbers.
class Csv {
 public:
  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t n_rows() const { return lines_.size(); }

  // The numbers of a column, [n_rows]; nothing where a cell is empty or NA. Throws BadInput, naming the line
  // of every cell (the first ten) that is no finite number, or an unknown column with the nearest known.
  std::vector<std::optional<double>> numbers(const std::string& column) const;
  // The same where nothing may be absent.
  std::vector<double> complete(const std::string& column) const;
  // Each row's label as a number, 0, 1, … in the order of first appearance, and the labels. An empty cell is
  // an error.
  struct Labels {
    std::vector<int> of_row;  // [n_rows]
    std::vector<std::string> names;
  };
  Labels labels(const std::string& column) const;

 private:
  friend Csv parse_csv(std::string_view text, const std::string& file_name);
  std::size_t index_of(const std::string& column) const;
  const std::string& cell(std::size_t row, std::size_t column) const {
    return cells_[row * columns_.size() + column];
  }
  std::string file_;
  std::vector<std::string> columns_;
  std::vector<std::string> cells_;  // [n_rows × columns]
  std::vector<int> lines_;          // where each row begins
};

// The first record names the columns, each once. A record with another number of cells, an open quote, a byte
// that is not UTF-8, a control character, no row at all, or more than 256 MB: BadInput with line and column.
// Blank lines are skipped.
Csv read_csv(const std::string& path);
Csv parse_csv(std::string_view text, const std::string& file_name);

}  // namespace sonder::store
