#include "store/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unordered_map>

#include "base/nearest.h"
#include "store/detail/words.h"
#include "store/problem.h"

namespace sonder::store {
namespace {

constexpr std::uintmax_t kMostBytes = 256U << 20U;
constexpr std::size_t kMostProblems = 10;

[[noreturn]] void refuse(const std::string& file, int line, int column, const std::string& message) {
  throw BadInput({{file, line, column, message}});
}

// The place of a byte, both 1-based.
std::pair<int, int> place(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t start = before.rfind('\n');
  return {line, static_cast<int>(offset - (start == std::string_view::npos ? 0 : start + 1)) + 1};
}

void require_text(std::string_view text, const std::string& file) {
  if (const auto bad = detail::find_invalid_utf8(text)) {
    const auto [line, column] = place(text, *bad);
    refuse(file, line, column,
           "expected UTF-8; byte " + std::to_string(*bad) + " is not; save the file as UTF-8");
  }
  if (const auto bad = detail::find_control(text)) {
    const auto [line, column] = place(text, *bad);
    refuse(file, line, column, "expected text, found a control character; is this a CSV file?");
  }
}

// Reads record after record; knows where it stands.
class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}
  bool done() const { return at_ >= text_.size(); }
  int line() const { return line_; }

  // The cells of the next record; none of a blank line.
  std::vector<std::string> record() {
    std::vector<std::string> cells;
    if (newline()) return cells;
    for (;;) {
      cells.push_back(at_ < text_.size() && text_[at_] == '"' ? quoted() : plain());
      if (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
        continue;
      }
      if (!done() && !newline())
        refuse(file_, line_, column(), "expected a comma or the end of the line after a closing quote");
      return cells;
    }
  }

 private:
  int column() const {
    const std::size_t start = at_ == 0 ? std::string_view::npos : text_.rfind('\n', at_ - 1);
    return static_cast<int>(at_ - (start == std::string_view::npos ? 0 : start + 1)) + 1;
  }

  bool newline() {
    std::size_t next = at_;
    if (next < text_.size() && text_[next] == '\r') ++next;
    if (next >= text_.size() || text_[next] != '\n') {
      if (next != text_.size() || next == at_) return false;  // a lone CR at the very end counts as an end
    } else {
      ++next;
    }
    at_ = next;
    ++line_;
    return true;
  }

  std::string plain() {
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    const std::string_view cell = text_.substr(at_, end - at_);
    if (const std::size_t quote = cell.find('"'); quote != std::string_view::npos) {
      at_ += quote;
      refuse(file_, line_, column(),
             "a quote inside a cell: put the whole cell in quotes and double those inside");
    }
    at_ = end;
    return std::string(cell);
  }

  std::string quoted() {
    const int began = line_;
    const int began_column = column();
    std::string cell;
    ++at_;
    for (;;) {
      const std::size_t quote = text_.find('"', at_);
      if (quote == std::string_view::npos) refuse(file_, began, began_column, "this quote is never closed");
      const std::string_view part = text_.substr(at_, quote - at_);
      cell += part;
      line_ += static_cast<int>(std::count(part.begin(), part.end(), '\n'));
      at_ = quote + 1;
      if (at_ >= text_.size() || text_[at_] != '"') return cell;
      cell += '"';
      ++at_;
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1;
};

std::string_view trimmed(std::string_view cell) {
  const std::size_t first = cell.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return cell.substr(first, cell.find_last_not_of(" \t") - first + 1);
}

// Whole cell a finite decimal number.
std::optional<double> number_in(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool absent(std::string_view cell) { return cell.empty() || cell == "NA"; }

void require_columns(const std::vector<std::string>& columns, const std::string& file) {
  std::vector<std::string> sorted = columns;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i].empty()) refuse(file, 1, 0, "a column has no name");
    if (i > 0 && sorted[i] == sorted[i - 1])
      refuse(file, 1, 0, "two columns are both named " + detail::in_quotes(sorted[i]));
  }
}

}  // namespace

Csv parse_csv(std::string_view text, const std::string& file_name) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  require_text(text, file_name);
  Csv csv;
  csv.file_ = file_name;
  Reader reader(text, file_name);
  while (!reader.done()) {
    const int line = reader.line();
    std::vector<std::string> cells = reader.record();
    if (cells.empty()) continue;
    if (csv.columns_.empty()) {
      for (std::string& cell : cells) csv.columns_.emplace_back(trimmed(cell));
      require_columns(csv.columns_, file_name);
      continue;
    }
    if (cells.size() != csv.columns_.size())
      refuse(file_name, line, 0,
             "expected " + std::to_string(csv.columns_.size()) + " cells as in the first line, found " +
                 std::to_string(cells.size()));
    csv.lines_.push_back(line);
    std::move(cells.begin(), cells.end(), std::back_inserter(csv.cells_));
  }
  if (csv.lines_.empty())
    refuse(file_name, 0, 0, "expected a line of column names and at least one row, found no row");
  return csv;
}

Csv read_csv(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw Error(ErrorKind::io, "'" + path + "' cannot be read: " + error.message());
  if (size > kMostBytes)
    refuse(path, 0, 0, "expected at most 256 MB, found " + std::to_string(size) + " bytes");
  std::ifstream file(path, std::ios::binary);
  std::string text(size, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(size)))
    throw Error(ErrorKind::io, "'" + path + "' could not be read whole");
  return parse_csv(text, path);
}

std::size_t Csv::index_of(const std::string& column) const {
  const auto at = std::find(columns_.begin(), columns_.end(), column);
  if (at != columns_.end()) return static_cast<std::size_t>(at - columns_.begin());
  const auto meant = nearest(column, columns_);
  std::vector<std::string> known;
  for (const std::string& name : columns_) known.push_back(detail::in_quotes(name));
  refuse(file_, 1, 0,
         "there is no column " + detail::in_quotes(column) +
             (meant ? "; did you mean " + detail::in_quotes(*meant) + "?" : "") + " There are " +
             detail::joined(known, "and"));
}

std::vector<std::optional<double>> Csv::numbers(const std::string& column) const {
  const std::size_t c = index_of(column);
  std::vector<std::optional<double>> out(n_rows());
  std::vector<Problem> problems;
  for (std::size_t r = 0; r < n_rows() && problems.size() < kMostProblems; ++r) {
    const std::string_view text = trimmed(cell(r, c));
    if (absent(text)) continue;
    out[r] = number_in(text);
    if (!out[r])
      problems.push_back({file_, lines_[r], 0,
                          "column " + detail::in_quotes(column) +
                              ": expected a finite number such as 0.25, found a text of " +
                              std::to_string(text.size()) + " bytes"});
  }
  if (!problems.empty()) throw BadInput(problems);
  return out;
}

std::vector<double> Csv::complete(const std::string& column) const {
  std::vector<double> out;
  out.reserve(n_rows());
  const auto values = numbers(column);
  for (std::size_t r = 0; r < values.size(); ++r) {
    if (!values[r])
      refuse(file_, lines_[r], 0,
             "column " + detail::in_quotes(column) +
                 ": expected a number, found none; this test needs every row");
    out.push_back(*values[r]);
  }
  return out;
}

Csv::Labels Csv::labels(const std::string& column) const {
  const std::size_t c = index_of(column);
  Labels out;
  std::unordered_map<std::string, int> known;
  for (std::size_t r = 0; r < n_rows(); ++r) {
    const std::string label(trimmed(cell(r, c)));
    if (label.empty())
      refuse(file_, lines_[r], 0,
             "column " + detail::in_quotes(column) + ": expected a label, found nothing");
    const auto [at, fresh] = known.try_emplace(label, static_cast<int>(known.size()));
    if (fresh) out.names.push_back(label);
    out.of_row.push_back(at->second);
  }
  return out;
}

}  // namespace sonder::store
