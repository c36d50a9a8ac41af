// A form as canonical JSON, as JSON Schema, as commented YAML.
#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "store/detail/form.h"
#include "store/detail/words.h"

namespace sonder::store::detail {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWidth = 100;                   // columns of a commented plan
constexpr double kLargestExact = 9007199254740992.0;  // 2^53

Json value_json(double value) {  // 2.0 is written 2, as a person writes it
  if (std::trunc(value) == value && std::fabs(value) < kLargestExact) return static_cast<std::int64_t>(value);
  return value;
}

Json to_json(std::span<const Field> fields);

struct Write {
  Json operator()(const Group& group) const { return to_json(group.fields); }
  Json operator()(const Groups& groups) const {
    Json list = Json::array();
    for (std::size_t i = 0; i < groups.size(); ++i) list.push_back(to_json(groups.at(i)));
    return list;
  }
  Json operator()(const double* value) const { return value_json(*value); }
  Json operator()(const std::optional<double>* value) const { return *value ? value_json(**value) : Json(); }
  Json operator()(const std::optional<int>* value) const { return *value ? Json(**value) : Json(); }
  Json operator()(const std::vector<double>* values) const {
    Json list = Json::array();
    for (const double value : *values) list.push_back(value_json(value));
    return list;
  }
  template <class T>
  Json operator()(const T* value) const {
    return *value;
  }
};

Json to_json(std::span<const Field> fields) {
  Json object = Json::object();
  for (const Field& field : fields) object[field.name] = std::visit(Write{}, field.slot);
  return object;
}

void add_limits(Json& schema, const Rule& rule) {
  if (rule.least) schema["minimum"] = value_json(*rule.least);
  if (rule.above) schema["exclusiveMinimum"] = value_json(*rule.above);
  if (rule.most) schema["maximum"] = value_json(*rule.most);
  if (rule.below) schema["exclusiveMaximum"] = value_json(*rule.below);
  if (!rule.choices.empty()) schema["enum"] = rule.choices;
  if (rule.filled) schema["pattern"] = "\\S";
}

Json object_schema(std::span<const Field> fields);

struct Describe {
  const Field& field;

  Json scalar(const Json& type) const {
    Json schema = {{"type", type}};
    add_limits(schema, field.rule);
    return schema;
  }
  Json list(const char* type) const {
    Json schema = {{"type", "array"}, {"items", scalar(type)}};
    if (field.rule.min_items > 0) schema["minItems"] = field.rule.min_items;
    schema["maxItems"] = field.rule.max_items;
    if (field.rule.distinct || field.rule.ascending) schema["uniqueItems"] = true;
    return schema;
  }
  Json operator()(const bool*) const { return scalar("boolean"); }
  Json operator()(const int*) const { return scalar("integer"); }
  Json operator()(const std::uint64_t*) const {
    Json schema = scalar("integer");
    schema["minimum"] = 0;
    schema["maximum"] = UINT64_MAX;
    return schema;
  }
  Json operator()(const double*) const { return scalar("number"); }
  Json operator()(const std::string*) const { return scalar("string"); }
  Json operator()(const std::optional<int>*) const { return scalar(Json::array({"integer", "null"})); }
  Json operator()(const std::optional<double>*) const { return scalar(Json::array({"number", "null"})); }
  Json operator()(const std::vector<int>*) const { return list("integer"); }
  Json operator()(const std::vector<double>*) const { return list("number"); }
  Json operator()(const std::vector<std::string>*) const { return list("string"); }
  Json operator()(const Group& group) const { return object_schema(group.fields); }
  Json operator()(const Groups& groups) const {
    const std::size_t n = groups.size();
    groups.resize(n + 1);  // a fresh item shows the defaults
    Json schema = {{"type", "array"}, {"items", object_schema(groups.at(n))}};
    groups.resize(n);
    if (field.rule.min_items > 0) schema["minItems"] = field.rule.min_items;
    return schema;
  }
};

Json object_schema(std::span<const Field> fields) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Field& field : fields) {
    Json schema = {{"description", field.help}};
    schema.update(std::visit(Describe{field}, field.slot));
    if (field.rule.required) {
      required.push_back(field.name);
    } else if (!std::holds_alternative<Group>(field.slot)) {
      schema["default"] = std::visit(Write{}, field.slot);
    }
    properties[field.name] = std::move(schema);
  }
  Json object = {{"type", "object"}, {"additionalProperties", false}};
  if (!required.empty()) object["required"] = std::move(required);
  object["properties"] = std::move(properties);
  return object;
}

std::string comment(const std::string& text, std::size_t indent) {
  const std::string margin = std::string(indent, ' ') + "#";
  std::string out = margin;
  std::size_t column = margin.size();
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    if (column > margin.size() && column + 1 + end - start > kWidth) {
      out += "\n" + margin;
      column = margin.size();
    }
    out += " " + text.substr(start, end - start);
    column += 1 + end - start;
    start = end + 1;
  }
  return out + "\n";
}

bool plain_word(const std::string& text) {
  constexpr std::string_view kSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";
  for (const char* word : {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}) {
    if (text == word) return false;
  }
  return !text.empty() && text.find_first_not_of(kSafe) == std::string::npos &&
         std::isalpha(static_cast<unsigned char>(text[0])) != 0;
}

// Flow style: every JSON value is one in YAML too, and words need no quotes.
std::string flow(const Json& value) {
  if (value.is_string())
    return plain_word(value.get<std::string>()) ? value.get<std::string>() : value.dump();
  if (!value.is_structured()) return value.dump();
  std::string inside;
  for (const auto& [name, item] : value.items()) {
    if (!inside.empty()) inside += ", ";
    inside += value.is_object() ? name + ": " + flow(item) : flow(item);
  }
  return value.is_object() ? "{" + inside + "}" : "[" + inside + "]";
}

// The help, and what may be written there when that is not plain from the default.
std::string help_of(const Field& field) {
  const bool free = std::holds_alternative<bool*>(field.slot) || std::holds_alternative<Group>(field.slot) ||
                    std::holds_alternative<Groups>(field.slot) ||
                    (std::holds_alternative<std::string*>(field.slot) && field.rule.choices.empty());
  return free ? field.help : field.help + " (" + expectation(field) + ")";
}

// One item a line; what equals the default of an item is left out.
std::string items_yaml(const Groups& groups) {
  const std::size_t n = groups.size();
  groups.resize(n + 1);
  const std::vector<Field> fresh = groups.at(n);
  const Json usual = to_json(fresh);
  std::string text;
  for (const Field& field : fresh) text += comment(field.name + ": " + help_of(field), 2);
  groups.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    Json shown = Json::object();
    const Json item = to_json(groups.at(i));
    for (const auto& [name, value] : item.items()) {
      if (value != usual.at(name)) shown[name] = value;
    }
    text += "  - " + flow(shown) + "\n";
  }
  return text;
}

std::string to_yaml(std::span<const Field> fields, std::size_t indent) {
  std::string text;
  for (const Field& field : fields) {
    const std::string margin(indent, ' ');
    const auto* group = std::get_if<Group>(&field.slot);
    const auto* groups = std::get_if<Groups>(&field.slot);
    if (indent == 0 && !text.empty()) text += "\n";
    text += comment(help_of(field), indent) + margin + field.name + ":";
    if (group != nullptr) {
      text += "\n" + to_yaml(group->fields, indent + 2);
    } else if (groups != nullptr) {
      text += "\n" + items_yaml(*groups);
    } else {
      text += " " + flow(std::visit(Write{}, field.slot)) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string form_json(std::span<const Field> fields) { return to_json(fields).dump(); }

std::string form_schema(std::span<const Field> fields, const std::string& id, const std::string& title) {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"$id", id}, {"title", title}};
  schema.update(object_schema(fields));
  return schema.dump(2) + "\n";
}

std::string form_yaml(std::span<const Field> fields) { return to_yaml(fields, 0); }

}  // namespace sonder::store::detail
