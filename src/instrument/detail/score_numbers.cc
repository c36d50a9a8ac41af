#include "instrument/detail/score_numbers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>

#include "instrument/detail/judge_prompt.h"

namespace sonder::instrument::detail {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr std::array<std::string_view, kLevels> kWords = {"zero", "one", "two", "three", "four", "five"};

std::size_t digits_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

// "/5", "out of 5" after a number: moves its end behind it. Not for "1/5/2026" and "3 out of 5 sentences".
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
  if (end == at || text.substr(end).starts_with("/") || !goes_on(text.substr(end))) return;
  number.end = end;
  number.of_five = true;
  if (text.substr(at, end - at) != "5") number.kind = Kind::other_scale;
}

// A decimal part from `number.end` on: whether it is more than zeros. "1,000" is a thousand.
struct Decimals {
  bool any = false;
  bool thousands = false;
};
Decimals read_decimals(std::string_view text, Number& number) {
  Decimals found;
  while (number.end + 1 < text.size() && (text[number.end] == '.' || text[number.end] == ',') &&
         is_digit(text[number.end + 1])) {
    const std::size_t from = number.end + 1;
    found.thousands = found.thousands || (text[number.end] == ',' && digits_end(text, from) == from + 3);
    number.end = digits_end(text, from);
    found.any = found.any || text.substr(from, number.end - from).find_first_not_of('0') != std::string::npos;
  }
  for (const std::string_view part : {"\xC2\xBD", "\xC2\xBC", "\xC2\xBE"}) {  // ½ ¼ ¾
    if (!text.substr(number.end).starts_with(part)) continue;
    found.any = true;
    number.end += part.size();
  }
  return found;
}

// The number at `at`, where a digit stands; nothing for what is no quantity ("4th", "a4").
std::optional<Number> lex_digits(std::string_view text, std::size_t at, std::size_t& next) {
  const std::size_t whole = digits_end(text, at);
  Number number{at, whole, Kind::level, 0, false, false};
  Decimals decimals = read_decimals(text, number);
  next = number.end;
  if (at > 0 && (is_letter(text[at - 1]) || text[at - 1] == '_')) return std::nullopt;
  if (number.end < text.size() && (is_letter(text[number.end]) || text[number.end] == '_'))
    return std::nullopt;
  if (number.end < text.size() && text[number.end] == '+') decimals.any = true, ++number.end;
  std::string_view figure = text.substr(at, whole - at);
  figure.remove_prefix(std::min(figure.find_first_not_of('0'), figure.size() - 1));
  // A sign, not a dash between two things.
  const bool sign = at > 0 && text[at - 1] == '-' && (at == 1 || !is_digit(text[at - 2]));
  const bool beyond = figure.size() > 1 || figure[0] > '5' || (figure[0] == '5' && decimals.any);
  if (beyond || decimals.thousands || (sign && (figure != "0" || decimals.any)))
    number.kind = Kind::out_of_range;
  else if (decimals.any)
    number.kind = Kind::off_menu;
  number.level = figure.size() == 1 ? figure[0] - '0' : 0;
  if (at == 0 || text[at - 1] != '/') read_scale(text, number);
  next = number.end;
  return number;
}

}  // namespace

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 128;
}

std::size_t skip_spaces(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

bool goes_on(std::string_view rest) {
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
  if (rest.empty() || !is_letter(rest.front())) return rest.empty() || !is_digit(rest.front());
  const std::string_view word = rest.substr(0, std::min(rest.find_first_of(" \t\n.,:;!?)"), rest.size()));
  constexpr std::array<std::string_view, 20> kNext = {
      "point", "points", "because", "since", "as",   "for",   "overall", "in",  "on",     "here",
      "due",   "given",  "which",   "to",    "from", "stars", "but",     "and", "punkte", "or"};
  return std::find(kNext.begin(), kNext.end(), word) != kNext.end();
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
        end = number.end;
      }
      at = end;
    } else {
      ++at;
    }
  }
  return numbers;
}

}  // namespace sonder::instrument::detail
