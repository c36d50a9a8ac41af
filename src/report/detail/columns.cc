#include "report/detail/columns.h"

#include <algorithm>

namespace sonder::report::detail {
namespace {

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t taken = columns(text);
  return text + std::string(width > taken ? width - taken : 0, ' ');
}

std::string trimmed(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + "\n";
}

std::string blocks(const std::vector<std::vector<std::string>>& rows, std::size_t width) {
  std::size_t head = 0;
  for (std::size_t c = 1; c < rows[0].size(); ++c) head = std::max(head, columns(rows[0][c]));
  std::string out;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    out += wrap(rows[r][0], width, 2);
    for (std::size_t c = 1; c < rows[r].size(); ++c) {
      const std::string name = "    " + padded(rows[0][c], head) + "  ";
      const std::string cell = wrap(rows[r][c], width, columns(name));
      out += name + cell.substr(std::min(columns(name), cell.size()));
    }
  }
  return out;
}

}  // namespace

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent, std::size_t hang) {
  std::string out, line;
  const auto flush = [&] {
    if (columns(line) > 0) out += trimmed(line);
    line.assign(indent + hang, ' ');
  };
  line.assign(indent, ' ');
  bool is_fresh = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!is_fresh && columns(line) + 1 + columns(word) > width) {
      flush();
      is_fresh = true;
    }
    if (!is_fresh) line += ' ';
    line += word;
    is_fresh = false;
  }
  if (!is_fresh) flush();
  return out;
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t width) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c == widths.size()) widths.push_back(0);
      widths[c] = std::max(widths[c], columns(row[c]));
    }
  std::size_t all = 0;
  for (const std::size_t w : widths) all += w + 2;
  if (all > width && !rows.empty()) return blocks(rows, width);
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) line += "  " + padded(row[c], widths[c]);
    out += trimmed(line);
  }
  return out;
}

}  // namespace sonder::report::detail
