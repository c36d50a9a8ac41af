// One table of fields describes a struct; from it come the reader, the JSON, the schema and the commented
// plan. A table is made for one object and points into it: `fields(plan)` lists where each value of that plan
// lives.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "store/detail/node.h"

namespace sonder::store::detail {

struct Field;

// A group of keys, and a list of groups.
struct Group {
  std::vector<Field> fields;
};
struct Groups {
  std::function<void(std::size_t)> resize;
  std::function<std::vector<Field>(std::size_t)> at;  // the table of item i
  std::function<std::size_t()> size;
};

// Where the value lives; its type says what may be written there.
using Slot = std::variant<bool*, int*, std::uint64_t*, double*, std::string*, std::optional<int>*,
                          std::optional<double>*, std::vector<int>*, std::vector<double>*,
                          std::vector<std::string>*, Group, Groups>;

// What the value, or each value of a list, must obey.
struct Rule {
  std::optional<double> least = {};  // value >= least
  std::optional<double> most = {};   // value <= most
  std::optional<double> above = {};  // value > above
  std::optional<double> below = {};  // value < below
  std::vector<std::string> choices = {};
  bool ascending = false;        // of a list: each value is greater than the one before
  bool distinct = false;         // of a list: no value twice
  std::size_t min_items = 0;     // of a list
  std::size_t max_items = 1000;  // of a list
  bool filled = false;           // of a text: not empty
  bool required = false;
};

struct Field {
  std::string name;
  Slot slot;
  std::string help;  // one sentence for a newcomer
  Rule rule = {};
};

std::string expectation(const Field& field);  // "a whole number of at least 2"
std::string item_expectation(const Field& field);
std::string number_text(double value);  // shortest decimal that reads back the same
std::string join_path(const std::string& path, const std::string& name);  // "steer" + "doses" → "steer.doses"

// Reads nodes into the slots. Adds a problem for every unknown key, missing key, wrong type and broken rule.
class FormReader {
 public:
  // whole: what the file is ("the plan"), for messages about its top level.
  FormReader(std::string file, std::string whole, std::vector<Problem>& problems)
      : file_(std::move(file)), whole_(std::move(whole)), problems_(problems) {}

  void read(const Node& node, std::span<const Field> fields, const std::string& path = "");
  // Places of the keys that were written, by path ("steer.doses", "instruments[2].model"); "" is the whole.
  const std::map<std::string, Place>& places() const { return places_; }
  // A problem at the key `path`, or at the nearest group around it that was written.
  void report(const std::string& path, const std::string& message);

 private:
  void read_value(const Node& node, const Field& field, const std::string& path);
  void check_known(const Node& node, std::span<const Field> fields, const std::string& path);
  void add(Place place, const std::string& message);

  std::string file_;
  std::string whole_;
  std::vector<Problem>& problems_;
  std::map<std::string, Place> places_;
  std::map<std::string, std::string> homes_;  // key name → its full path, for keys written in the wrong group
};

std::string form_json(std::span<const Field> fields);  // every field, in order, no white space
// JSON Schema 2020-12, indented. additionalProperties is false everywhere.
std::string form_schema(std::span<const Field> fields, const std::string& id, const std::string& title);
std::string form_yaml(
    std::span<const Field> fields);  // every field with its value, its help as a comment above

}  // namespace sonder::store::detail
