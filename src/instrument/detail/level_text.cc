#include "instrument/detail/level_text.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "instrument/detail/judge_prompt.h"
#include "instrument/detail/score_numbers.h"

namespace sonder::instrument::detail {
namespace {

using nlohmann::json;

constexpr std::size_t kLongest = 1U << 16U;  // bytes of an answer that is read
constexpr int kDeepest = 4;                  // groups of JSON inside each other
constexpr std::size_t kMostNumbers = 200;    // in one answer

const Missing kNoScore{"the judge gave no score"};
const Missing kSeveral{"the judge gave several scores"};
const Missing kOffMenu{"the judge's score is not a whole number"};
const Missing kOutOfRange{"the judge's score is not between 0 and 5"};
const Missing kOtherScale{"the judge scored on another scale"};
const Missing kBrokenJson{"the judge's JSON is broken or cut off"};
const Missing kDeclined{"the judge declined to rate"};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}
std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t at = 0; (at = text.find(from, begin)) != std::string_view::npos; begin = at + from.size())
    out.append(text.substr(begin, at - begin)).append(to);
  return out.append(text.substr(begin));
}

// ---- which of them are scores ----------------------------------------------------------------------------

// What joins two numbers to a range: "-", "to", "through", "and", "or"; with spaces around.
bool joins_range(std::string_view between) {
  constexpr std::size_t kFar = 16;
  if (between.size() > kFar) return false;
  while (!between.empty() && is_space(between.front())) between.remove_prefix(1);
  while (!between.empty() && is_space(between.back())) between.remove_suffix(1);
  for (const std::string_view joint : {"-", "..", "to", "through", "and", "or"})
    if (between == joint) return true;
  return false;
}

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

// Words of the sentence before `at`, the nearest first; at most `most`.
std::vector<std::string_view> words_before(std::string_view text, std::size_t at, std::size_t most) {
  std::vector<std::string_view> words;
  while (at > 0 && words.size() < most) {
    const char c = text[at - 1];
    if (c == '.' || c == '!' || c == '?' || c == ';' || c == '\n') break;
    if (!is_letter(c)) {
      --at;
      continue;
    }
    std::size_t begin = at;
    while (begin > 0 && is_letter(text[begin - 1])) --begin;
    words.push_back(text.substr(begin, at - begin));
    at = begin;
  }
  return words;
}

// "Rating: 4", "I would give this reply a 4", and no "not" before it.
bool is_labelled(std::string_view text, const Number& number) {
  constexpr std::size_t kFar = 10;
  if (!goes_on(text.substr(number.end))) return false;
  const std::vector<std::string_view> words = words_before(text, number.begin, kFar);
  std::size_t i = 0;
  while (i < words.size() && i < 6 && is_one_of(words[i], kFillers)) ++i;
  if (i >= words.size() || !is_one_of(words[i], kLabels)) return false;
  return std::none_of(words.begin(), words.end(), [](std::string_view w) { return is_one_of(w, kNots); });
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
  const std::string_view left = text.substr(0, number.begin);
  if (!only_markup(left) || left.find('\n') != std::string_view::npos) return false;
  const std::string_view rest = text.substr(number.end);
  if (rest.starts_with(".") || rest.starts_with(")"))
    return rest.find("\n" + std::to_string(number.level + 1) + rest[0]) == std::string_view::npos;
  return goes_on(rest);
}

bool counts_points(std::string_view text, const Number& number) {
  const std::string_view rest = text.substr(skip_spaces(text, number.end));
  return rest.starts_with("point") || rest.starts_with("punkt");
}

using Found = std::set<std::pair<Kind, int>>;

void add(Found& found, const Number& number) {
  found.emplace(number.kind, number.kind == Kind::level ? number.level : 0);
}

bool same_sentence(std::string_view text, const Number& one, const Number& other) {
  const std::size_t from = std::min(one.end, other.end);
  const std::size_t to = std::max(one.begin, other.begin);
  return text.substr(from, to - from).find_first_of(".!?;\n") == std::string_view::npos;
}

struct Prose {
  std::vector<Number> scores;
  std::vector<Number> others;  // numbers that nothing calls a score
};

// Scores among the words of a text without JSON.
Prose scores_in_prose(std::string_view text, const std::vector<Number>& numbers) {
  Prose prose;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Number& number = numbers[i];
    const bool pair =
        i + 1 < numbers.size() && joins_range(text.substr(number.end, numbers[i + 1].begin - number.end));
    if (pair && number.level == 0 && numbers[i + 1].level == kLevels - 1 && number.kind == Kind::level) {
      ++i;  // the scale itself
      continue;
    }
    const bool scored = number.of_five || is_labelled(text, number) || stands_alone(text, number) ||
                        (!number.word && (opens(text, number) || counts_points(text, number)));
    if (scored) prose.scores.push_back(number);
    if (scored && pair) prose.scores.push_back(numbers[i + 1]);  // "4 or 5" is two scores
    if (!scored && !number.word) prose.others.push_back(number);
  }
  return prose;
}

// "I give warmth a 4, tone a 2": a score beside numbers of the same kind is not the one.
bool is_beside_others(std::string_view text, const Prose& prose) {
  for (const Number& score : prose.scores)
    for (const Number& other : prose.others)
      if (other.kind != Kind::out_of_range && same_sentence(text, score, other)) return true;
  return false;
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
    bool twice = false;
    std::set<std::pair<int, std::string>> keys;
    const auto note = [&](int depth, json::parse_event_t event, json& parsed) {
      if (event == json::parse_event_t::key && names_score(parsed.get_ref<const std::string&>()))
        twice = !keys.emplace(depth, parsed.get<std::string>()).second || twice;
      return true;
    };
    const json object = json::parse(text.begin() + static_cast<std::ptrdiff_t>(at),
                                    text.begin() + static_cast<std::ptrdiff_t>(*end), note, false, true);
    if (object.is_discarded()) return false;
    scores_in_object(object, 0, found);
    if (twice) found.insert({{Kind::level, -1}, {Kind::level, -2}});  // the reader keeps the last alone
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

bool has_any(std::string_view text, std::initializer_list<const char*> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const char* part) { return text.find(part) != std::string_view::npos; });
}

// "I cannot rate this": then a number besides is none of its judgements.
bool declines(std::string_view text) {
  for (const char* start :
       {"i cannot ", "i can't ", "i can not ", "i'm unable to ", "i am unable to ", "i won't ", "i will not ",
        "i'm not able to ", "i am not able to ", "we cannot "}) {
    const std::string_view opening(start);
    for (std::size_t at = 0; (at = text.find(opening, at)) != std::string_view::npos; ++at)
      if (has_any(text.substr(at + opening.size(), 30),
                  {"rate", "rating", "score", "judge", "evaluat", "assess", "help", "assist", "comply",
                   "provide", "assign", "give", "answer", "fulfil", "do that", "engage", "continue"}))
        return true;
  }
  return false;
}

bool sounds_declining(std::string_view text) {
  return has_any(text, {"cannot", "can't", "can not", "unable to", "not able to", "i won't", "i will not",
                        "sorry", "as an ai"});
}

// Lower case, and one spelling of quotes, dashes and digits.
std::string plain(std::string_view answer) {
  std::string text = lower(answer);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kSpellings = {{
      {"\xE2\x80\x99", "'"},  // ’
      {"\xE2\x80\x98", "'"},
      {"\xE2\x80\x9C", "\""},  // “
      {"\xE2\x80\x9D", "\""},
      {"\xE2\x80\x93", "-"},  // –
      {"\xE2\x80\x94", "-"},  // —
      {"\xE2\x88\x92", "-"},  // minus
      {"\xE2\x80\xA6", "..."},
      {"\xC2\xA0", " "},      // no-break space
      {"\xE3\x80\x82", "."},  // 。
      {"\xEF\xBC\x9A", ":"},  // ：
      {"\xEF\xBC\x8C", ","},  // ，
  }};
  for (const auto& [from, to] : kSpellings) text = replaced(text, from, to);
  for (char digit = 0; digit < 10; ++digit) {  // full width, as East Asian keyboards write them
    const char wide[] = {'\xEF', '\xBC', static_cast<char>(0x90 + digit)};
    text = replaced(text, std::string_view(wide, 3), std::string(1, static_cast<char>('0' + digit)));
  }
  return text;
}

Missing reason_of(Kind kind) {
  if (kind == Kind::off_menu) return kOffMenu;
  return kind == Kind::out_of_range ? kOutOfRange : kOtherScale;
}

}  // namespace

Measured<int> level_in(std::string_view answer) {
  if (answer.size() > kLongest) return Missing{"the judge's answer is too long"};
  auto thought = without_thoughts(plain(answer));
  if (!thought) return Missing{"the judge was still thinking when it was cut off"};
  std::string& text = *thought;
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return Missing{"the judge's answer is empty"};
  Found found;
  if (!scores_in_json(text, found)) return kBrokenJson;
  const std::vector<Number> numbers = numbers_in(text);
  if (numbers.size() > kMostNumbers) return kSeveral;
  const Prose prose = scores_in_prose(text, numbers);
  for (const Number& number : prose.scores) add(found, number);
  if (declines(text)) return kDeclined;
  if (found.size() > 1 || is_beside_others(text, prose)) return kSeveral;
  if (found.empty()) {
    if (sounds_declining(text)) return kDeclined;
    return prose.others.empty()
               ? kNoScore
               : Missing{"numbers stand in the judge's answer, but none is called its score"};
  }
  if (found.begin()->first != Kind::level) return reason_of(found.begin()->first);
  return found.begin()->second;
}

}  // namespace sonder::instrument::detail
