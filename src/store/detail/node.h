// What a YAML or JSON file says, before anyone asks what it means: a tree of places.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/problem.h"

namespace sonder::store::detail {

constexpr int kDeepest = 16;          // levels of nesting; the deepest file we read has 4
constexpr std::size_t kWidest = 500;  // keys in one group; keeps the search for repeated keys cheap

struct Place {
  int line = 0;    // 1-based; 0: unknown
  int column = 0;  // 1-based, in bytes; 0: unknown
};

struct Node {
  enum class Kind {
    nothing,
    boolean,
    whole,    // digits with an optional sign
    decimal,  // a number with a point or an exponent
    unclear,  // looks like a number but has two readings, or is none; `text` says so
    text,
    list,
    map,
  };
  struct Key;

  Kind kind = Kind::nothing;
  Place place;
  std::string text;         // of a scalar: what was written, escapes resolved
  std::vector<Node> items;  // of a list
  std::vector<Key> keys;    // of a map, in order of writing, each once

  const Node* find(std::string_view name) const;
};

struct Node::Key {
  std::string name;
  Place place;
  Node value;
};

std::string describe(const Node& node);  // "a whole number", "a list": what was found, never its text

// Both readers add every problem they find. Nothing comes back when the file cannot be read to its end.
// Neither keeps going below kDeepest levels, whatever the file.
std::optional<Node> parse_yaml(const std::string& text, const std::string& file,
                               std::vector<Problem>& problems);
// One JSON value; `line`: where it stands in the file.
std::optional<Node> parse_json(std::string_view text, const std::string& file, int line,
                               std::vector<Problem>& problems);

}  // namespace sonder::store::detail
