#include "report/estimates.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "report/detail/columns.h"
#include "report/detail/numbers.h"

namespace sonder::report {
namespace {

using stats::Estimate;
using stats::Status;

const char* word(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::undefined:
      return "undefined";
    case Status::refused:
      return "refused";
    case Status::unbounded:
      return "unbounded";
    case Status::flagged:
      return "flagged";
  }
  return "undefined";
}

// Three decimals for what lies near one; four significant digits for the very small and the large.
std::string readable(double value) {
  const double size = std::abs(value);
  if (size == 0 || (size >= .0095 && size < 1000)) return detail::number(value, 3);
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.4g", value);
  std::string text(digits);
  return text[0] == '-' ? "−" + text.substr(1) : text;
}

std::string interval(const stats::Interval& i) {
  return "[" + readable(i.low) + ", " + readable(i.high) + "]";
}

std::string p_text(double p) { return p < .001 ? "<.001" : detail::number(p, 3).substr(p < 1 ? 1 : 0); }

bool has_value(const Estimate& e) { return e.usable() || e.status == Status::unbounded; }

std::string remark(const stats::Line& line) {
  std::string out;
  for (const std::string& warning : line.estimate.warnings) out += (out.empty() ? "" : "; ") + warning;
  if (out.empty() && !line.estimate.usable()) out = word(line.estimate.status);
  return out;
}

}  // namespace

std::string estimates_text(const std::string& head, std::span<const stats::Line> lines, int width) {
  const auto columns = static_cast<std::size_t>(std::max(width, 40));
  std::vector<std::vector<std::string>> rows = {
      {"", "value", "95 % interval", "90 % interval", "p", "units"}};
  std::string remarks;
  for (const stats::Line& line : lines) {
    const Estimate& e = line.estimate;
    const bool interval_stands = line.has_interval && e.usable();
    rows.push_back({line.name, has_value(e) ? readable(e.value) : "–",
                    interval_stands ? interval(e.ci95) : "–", interval_stands ? interval(e.ci90) : "–",
                    interval_stands ? p_text(e.p) : "–", std::to_string(e.n_units)});
    if (const std::string why = remark(line); !why.empty())
      remarks += detail::wrap(line.name + ": " + why, columns, 2, 2);
  }
  return "\n" + detail::wrap(head, columns, 2) + "\n" + detail::aligned(rows, columns) +
         (remarks.empty() ? "" : "\n" + remarks);
}

std::string estimates_json(const std::string& test, std::span<const stats::Line> lines) {
  nlohmann::ordered_json out = {{"test", test}, {"estimates", nlohmann::ordered_json::array()}};
  for (const stats::Line& line : lines) {
    const Estimate& e = line.estimate;
    const bool interval_stands = line.has_interval && e.usable();
    const auto when = [](bool stands, double value) {
      return stands ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
    };
    out["estimates"].push_back({{"name", line.name},
                                {"value", when(has_value(e), e.value)},
                                {"lo95", when(interval_stands, e.ci95.low)},
                                {"hi95", when(interval_stands, e.ci95.high)},
                                {"lo90", when(interval_stands, e.ci90.low)},
                                {"hi90", when(interval_stands, e.ci90.high)},
                                {"p", when(interval_stands, e.p)},
                                {"n_units", e.n_units},
                                {"status", word(e.status)},
                                {"warnings", e.warnings}});
  }
  return out.dump(2) + "\n";
}

}  // namespace sonder::report
