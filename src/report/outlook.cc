#include "report/outlook.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/detail/columns.h"
#include "report/detail/embedded.h"
#include "report/detail/encode.h"
#include "report/detail/numbers.h"
#include "report/detail/stack.h"

namespace sonder::report {
namespace {

using Rows = std::vector<std::vector<std::string>>;
using detail::number;

// The words in the order of what is known; CONTROLS-level: PARTIAL with the interval above tau, which a
// second family of instruments and the controls may make CONTROLS.
struct Column {
  const char* word;
  const char* head;  // on a terminal
};
constexpr Column kColumns[] = {
    {"UNMEASURABLE", "unmeas."}, {"INCONCLUSIVE", "inconcl."}, {"NO_EFFECT_EQUIVALENT", "no effect"},
    {"TRIVIAL", "trivial"},      {"PARTIAL", "partial"},       {"CONTROLS-level", "controls"},
    {"REVERSED", "reversed"}};

double share_of(const study::Operating& o, const std::string& word) {
  if (word == "PARTIAL") return o.partial();
  if (word == "CONTROLS-level") return o.controls_level;
  return o.of(word);
}

// ".82", "1.00"; a share that is not zero never looks like it.
std::string share_text(double share) {
  if (share <= 0) return "·";
  if (share < .005) return "<.01";
  const std::string text = number(share, 2);
  return text.starts_with("0.") ? text.substr(1) : text;
}

// A column that says the same in every row is said once, below; a word that is never said has no column.
std::string outlook_table(const Forecast& f, std::size_t width) {
  const study::Assumed& first = f.outlooks[0].assumed;
  const auto all = [&](auto&& same) { return std::all_of(f.outlooks.begin(), f.outlooks.end(), same); };
  const bool one_step = all([&](const auto& o) { return o.assumed.ladder_step == first.ladder_step; });
  const bool one_sd = all([&](const auto& o) { return o.assumed.effect_sd == first.effect_sd; });
  std::vector<Column> said;
  for (const Column& c : kColumns)
    if (!all([&](const auto& o) { return share_of(o.operating, c.word) <= 0; })) said.push_back(c);
  Rows rows = {{"n"}};
  if (!one_step) rows[0].emplace_back("step");
  if (!one_sd) rows[0].emplace_back("sd");
  rows[0].emplace_back("theta");
  for (const Column& c : said) rows[0].emplace_back(c.head);
  for (const study::Outlook& o : f.outlooks) {
    std::vector<std::string> row = {std::to_string(o.assumed.n_scenarios)};
    if (!one_step) row.push_back(number(o.assumed.ladder_step, 2));
    if (!one_sd) row.push_back(number(o.assumed.effect_sd, 2));
    row.push_back(number(o.assumed.theta, 2));
    for (const Column& c : said) row.push_back(share_text(share_of(o.operating, c.word)));
    rows.push_back(row);
  }
  return detail::aligned(rows, width);
}

// "0.10" where every row has the same, else what the column means.
template <class Of>
std::string once(const Forecast& f, Of&& of) {
  const double first = of(f.outlooks[0].assumed);
  for (const study::Outlook& o : f.outlooks)
    if (of(o.assumed) != first) return "";
  return " (here " + number(first, 2) + ")";
}

// What a row of the table of sizes shows, without its SD.
std::string needed_head(const study::Needed& n) {
  if (n.word == "NO_EFFECT_EQUIVALENT")
    return "no effect beyond ±" + number(n.bound, 2) + ", when there is none";
  if (n.word == "CONTROLS")
    return "controls (above " + number(n.bound, 2) + "), when the shift is " + number(n.theta, 2);
  return "some effect, when the shift is " + number(n.theta, 2);
}

// One row a claim, one column an SD.
Rows needed_rows(const Forecast& f) {
  Rows rows = {{"to show"}};
  for (const study::Needed& n : f.needed) {
    const std::string head = needed_head(n);
    if (rows.size() == 1 || rows.back()[0] != head) rows.push_back({head});
    if (rows.size() == 2) rows[0].push_back("SD " + number(n.sd, 2));
    rows.back().push_back(std::to_string(n.n));
  }
  if (!f.smallest.empty()) {
    rows.push_back({"smallest shift found by " + std::to_string(f.n_scenarios)});
    for (const auto& s : f.smallest) rows.back().push_back(number(s.mde, 2));
  }
  return rows;
}

std::string percent(double share) { return number(100 * share, 0) + " %"; }

std::string how_simulated(const Forecast& f) {
  return std::to_string(f.runs) + " simulated studies a row, seed " + std::to_string(f.seed) +
         "; one instrument, smallest shift worth claiming " + number(f.limits.delta, 2) + ", controls from " +
         number(f.limits.tau, 2) + ". A share has a standard error of at most " +
         number(.5 / std::sqrt(std::max(f.runs, 1)), 3) + ". n: scenarios; step" +
         once(f, [](const auto& a) { return a.ladder_step; }) +
         ": what the instrument sees between two levels of graded replies, 0 is blind; sd" +
         once(f, [](const auto& a) { return a.effect_sd; }) +
         ": of the scenarios' shifts; theta: the true shift. All in natural gaps.";
}

std::string html_table(const Rows& rows) {
  std::string out = "<div class=\"scroll\"><table><thead><tr>";
  for (const auto& cell : rows[0]) out += "<th scope=\"col\">" + detail::escape_html(cell) + "</th>";
  out += "</tr></thead><tbody>\n";
  for (std::size_t r = 1; r < rows.size(); ++r) {
    out += "<tr>";
    for (std::size_t c = 0; c < rows[r].size(); ++c)
      out += (c == 0 ? "<th scope=\"row\">" : "<td class=\"num\">") + detail::escape_html(rows[r][c]) +
             (c == 0 ? "</th>" : "</td>");
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

// Outlooks that differ in theta alone share a chart.
std::string charts(const Forecast& f) {
  std::string out;
  for (std::size_t i = 0; i < f.outlooks.size();) {
    const study::Assumed& first = f.outlooks[i].assumed;
    detail::Stack stack;
    stack.caption =
        std::to_string(first.n_scenarios) + " scenarios, " +
        (first.ladder_step == 0 ? std::string("a blind instrument")
                                : "an instrument that sees steps of " + number(first.ladder_step, 2)) +
        ", SD " + number(first.effect_sd, 2);
    for (; i < f.outlooks.size(); ++i) {
      study::Assumed same = f.outlooks[i].assumed;
      const double theta = same.theta;
      same.theta = first.theta;
      if (!(same == first)) break;
      detail::StackRow row{"theta " + number(theta, 2), {}};
      for (const Column& c : kColumns) row.shares.push_back(share_of(f.outlooks[i].operating, c.word));
      stack.rows.push_back(row);
    }
    out += detail::stack_svg(stack);
  }
  return out;
}

}  // namespace

std::string forecast_text(const Forecast& f, int width) {
  const auto columns = static_cast<std::size_t>(std::max(width, 40));
  const std::size_t reading = std::min<std::size_t>(columns, 88);
  std::string out = "\n" + detail::wrap(f.sentence, reading, 2) + "\n";
  if (!f.pilots.empty()) {
    Rows rows = {{"pilot: instrument", "facet", "arm", "SD of shifts", "scenarios"}};
    for (const study::Pilot& p : f.pilots)
      rows.push_back({p.instrument, p.facet, p.arm, number(p.sd, 2), std::to_string(p.n_scenarios)});
    out += detail::aligned(rows, columns) + "\n";
  }
  if (!f.needed.empty()) {
    out +=
        detail::wrap("Scenarios needed with power " + number(f.power, 2) +
                         ", by the SD of the scenarios' shifts (natural gaps); certificates and controls are "
                         "taken to hold:",
                     reading, 2);
    out += detail::aligned(needed_rows(f), columns) + "\n";
  }
  if (!f.outlooks.empty()) {
    out += outlook_table(f, columns) + "\n";
    out += detail::wrap(how_simulated(f), reading, 2);
  }
  return out;
}

std::string forecast_json(const Forecast& f) {
  nlohmann::ordered_json out = {{"title", f.title},        {"delta", f.limits.delta}, {"tau", f.limits.tau},
                                {"alpha", f.limits.alpha}, {"runs", f.runs},          {"seed", f.seed}};
  if (!f.needed.empty()) {
    out["n_scenarios"] = f.n_scenarios;
    out["power"] = f.power;
    for (const study::Needed& n : f.needed)
      out["needed"].push_back(
          {{"word", n.word}, {"theta", n.theta}, {"bound", n.bound}, {"sd", n.sd}, {"scenarios", n.n}});
    for (const auto& s : f.smallest) out["smallest"].push_back({{"sd", s.sd}, {"mde", s.mde}});
    for (const study::Pilot& p : f.pilots)
      out["pilot"].push_back({{"instrument", p.instrument},
                              {"facet", p.facet},
                              {"arm", p.arm},
                              {"sd", p.sd},
                              {"scenarios", p.n_scenarios}});
  }
  out["outlooks"] = nlohmann::ordered_json::array();
  for (const study::Outlook& o : f.outlooks) {
    nlohmann::ordered_json row = {{"scenarios", o.assumed.n_scenarios}, {"step", o.assumed.ladder_step},
                                  {"effect_sd", o.assumed.effect_sd},   {"gap_sd", o.assumed.gap_sd},
                                  {"ladder_sd", o.assumed.ladder_sd},   {"theta", o.assumed.theta}};
    for (const Column& c : kColumns) row["share"][c.word] = share_of(o.operating, c.word);
    out["outlooks"].push_back(std::move(row));
  }
  return out.dump(2) + "\n";
}

std::string forecast_page(const Forecast& f) {
  std::string body;
  if (!f.needed.empty())
    body += "<section><h2>Scenarios needed</h2><p class=\"prose\">With power " + percent(f.power) +
            ", by the SD of the scenarios’ shifts in natural gaps. Certificates and controls are taken to "
            "hold.</p>\n" +
            html_table(needed_rows(f)) + "</section>\n";
  std::vector<std::string> words;
  for (const Column& c : kColumns) words.emplace_back(c.word);
  if (!f.outlooks.empty())
    body += "<section><h2>What the verdict will probably be</h2><p class=\"prose\">" +
            detail::escape_html(how_simulated(f)) + "</p>\n" + detail::stack_key(words) +
            "<div class=\"grid\">" + charts(f) + "</div></section>\n";
  return detail::fill(embedded::forecast_html, {{"style", embedded::page_css},
                                                {"title", detail::escape_html(f.title)},
                                                {"sentence", detail::escape_html(f.sentence)},
                                                {"body", body}});
}

}  // namespace sonder::report
