// A requirement on a run's findings, for scripts: `sonder gate`. docs/gate.md describes the language.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sonder::report {

// unknown: a value that the answer needs is missing. Unknown is never passed, and `not` does not change it.
enum class Truth { no, unknown, yes };

// One comparison of the requirement, in the order it is written.
struct Clause {
  std::string text;  // as it was written
  Truth truth = Truth::no;
  std::string found;  // the value, or why it is missing; of several the first that decided. Never a text
                      // longer than a word
};

struct Gated {
  Truth truth = Truth::no;
  std::vector<Clause> clauses;
  bool passed() const { return truth == Truth::yes; }
};

// findings_json: what study::as_json wrote; its replies and scenarios cannot be asked for. Three-valued logic
// of Kleene: `and` is the least, `or` the greatest of no < unknown < yes. Every name is checked, also in a
// part that does not decide. Throws Error(bad_input) with the position: a requirement longer than 10,000
// bytes or nested deeper than 50, a wrong word, an unknown name (the nearest known named), a filter that
// selects nothing, a comparison of different kinds.
Gated gate(std::string_view requirement, const std::string& findings_json);

// One test case a requirement, for continuous integration. `suite`: the run's name.
struct GateCase {
  std::string requirement;
  Gated gated;
};
std::string gate_json(const std::vector<GateCase>& cases);  // ends with a line break
std::string junit(const std::string& suite, const std::vector<GateCase>& cases);

}  // namespace sonder::report
