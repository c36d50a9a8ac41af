// The grammar of a requirement.
//   any   = all { "or" all }        all = not { "and" not }       not = "not" not | "(" any ")" | claim
//   claim = path [ op value ]       op = == != < <= > >=           value = number | 'text' | true | false
//   path  = name { "." name | "[" field "=" word { "," field "=" word } "]" }
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sonder::report::detail {

enum class Compare { equal, unequal, less, at_most, more, at_least };
using Value = std::variant<bool, double, std::string>;

// One part of a path: a name, then what its rows must hold.
struct Step {
  std::string name;
  std::size_t at = 0;  // byte of the requirement
  std::vector<std::pair<std::string, std::string>> filter;
};

struct Claim {
  std::vector<Step> path;
  Compare compare = Compare::equal;
  Value value = true;
  std::size_t at = 0;  // of the value
  std::string text;    // as it was written
};

struct Requirement {
  enum class Kind { claim, negation, all, any } kind = Kind::claim;
  Claim claim;
  std::vector<Requirement> parts;
};

// Throws Error(bad_input) naming the position; see report/gate.h.
Requirement parse_requirement(std::string_view text);

[[noreturn]] void refuse_at(std::size_t at, const std::string& message);

}  // namespace sonder::report::detail
