#include "store/detail/form.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "base/nearest.h"
#include "store/detail/words.h"

namespace sonder::store::detail {
namespace {

template <class T>
struct Element {  // what one value is: of a list or an optional, the thing inside
  using type = T;
};
template <class T>
struct Element<std::vector<T>> {
  using type = T;
};
template <class T>
struct Element<std::optional<T>> {
  using type = T;
};

template <class T>
constexpr bool kIsList = false;
template <class T>
constexpr bool kIsList<std::vector<T>> = true;
template <class T>
constexpr bool kIsOptional = false;
template <class T>
constexpr bool kIsOptional<std::optional<T>> = true;

std::string bounds(const Rule& rule) {
  const auto number = [](const std::optional<double>& value) { return number_text(value.value_or(0)); };
  if (rule.least && rule.most) return "from " + number(rule.least) + " to " + number(rule.most);
  std::vector<std::string> parts;
  if (rule.above) parts.push_back("greater than " + number(rule.above));
  if (rule.least) parts.push_back("of at least " + number(rule.least));
  if (rule.below) parts.push_back("less than " + number(rule.below));
  if (rule.most) parts.push_back("at most " + number(rule.most));
  return joined(parts, "and");
}

template <class T>
std::string one(const Rule& rule) {
  std::string text;
  if constexpr (std::is_same_v<T, bool>) {
    text = "true or false";
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!rule.choices.empty()) return (rule.choices.size() > 1 ? "one of " : "") + joined(rule.choices);
    text = rule.filled ? "text that is not empty" : "text";
  } else {
    text = std::is_floating_point_v<T> ? "a number" : "a whole number";
    if (rule.least && rule.least == rule.most) return number_text(*rule.least);
    const std::string limits = std::is_unsigned_v<T> && !rule.least ? "of at least 0" : bounds(rule);
    if (!limits.empty()) text += " " + limits;
  }
  return text;
}

struct Expect {
  const Rule& rule;
  bool item;  // one item of the list, not the whole

  template <class T>
  std::string operator()(T*) const {
    std::string text = one<typename Element<T>::type>(rule);
    if constexpr (kIsOptional<T>) text += ", or null";
    if constexpr (kIsList<T>) {
      if (item) return text;
      return std::string("a list") + (rule.ascending ? " in ascending order" : "") + ", each item " + text;
    }
    return text;
  }
  std::string operator()(const Group&) const { return "a group of keys"; }
  std::string operator()(const Groups&) const {
    return item ? "a group of keys" : "a list of groups of keys";
  }
};

bool within(double value, const Rule& rule) {
  return !(rule.least && value < *rule.least) && !(rule.most && value > *rule.most) &&
         !(rule.above && value <= *rule.above) && !(rule.below && value >= *rule.below);
}

// Takes one scalar. Nothing when it was taken, else what was found instead.
template <class T>
std::optional<std::string> take(const Node& node, const Rule& rule, T& into) {
  if (node.kind == Node::Kind::unclear) return node.text;
  if constexpr (std::is_same_v<T, bool>) {
    if (node.kind != Node::Kind::boolean)
      return describe(node) +
             (node.kind == Node::Kind::text ? " (only the words true and false are read as such)" : "");
    into = node.text == "true";
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (node.kind != Node::Kind::text) {
      const bool quotes = node.kind != Node::Kind::list && node.kind != Node::Kind::map &&
                          node.kind != Node::Kind::nothing && rule.choices.empty();
      return describe(node) + (quotes ? " (put it in quotes when it is meant as text)" : "") +
             (node.kind == Node::Kind::nothing && !rule.filled ? " (write \"\" for an empty text)" : "");
    }
    if (rule.filled && node.text.find_first_not_of(" \t\r\n") == std::string::npos) return "an empty text";
    if (!rule.choices.empty() &&
        std::find(rule.choices.begin(), rule.choices.end(), node.text) == rule.choices.end()) {
      const auto meant = nearest(node.text, rule.choices);
      return in_quotes(node.text) + (meant ? "; did you mean '" + *meant + "'?" : "");
    }
    into = node.text;
  } else {
    const bool whole = node.kind == Node::Kind::whole;
    if (!whole && (node.kind != Node::Kind::decimal || !std::is_floating_point_v<T>)) return describe(node);
    const char* end = node.text.data() + node.text.size();
    T value{};
    const auto [stop, error] = std::from_chars(node.text.data(), end, value);
    if (std::is_unsigned_v<T> && node.text[0] == '-') return "a negative number";
    if (error == std::errc::result_out_of_range) return "a number outside the range that can be stored";
    if (error != std::errc() || stop != end) return "a number that cannot be read";
    if (!within(static_cast<double>(value), rule)) return number_text(static_cast<double>(value));
    into = value == T{} ? T{} : value;  // no negative zero
  }
  return std::nullopt;
}

template <class T>
std::optional<std::string> check_list(const std::vector<T>& values, const Rule& rule) {
  if (values.size() < rule.min_items)
    return "expected at least " + std::to_string(rule.min_items) + ", found " + std::to_string(values.size());
  if (values.size() > rule.max_items)
    return "expected at most " + std::to_string(rule.max_items) + ", found " + std::to_string(values.size());
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (rule.ascending && !(values[i - 1] < values[i]))
      return "expected ascending order, each value once; item " + std::to_string(i + 1) +
             " is not greater than the one before";
    if (rule.distinct && std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i),
                                   values[i]) != values.begin() + static_cast<std::ptrdiff_t>(i))
      return "item " + std::to_string(i + 1) + " is there twice";
  }
  return std::nullopt;
}

}  // namespace

std::string number_text(double value) {
  constexpr double kReadable = 1e15;  // below, a whole number is written with its digits, never as 1e+06
  char buffer[32];
  const bool whole = std::trunc(value) == value && std::fabs(value) < kReadable;
  const auto result = whole ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<std::int64_t>(value))
                            : std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, result.ptr};
}

std::string join_path(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

std::string expectation(const Field& field) { return std::visit(Expect{field.rule, false}, field.slot); }
std::string item_expectation(const Field& field) { return std::visit(Expect{field.rule, true}, field.slot); }

void FormReader::add(Place place, const std::string& message) {
  problems_.push_back({file_, place.line, place.column, message});
}

void FormReader::report(const std::string& path, const std::string& message) {
  std::string at = path;
  auto found = places_.find(at);
  while (found == places_.end() && !at.empty()) {
    const std::size_t last = at.find_last_of(".[");
    at.resize(last == std::string::npos ? 0 : last);
    found = places_.find(at);
  }
  add(found == places_.end() ? Place{} : found->second, path + ": " + message);
}

void FormReader::check_known(const Node& node, std::span<const Field> fields, const std::string& path) {
  std::vector<std::string> known;
  for (const Field& field : fields) known.push_back(field.name);
  for (const Node::Key& key : node.keys) {
    if (std::find(known.begin(), known.end(), key.name) != known.end()) continue;
    std::string message = in_quotes(key.name) + " is not a key of " + (path.empty() ? whole_ : path);
    const auto home = homes_.find(key.name);
    if (const auto meant = nearest(key.name, known)) {
      message += "; did you mean '" + *meant + "'?";
    } else if (home != homes_.end()) {
      message += "; did you mean '" + home->second + "'?";
    } else {
      message += "; its keys are " + joined(known, "and");
    }
    add(key.place, message);
  }
}

void FormReader::read(const Node& node, std::span<const Field> fields, const std::string& path) {
  if (node.kind != Node::Kind::map) {
    add(node.place, (path.empty() ? "" : path + ": ") + "expected a group of keys, found " + describe(node));
    return;
  }
  if (path.empty()) {
    places_[""] = node.place;
    for (const Field& field : fields) {
      if (const auto* group = std::get_if<Group>(&field.slot)) {
        for (const Field& inner : group->fields)
          homes_.emplace(inner.name, join_path(field.name, inner.name));
      }
    }
  }
  check_known(node, fields, path);
  for (const Field& field : fields) {
    const std::string full = join_path(path, field.name);
    const auto key = std::find_if(node.keys.begin(), node.keys.end(),
                                  [&](const Node::Key& k) { return k.name == field.name; });
    if (key != node.keys.end()) {
      places_[full] = key->place;
      read_value(key->value, field, full);
    } else if (field.rule.required) {
      add(node.place, "the key '" + field.name + "' is missing from " + (path.empty() ? whole_ : path) +
                          "; expected " + expectation(field));
    }
  }
}

void FormReader::read_value(const Node& node, const Field& field, const std::string& path) {
  const auto wrong = [&](Place place, const std::string& expected, const std::string& found) {
    add(place, path + ": expected " + expected + ", found " + found);
  };
  const auto list = [&](const Node& n) {
    if (n.kind == Node::Kind::list) return true;
    wrong(n.place, expectation(field), describe(n));
    return false;
  };
  std::visit(
      [&](auto& slot) {
        using S = std::decay_t<decltype(slot)>;
        if constexpr (std::is_same_v<S, Group>) {
          read(node, slot.fields, path);
        } else if constexpr (std::is_same_v<S, Groups>) {
          if (!list(node)) return;
          slot.resize(0);  // the file's list replaces the default one
          slot.resize(node.items.size());
          for (std::size_t i = 0; i < node.items.size(); ++i) {
            const std::string item = path + "[" + std::to_string(i) + "]";
            places_[item] = node.items[i].place;
            read(node.items[i], slot.at(i), item);
          }
          if (node.items.size() < field.rule.min_items)
            add(node.place,
                path + ": expected at least " + std::to_string(field.rule.min_items) + ", found none");
        } else {
          using T = std::remove_pointer_t<S>;
          if constexpr (kIsList<T>) {
            if (!list(node)) return;
            T values;
            bool good = true;
            for (const Node& item : node.items) {
              typename Element<T>::type value{};
              const auto found = take(item, field.rule, value);
              if (found) wrong(item.place, item_expectation(field), *found);
              good = good && !found;
              values.push_back(std::move(value));
            }
            const auto broken = good ? check_list(values, field.rule) : std::nullopt;
            if (broken) add(node.place, path + ": " + *broken);
            if (good && !broken) *slot = std::move(values);
          } else if constexpr (kIsOptional<T>) {
            slot->reset();
            if (node.kind == Node::Kind::nothing) return;
            typename Element<T>::type value{};
            if (const auto found = take(node, field.rule, value))
              return wrong(node.place, expectation(field), *found);
            *slot = value;
          } else if (const auto found = take(node, field.rule, *slot)) {
            wrong(node.place, expectation(field), *found);
          }
        }
      },
      field.slot);
}

}  // namespace sonder::store::detail
