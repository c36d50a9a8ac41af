#include "text/word_list.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/error.h"
#include "text/detail/entry.h"
#include "text/detail/trie.h"

namespace sonder::text {
namespace {

using detail::demand;

constexpr std::size_t kNegationReach = 3;  // words

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r'))
    line.remove_suffix(1);
  return line;
}

double number(std::string_view digits, const std::string& where) {
  digits = trimmed(digits);
  double value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  demand(code == std::errc() && end == digits.data() + digits.size(), where, "a weight is a number");
  return value;
}

Category category_of(std::string_view line, const std::string& where) {
  const std::size_t close = line.find(']');
  demand(close != std::string_view::npos, where, "a category is written [name]");
  Category category{std::string(trimmed(line.substr(1, close - 1))), 1};
  demand(!category.name.empty(), where, "a category has a name");
  if (const std::string_view rest = trimmed(line.substr(close + 1)); !rest.empty())
    category.weight = number(rest, where);
  return category;
}

}  // namespace

struct WordList::Parts {
  std::vector<Category> categories;
  detail::Trie trie;
  std::size_t negators = SIZE_MAX;
  std::size_t skipped = SIZE_MAX;

  void add_line(std::string_view line, const std::string& where) {
    if (const std::size_t comment = line.find('#'); comment != std::string_view::npos)
      line = line.substr(0, comment);
    line = trimmed(line);
    if (line.empty()) return;
    if (line.front() == '[') {
      const Category category = category_of(line, where);
      for (const Category& other : categories)
        demand(other.name != category.name, where, "a category is opened once");
      if (category.name == "not") negators = categories.size();
      if (category.name == "skip") skipped = categories.size();
      categories.push_back(category);
      return;
    }
    demand(!categories.empty(), where, "an entry belongs to a category: open one with [name]");
    double weight = categories.back().weight;
    if (const std::size_t equals = line.find('='); equals != std::string_view::npos) {
      weight = number(line.substr(equals + 1), where);
      line = trimmed(line.substr(0, equals));
    }
    for (const auto& words : detail::spelled_out(line, where))
      demand(trie.add(words, {categories.size() - 1, weight}), where, "a phrase is in one category only");
  }
};

WordList::WordList(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
WordList::~WordList() = default;
WordList::WordList(WordList&&) noexcept = default;
WordList& WordList::operator=(WordList&&) noexcept = default;

WordList WordList::parse(std::string_view file, std::string_view name) {
  auto parts = std::make_unique<Parts>();
  int i_line = 0;
  while (!file.empty()) {
    ++i_line;
    const std::size_t end = std::min(file.find('\n'), file.size());
    parts->add_line(file.substr(0, end), std::string(name) + ", line " + std::to_string(i_line));
    file.remove_prefix(std::min(end + 1, file.size()));
  }
  parts->trie.finish();
  return WordList(std::move(parts));
}

const std::vector<Category>& WordList::categories() const { return parts_->categories; }

std::size_t WordList::category(std::string_view name) const {
  for (std::size_t i = 0; i < parts_->categories.size(); ++i)
    if (parts_->categories[i].name == name) return i;
  throw Error(ErrorKind::bad_input, "the word list has no category " + std::string(name));
}

void WordList::find(const Words& words, Hits& out) const {
  out.list.clear();
  parts_->trie.identify(words, out.ids);
  std::size_t negated_until = 0;  // words before this one are negated
  for (std::size_t i = 0; i < words.size();) {
    if (words.list[i].before != Gap::space) negated_until = 0;
    const detail::Found found = parts_->trie.longest(words, out.ids, i);
    if (found.n == 0) {
      ++i;
      continue;
    }
    if (found.entry.category == parts_->negators) {
      negated_until = i + found.n + kNegationReach;
    } else if (found.entry.category != parts_->skipped) {
      const Span bytes{words.list[i].bytes.begin, words.list[i + found.n - 1].bytes.end};
      out.list.push_back({bytes, found.entry.category, found.entry.weight, i, found.n, i < negated_until});
    }
    i += found.n;
  }
}

}  // namespace sonder::text
