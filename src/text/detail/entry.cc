#include "text/detail/entry.h"

#include "base/error.h"

namespace sonder::text::detail {
namespace {

constexpr std::size_t kMost = 5000;  // sequences of one line

bool vowel(char c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'; }

bool ends(const std::string& word, std::string_view with) {
  return word.size() >= with.size() && std::string_view(word).substr(word.size() - with.size()) == with;
}

bool hisses(const std::string& word) {
  return ends(word, "s") || ends(word, "x") || ends(word, "z") || ends(word, "ch") || ends(word, "sh");
}

// "grin" → "grinning": one vowel before one last consonant, and no other vowel.
bool doubles(const std::string& w) {
  if (w.size() < 3) return false;
  const char last = w.back();
  if (vowel(last) || last == 'w' || last == 'x' || last == 'y') return false;
  int n_vowels = 0;
  for (const char c : w) n_vowels += vowel(c) || c == 'y' ? 1 : 0;
  return n_vowels == 1 && vowel(w[w.size() - 2]);
}

std::string with_s(const std::string& base) {
  if (hisses(base)) return base + "es";
  if (ends(base, "y") && base.size() > 1 && !vowel(base[base.size() - 2]))
    return base.substr(0, base.size() - 1) + "ies";
  return base + "s";
}

// "a (b|c d) e" → the items "a", "(b|c d)", "e".
std::vector<std::string> items_of(std::string_view pattern, const std::string& where) {
  std::vector<std::string> items;
  std::string item;
  bool inside = false;
  for (const char c : pattern) {
    if (c == '(' || c == ')') {
      demand(inside == (c == ')'), where, "brackets in an entry come in pairs, and not inside each other");
      inside = c == '(';
    }
    if (c == ' ' && !inside) {
      if (!item.empty()) items.push_back(item);
      item.clear();
    } else {
      item.push_back(c);
    }
  }
  demand(!inside, where, "a bracket in an entry is not closed");
  if (!item.empty()) items.push_back(item);
  return items;
}

std::vector<std::string> split(std::string_view text, char by) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == by)
      parts.emplace_back();
    else
      parts.back().push_back(c);
  }
  return parts;
}

std::vector<std::vector<std::string>> word_choices(const std::string& word) {
  std::vector<std::string> forms = {word};
  if (ends(word, "/v")) forms = verb_forms(word.substr(0, word.size() - 2));
  if (ends(word, "/n")) forms = noun_forms(word.substr(0, word.size() - 2));
  if (ends(word, "/a")) forms = adjective_forms(word.substr(0, word.size() - 2));
  std::vector<std::vector<std::string>> choices;
  for (const std::string& form : forms) choices.push_back({form});
  return choices;
}

using Sequences = std::vector<std::vector<std::string>>;

void extend(Sequences& all, const Sequences& choices, const std::string& where) {
  demand(all.size() * choices.size() <= kMost, where,
         "an entry stands for too many phrases; write it as several");
  Sequences longer;
  for (const auto& before : all)
    for (const auto& choice : choices) {
      longer.push_back(before);
      longer.back().insert(longer.back().end(), choice.begin(), choice.end());
    }
  all = std::move(longer);
}

}  // namespace

std::vector<std::string> verb_forms(const std::string& base) {
  if (ends(base, "e"))
    return {base, base + "s", base + "d", base.substr(0, base.size() - (ends(base, "ee") ? 0 : 1)) + "ing"};
  if (ends(base, "y") && base.size() > 1 && !vowel(base[base.size() - 2]))
    return {base, with_s(base), base.substr(0, base.size() - 1) + "ied", base + "ing"};
  const std::string stem = doubles(base) ? base + base.back() : base;
  return {base, with_s(base), stem + "ed", stem + "ing"};
}

std::vector<std::string> noun_forms(const std::string& base) { return {base, with_s(base)}; }

std::vector<std::string> adjective_forms(const std::string& base) {
  if (ends(base, "le")) return {base, base.substr(0, base.size() - 1) + "y", base + "ness"};
  if (ends(base, "ic")) return {base, base + "ally", base + "ness"};
  if (ends(base, "y") && base.size() > 2) {
    const std::string stem = base.substr(0, base.size() - 1) + "i";
    return {base, stem + "ly", stem + "ness"};
  }
  return {base, base + "ly", base + "ness"};
}

void demand(bool kept, const std::string& where, std::string_view promise) {
  if (!kept) throw Error(ErrorKind::bad_input, where + ": " + std::string(promise));
}

Sequences spelled_out(std::string_view pattern, const std::string& where) {
  const bool opens = !pattern.empty() && pattern.front() == '^';
  Sequences all = {{}};
  for (const std::string& item : items_of(opens ? pattern.substr(1) : pattern, where)) {
    if (item.front() != '(') {
      extend(all, word_choices(item), where);
      continue;
    }
    Sequences choices;
    for (const std::string& choice : split(std::string_view(item).substr(1, item.size() - 2), '|')) {
      Sequences one = {{}};
      for (const std::string& word : split(choice, ' '))
        if (!word.empty()) extend(one, word_choices(word), where);
      choices.insert(choices.end(), one.begin(), one.end());
    }
    extend(all, choices, where);
  }
  for (auto& sequence : all) {
    demand(!sequence.empty(), where, "an entry has at least one word");
    if (opens) sequence.front().insert(0, "^");
  }
  return all;
}

}  // namespace sonder::text::detail
