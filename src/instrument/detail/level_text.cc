#include "instrument/detail/level_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "instrument/detail/judge_prompt.h"

namespace sonder::instrument::detail {
namespace {

using nlohmann::json;

constexpr std::size_t kLongest = 1U << 16U;  // bytes of an answer that is read
constexpr int kDeepest = 4;                  // groups of JSON inside each other

const Missing kNoScore{"the judge gave no score"};
const Missing kSeveral{"the judge gave several scores"};
const Missing kOffMenu{"the judge's score is not a whole number"};
const Missing kOutOfRange{"the judge's score is not between 0 and 5"};
const Missing kOtherScale{"the judge scored on another scale"};
const Missing kBrokenJson{"the judge's JSON is broken or cut off"};
const Missing kDeclined{"the judge declined to rate"};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 128;
}
std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}
void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// ---- numbers
// --------------------------------------------------------------------------------------------------

enum class Kind { level, off_menu, out_of_range, other_scale };

struct Number {
  std::size_t begin = 0;
  std::size_t end = 0;  // with "/5" or "out of 5"
  Kind kind = Kind::level;
  int level = 0;
  bool of_five = false;  // names its scale
  bool word = false;     // "four"
  bool operator==(const Number&) const = default;
};

constexpr std::array<std::string_view, kLevels> kWords = {"zero", "one", "two", "three", "four", "five"};

std::size_t skip_spaces(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

std::size_t digits_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

// "/5", "out of 5" after a number: moves its end behind it.
void read_scale(std::string_view text, Number& number) {
  std::size_t at = skip_spaces(text, number.end);
  if (at < text.size() && text[at] == '%') {
    number.kind = Kind::other_scale;
    number.end = at + 1;
    return;
  }
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("/"))
    at += 1;
  else if (rest.starts_with("out of "))
    at += 7;
  else
    return;
  at = skip_spaces(text, at);
  const std::size_t end = digits_end(text, at);
  if (end == at) return;
  number.end = end;
  number.of_five = true;
  if (text.substr(at, end - at) != "5") number.kind = Kind::other_scale;
}

// The number at `at`, where a digit stands; nothing for what is no quantity ("4th", "a4").
std::optional<Number> lex_digits(std::string_view text, std::size_t at, std::size_t& next) {
  const std::size_t whole = digits_end(text, at);
  Number number{at, whole, Kind::level, 0, false, false};
  bool fraction = false;
  while (number.end + 1 < text.size() && (text[number.end] == '.' || text[number.end] == ',') &&
         is_digit(text[number.end + 1])) {
    const std::size_t from = number.end + 1;
    number.end = digits_end(text, from);
    fraction = fraction || text.substr(from, number.end - from).find_first_not_of('0') != std::string::npos;
  }
  next = number.end;
  if (at > 0 && (is_letter(text[at - 1]) || text[at - 1] == '_')) return std::nullopt;
  if (text.substr(number.end).starts_with("\xC2\xBD") || text.substr(number.end).starts_with("\xC2\xBC") ||
      text.substr(number.end).starts_with("\xC2\xBE")) {
    fraction = true;
    number.end += 2;
  }
  if (number.end < text.size() && (is_letter(text[number.end]) || text[number.end] == '_'))
    return std::nullopt;
  if (number.end < text.size() && text[number.end] == '+') fraction = true, ++number.end;
  std::string_view figure = text.substr(at, whole - at);
  figure.remove_prefix(std::min(figure.find_first_not_of('0'), figure.size() - 1));
  // A sign, not a dash between two things.
  const bool sign = at > 0 && (text[at - 1] == '-' || text.substr(0, at).ends_with("\xE2\x88\x92")) &&
                    (at == 1 || !is_digit(text[at - 2]));
  if (figure.size() > 1 || figure[0] > '5' || (sign && (figure != "0" || fraction)))
    number.kind = Kind::out_of_range;
  else if (fraction)
    number.kind = figure == "5" ? Kind::out_of_range : Kind::off_menu;
  number.level = figure.size() == 1 ? figure[0] - '0' : 0;
  read_scale(text, number);
  next = number.end;
  return number;
}

std::vector<Number> numbers_in(std::string_view text) {
  std::vector<Number> numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (is_digit(text[at])) {
      std::size_t next = at + 1;
      if (const auto number = lex_digits(text, at, next)) numbers.push_back(*number);
      at = next;
    } else if (is_letter(text[at])) {
      std::size_t end = at;
      while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
      const std::string_view word = text.substr(at, end - at);
      const auto known = std::find(kWords.begin(), kWords.end(), word);
      if (known != kWords.end()) {
        Number number{at, end, Kind::level, static_cast<int>(known - kWords.begin()), false, true};
        read_scale(text, number);
        numbers.push_back(number);
      }
      at = end;
    } else {
      ++at;
    }
  }
  return numbers;
}

// What joins two numbers to a range: "-", "–", "to", "through", "and", "or"; with spaces around.
bool joins_range(std::string_view between) {
  while (!between.empty() && is_space(between.front())) between.remove_prefix(1);
  while (!between.empty() && is_space(between.back())) between.remove_suffix(1);
  for (const std::string_view joint :
       {"-", "\xE2\x80\x93", "\xE2\x80\x94", "..", "to", "through", "and", "or"})
    if (between == joint) return true;
  return false;
}

// ---- which of them are scores
// ---------------------------------------------------------------------------------

template <std::size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<std::string_view, 27> kLabels = {
    "score", "scores", "scored",   "rating", "ratings", "rate",    "rates",      "rated",  "grade",
    "give",  "gives",  "gave",     "given",  "assign",  "assigns", "assigned",   "award",  "deserves",
    "earns", "merits", "receives", "answer", "result",  "verdict", "evaluation", "punkte", "bewertung"};
constexpr std::array<std::string_view, 22> kFillers = {
    "is",   "a",     "an",       "of", "as",   "at",    "the", "it",      "this",  "be", "would",
    "will", "reply", "response", "to", "with", "about", "me",  "overall", "final", "i",  "d"};
constexpr std::array<std::string_view, 7> kNots = {"not",     "never", "cannot", "t",
                                                   "neither", "nor",   "without"};

struct Word {
  std::string_view text;
  std::size_t begin = 0;
};

// Words of the sentence before `at`, the nearest first; at most `most`.
std::vector<Word> words_before(std::string_view text, std::size_t at, std::size_t most) {
  std::vector<Word> words;
  while (at > 0 && words.size() < most) {
    const char c = text[at - 1];
    if (c == '.' || c == '!' || c == '?' || c == ';') break;
    if (!is_letter(c)) {
      --at;
      continue;
    }
    std::size_t begin = at;
    while (begin > 0 && is_letter(text[begin - 1])) --begin;
    words.push_back({text.substr(begin, at - begin), begin});
    at = begin;
  }
  return words;
}

// "Rating: 4", "I would give this reply a 4", and no "not" before it.
bool is_labelled(std::string_view text, std::size_t at) {
  constexpr std::size_t kFar = 10;
  const std::vector<Word> words = words_before(text, at, kFar);
  std::size_t i = 0;
  while (i < words.size() && i < 6 && is_one_of(words[i].text, kFillers)) ++i;
  if (i >= words.size() || !is_one_of(words[i].text, kLabels)) return false;
  return std::none_of(words.begin(), words.end(), [](const Word& w) { return is_one_of(w.text, kNots); });
}

constexpr std::string_view kMarkup = " \t\r*_`\"'#>()[]{}.,:;=-";

bool only_markup(std::string_view text) { return text.find_first_not_of(kMarkup) == std::string_view::npos; }

bool stands_alone(std::string_view text, const Number& number) {
  const std::size_t before = number.begin == 0 ? std::string_view::npos : text.rfind('\n', number.begin - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t end = std::min(text.find('\n', number.end), text.size());
  std::string_view left = text.substr(begin, number.begin - begin);
  if (left.ends_with("-")) left.remove_suffix(1);
  return only_markup(left) && only_markup(text.substr(number.end, end - number.end));
}

// "4. The reply …", "4, because …": the answer begins with it, and does not begin a list.
bool opens(std::string_view text, const Number& number) {
  if (!only_markup(text.substr(0, number.begin)) ||
      text.substr(0, number.begin).find('\n') != std::string::npos)
    return false;
  std::string_view rest = text.substr(number.end);
  if (rest.empty()) return true;
  if (rest[0] == '.' || rest[0] == ')') {
    const std::string next = "\n" + std::to_string(number.level + 1) + rest[0];
    return rest.find(next) == std::string_view::npos;
  }
  const std::size_t word = rest.find_first_not_of(kMarkup);
  if (word == std::string_view::npos || rest[word] == '\n') return true;
  if (rest.substr(0, word).find_first_of(",:;-(*\"") != std::string_view::npos) return true;
  for (const std::string_view w :
       {"because", "since", "as ", "points", "point", "\xE2\x80\x93", "\xE2\x80\x94"})
    if (rest.substr(word).starts_with(w)) return true;
  return false;
}

bool counts_points(std::string_view text, const Number& number) {
  const std::string_view rest = text.substr(skip_spaces(text, number.end));
  return rest.starts_with("point") || rest.starts_with("punkt");
}

using Found = std::set<std::pair<Kind, int>>;

void add(Found& found, const Number& number) {
  found.emplace(number.kind, number.kind == Kind::level ? number.level : 0);
}

// Scores among the words of a text without JSON. False when numbers stand there that are none.
bool scores_in_prose(std::string_view text, Found& found) {
  const std::vector<Number> numbers = numbers_in(text);
  bool others = false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Number& number = numbers[i];
    const bool pair =
        i + 1 < numbers.size() && joins_range(text.substr(number.end, numbers[i + 1].begin - number.end));
    if (pair && number.level == 0 && numbers[i + 1].level == kLevels - 1 && number.kind == Kind::level) {
      ++i;  // the scale itself
      continue;
    }
    const bool scored = number.of_five || number.kind == Kind::other_scale ||
                        is_labelled(text, number.begin) || stands_alone(text, number) ||
                        (!number.word && opens(text, number)) ||
                        (!number.word && counts_points(text, number));
    if (scored) {
      add(found, number);
      if (pair) add(found, numbers[i + 1]);  // "4 or 5" is two scores
    } else {
      others = others || !number.word;
    }
  }
  return !others;
}

// ---- JSON
// -----------------------------------------------------------------------------------------------------

bool names_score(const std::string& key) {
  const std::string name = lower(key);
  for (const std::string_view not_it : {"max", "min", "scale", "range", "confidence", "out_of", "reason"})
    if (name.find(not_it) != std::string::npos) return false;
  for (const std::string_view it : {"score", "rating", "grade", "level", "points", "value"})
    if (name.find(it) != std::string::npos) return true;
  return false;
}

void score_of_value(const json& value, Found& found) {
  if (value.is_number()) {
    const double x = value.get<double>();
    if (!(x >= 0 && x <= kLevels - 1))
      found.emplace(Kind::out_of_range, 0);
    else if (x != static_cast<int>(x))
      found.emplace(Kind::off_menu, 0);
    else
      found.emplace(Kind::level, static_cast<int>(x));
  } else if (value.is_string()) {
    const std::string text = lower(value.get_ref<const std::string&>());
    for (const Number& number : numbers_in(text))
      if (number.of_five || stands_alone(text, number) || opens(text, number)) add(found, number);
  } else if (value.is_array()) {
    for (const json& one : value)
      if (one.is_number()) score_of_value(one, found);
  }
}

void scores_in_object(const json& object, int depth, Found& found) {
  bool named = false;
  const json* only = nullptr;
  int n_numbers = 0;
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      if (depth < kDeepest) scores_in_object(value, depth + 1, found);
    } else if (names_score(key)) {
      named = true;
      score_of_value(value, found);
    } else if (value.is_number()) {
      ++n_numbers;
      only = &value;
    }
  }
  if (!named && n_numbers == 1 && object.size() == 1) score_of_value(*only, found);
}

// End of the group that begins at `at`, past strings and comments; nothing when it is not closed.
std::optional<std::size_t> group_end(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\') ++i;
    } else if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i).starts_with("/*")) {
      const std::size_t end = text.find("*/", i + 2);
      if (end == std::string_view::npos) return std::nullopt;
      i = end + 1;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return std::nullopt;
}

// Takes the JSON out of the text. False when there is some that cannot be read.
bool scores_in_json(std::string& text, Found& found) {
  std::string rest;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = text.find('{', from)) != std::string::npos;) {
    const auto end = group_end(text, at);
    if (!end) return false;
    const json object = json::parse(text.begin() + static_cast<std::ptrdiff_t>(at),
                                    text.begin() + static_cast<std::ptrdiff_t>(*end), nullptr, false, true);
    if (object.is_discarded()) return false;
    scores_in_object(object, 0, found);
    rest += text.substr(from, at - from) + "\n";
    from = *end;
  }
  text = rest + text.substr(from);
  return true;
}

// ---- the answer as a whole
// ------------------------------------------------------------------------------------

// Without what a model thinks aloud before it answers. Nothing when it never came to an end.
std::optional<std::string> without_thoughts(std::string text) {
  for (const std::string_view tag : {"think", "thinking", "reasoning"}) {
    const std::string open = "<" + std::string(tag) + ">";
    const std::string close = "</" + std::string(tag) + ">";
    const std::size_t end = text.rfind(close);
    if (end != std::string::npos)
      text.erase(0, end + close.size());
    else if (text.find(open) != std::string::npos)
      return std::nullopt;
  }
  return text;
}

bool declines(const std::string& text) {
  for (const char* start :
       {"cannot ", "can't ", "can not ", "unable to ", "won't ", "will not ", "not able to "}) {
    for (std::size_t at = 0; (at = text.find(start, at)) != std::string::npos; ++at) {
      const std::string next = text.substr(at, 60);
      for (const char* what : {"rate", "rating", "score", "judge", "evaluate", "assess", "help", "assist",
                               "comply", "provide", "assign", "answer", "fulfil", "do that", "engage"})
        if (next.find(what) != std::string::npos) return true;
    }
  }
  return false;
}

Missing reason_of(Kind kind) {
  if (kind == Kind::off_menu) return kOffMenu;
  return kind == Kind::out_of_range ? kOutOfRange : kOtherScale;
}

}  // namespace

Measured<int> level_in(std::string_view answer) {
  if (answer.size() > kLongest) return Missing{"the judge's answer is too long"};
  auto thought = without_thoughts(lower(answer));
  if (!thought) return Missing{"the judge was still thinking when it was cut off"};
  std::string& text = *thought;
  replace_all(text, "\xE2\x80\x99", "'");
  replace_all(text, "\xC2\xA0", " ");
  for (char digit = 0; digit < 10; ++digit) {  // full width, as East Asian keyboards write them
    const char wide[] = {'\xEF', '\xBC', static_cast<char>(0x90 + digit)};
    replace_all(text, std::string_view(wide, 3), std::string(1, static_cast<char>('0' + digit)));
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return Missing{"the judge's answer is empty"};
  Found found;
  if (!scores_in_json(text, found)) return kBrokenJson;
  const bool all_scores = scores_in_prose(text, found);
  if (declines(text)) return kDeclined;
  if (found.size() > 1) return kSeveral;
  if (found.empty())
    return all_scores ? kNoScore
                      : Missing{"numbers stand in the judge's answer, but none is called its score"};
  if (found.begin()->first != Kind::level) return reason_of(found.begin()->first);
  return found.begin()->second;
}

}  // namespace sonder::instrument::detail
