#include "report/gate.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/nearest.h"
#include "report/detail/encode.h"
#include "report/detail/requirement.h"

namespace sonder::report {
namespace {

using detail::Claim;
using detail::Compare;
using detail::refuse_at;
using detail::Requirement;
using detail::Step;
using Json = nlohmann::ordered_json;

constexpr std::size_t kShown = 40;  // a longer text is a person's or a sentence

std::string list_of(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

[[noreturn]] void unknown(std::size_t at, const std::string& name, const std::vector<std::string>& known) {
  const auto meant = nearest(name, known);
  refuse_at(at, "there is no '" + name + "' here" + (meant ? "; did you mean '" + *meant + "'?" : ";") +
                    " there are: " + list_of(known));
}

std::vector<std::string> names_of(const Json& object) {
  std::vector<std::string> out;
  for (const auto& [key, value] : object.items()) out.push_back(key);
  return out;
}

std::string as_word(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

// Where a path leads: the rows that its filters chose, each with its place.
using Places = std::vector<const Json*>;

Places filtered(const Places& rows, const Step& step, const std::pair<std::string, std::string>& want) {
  Places kept;
  std::set<std::string> seen;
  if (rows.empty()) return kept;
  for (const Json* row : rows) {
    if (!row->is_object() || !row->contains(want.first))
      unknown(step.at, want.first, row->is_object() ? names_of(*row) : std::vector<std::string>());
    const std::string word = as_word((*row)[want.first]);
    seen.insert(word);
    if (word == want.second) kept.push_back(row);
  }
  const bool is_truth = want.second == "true" || want.second == "false";
  const bool known = is_truth && (seen.contains("true") || seen.contains("false"));
  if (kept.empty() && !known)  // no dose was chosen, say: that is a value that is missing, not a wrong name
    refuse_at(step.at, "no row of '" + step.name + "' has " + want.first + "=" + want.second +
                           "; there are: " + list_of({seen.begin(), seen.end()}));
  return kept;
}

Places rows_of(const Json& list, const Step& step) {
  Places rows;
  for (const Json& row : list) rows.push_back(&row);
  if (rows.empty()) refuse_at(step.at, "'" + step.name + "' is empty in this run");
  for (const auto& want : step.filter) rows = filtered(rows, step, want);
  return rows;
}

// The end of a path: a value, or the reason why there is none.
struct End {
  const Json* value = nullptr;
  std::string missing;
};

End end_at(const Json& object, const Step& step) {
  if (!object.is_object() || !object.contains(step.name))
    unknown(step.at, step.name, object.is_object() ? names_of(object) : std::vector<std::string>());
  const Json& value = object[step.name];
  if (!value.is_null()) return {&value, ""};
  const auto why = object.find(step.name + "_missing");
  return {nullptr, why != object.end() && why->is_string() ? why->get<std::string>() : "it is missing"};
}

std::vector<End> follow(const Json& whole, const std::vector<Step>& path) {
  Places here = {&whole};
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    Places next;
    for (const Json* place : here) {
      const End end = end_at(*place, path[i]);
      if (end.value == nullptr) refuse_at(path[i].at, "'" + path[i].name + "' holds nothing in this run");
      if (end.value->is_array()) {
        const Places rows = rows_of(*end.value, path[i]);
        next.insert(next.end(), rows.begin(), rows.end());
      } else {
        if (!path[i].filter.empty())
          refuse_at(path[i].at, "'" + path[i].name + "' is no list: leave the [ ] out");
        next.push_back(end.value);
      }
    }
    here = std::move(next);
  }
  const Step& last = path.back();
  if (!last.filter.empty()) refuse_at(last.at, "name a field of '" + last.name + "' after the ]");
  std::vector<End> ends;
  for (const Json* place : here) {
    ends.push_back(end_at(*place, last));
    const Json* value = ends.back().value;
    if (value != nullptr && (value->is_object() || value->is_array()))
      refuse_at(last.at, "'" + last.name + "' is no single value; it holds: " +
                             (value->is_object() ? list_of(names_of(*value))
                                                 : std::string("a list, choose with [ ]")));
  }
  return ends;
}

bool holds(Compare compare, int order) {
  switch (compare) {
    case Compare::equal:
      return order == 0;
    case Compare::unequal:
      return order != 0;
    case Compare::less:
      return order < 0;
    case Compare::at_most:
      return order <= 0;
    case Compare::more:
      return order > 0;
    case Compare::at_least:
      return order >= 0;
  }
  return false;
}

bool compared(const Json& found, const Claim& claim) {
  const bool orders = claim.compare != Compare::equal && claim.compare != Compare::unequal;
  if (const auto* number = std::get_if<double>(&claim.value)) {
    if (!found.is_number())
      refuse_at(claim.at,
                "expected a " + std::string(found.type_name()) + " to compare with, found a number");
    const auto value = found.get<double>();
    return holds(claim.compare, value < *number ? -1 : value > *number ? 1 : 0);
  }
  if (orders) refuse_at(claim.at, "only numbers are greater or less; use == or !=");
  if (const auto* truth = std::get_if<bool>(&claim.value)) {
    if (!found.is_boolean())
      refuse_at(claim.at,
                "expected a " + std::string(found.type_name()) + " to compare with, found true or false");
    return holds(claim.compare, found.get<bool>() == *truth ? 0 : 1);
  }
  if (!found.is_string())
    refuse_at(claim.at, "expected a " + std::string(found.type_name()) + " to compare with, found a text");
  return holds(claim.compare, found.get<std::string>() == std::get<std::string>(claim.value) ? 0 : 1);
}

std::string shown(const Json& value) {
  if (value.is_number_float()) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.4g", value.get<double>());
    return digits;
  }
  const std::string word = as_word(value);
  return word.size() <= kShown ? word : "a text of " + std::to_string(word.size()) + " bytes";
}

// It must hold in every row that the path selects: the least of their truths.
Clause decide(const Json& whole, const Claim& claim) {
  Clause out{claim.text, Truth::yes, ""};
  const std::vector<End> ends = follow(whole, claim.path);
  if (ends.empty()) return {claim.text, Truth::unknown, "missing: no row of this run is so"};
  for (const End& end : ends) {
    const Truth truth = end.value == nullptr          ? Truth::unknown
                        : compared(*end.value, claim) ? Truth::yes
                                                      : Truth::no;
    if (out.found.empty() || truth < out.truth)
      out.found = end.value == nullptr ? "missing: " + end.missing : shown(*end.value);
    out.truth = std::min(out.truth, truth);
  }
  return out;
}

Truth evaluate(const Json& whole, const Requirement& r, std::vector<Clause>& clauses) {
  if (r.kind == Requirement::Kind::claim) {
    clauses.push_back(decide(whole, r.claim));
    return clauses.back().truth;
  }
  if (r.kind == Requirement::Kind::negation) {
    const Truth inner = evaluate(whole, r.parts[0], clauses);
    return inner == Truth::unknown ? inner : inner == Truth::yes ? Truth::no : Truth::yes;
  }
  Truth out = r.kind == Requirement::Kind::all ? Truth::yes : Truth::no;
  for (const Requirement& part : r.parts) {  // every part: a wrong name is an error wherever it stands
    const Truth truth = evaluate(whole, part, clauses);
    out = r.kind == Requirement::Kind::all ? std::min(out, truth) : std::max(out, truth);
  }
  return out;
}

const char* word(Truth truth) {
  return truth == Truth::yes ? "holds" : truth == Truth::no ? "does not hold" : "unknown";
}

}  // namespace

Gated gate(std::string_view requirement, const std::string& findings_json) {
  Json whole = Json::parse(findings_json);
  whole.erase("replies");
  whole.erase("scenarios");
  Gated out;
  out.truth = evaluate(whole, detail::parse_requirement(requirement), out.clauses);
  return out;
}

std::string gate_json(const std::vector<GateCase>& cases) {
  Json out = {
      {"passed", std::all_of(cases.begin(), cases.end(), [](const auto& c) { return c.gated.passed(); })},
      {"requirements", Json::array()}};
  for (const GateCase& c : cases) {
    Json clauses = Json::array();
    for (const Clause& clause : c.gated.clauses)
      clauses.push_back({{"text", clause.text}, {"truth", word(clause.truth)}, {"found", clause.found}});
    out["requirements"].push_back({{"text", c.requirement},
                                   {"passed", c.gated.passed()},
                                   {"truth", word(c.gated.truth)},
                                   {"clauses", clauses}});
  }
  return out.dump(2) + "\n";
}

std::string junit(const std::string& suite, const std::vector<GateCase>& cases) {
  const auto failed =
      std::count_if(cases.begin(), cases.end(), [](const GateCase& c) { return !c.gated.passed(); });
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"" +
                    detail::escape_html(suite) + "\" tests=\"" + std::to_string(cases.size()) +
                    "\" failures=\"" + std::to_string(failed) + "\">\n";
  for (const GateCase& c : cases) {
    out += "  <testcase classname=\"sonder gate\" name=\"" + detail::escape_html(c.requirement) + "\"";
    if (c.gated.passed()) {
      out += "/>\n";
      continue;
    }
    std::string why;
    for (const Clause& clause : c.gated.clauses)
      why += clause.text + " " + word(clause.truth) + ", found " + clause.found + "\n";
    out += ">\n    <failure message=\"" + std::string(word(c.gated.truth)) + "\">" +
           detail::escape_html(why) + "</failure>\n  </testcase>\n";
  }
  return out + "</testsuite>\n";
}

}  // namespace sonder::report
