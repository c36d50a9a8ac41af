#include "report/detail/requirement.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.h"

namespace sonder::report::detail {
namespace {

constexpr std::size_t kLongest = 10000;
constexpr int kDeepest = 50;

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Requirement whole() {
    Requirement found = any(0);
    skip();
    if (at_ < text_.size()) refuse_at(at_, "expected 'and', 'or' or the end");
    return found;
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }

  bool symbol(std::string_view wanted) {
    skip();
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }

  bool word(std::string_view wanted) {
    skip();
    if (!text_.substr(at_).starts_with(wanted)) return false;
    const std::size_t end = at_ + wanted.size();
    if (end < text_.size() && (is_name(text_[end]) || text_[end] == '.' || text_[end] == '[')) return false;
    at_ = end;
    return true;
  }

  Requirement chain(Requirement::Kind kind, std::string_view joint, int depth) {
    Requirement first = kind == Requirement::Kind::any ? all(depth) : negation(depth);
    if (!word(joint)) return first;
    Requirement out;
    out.kind = kind;
    out.parts.push_back(std::move(first));
    do {
      out.parts.push_back(kind == Requirement::Kind::any ? all(depth) : negation(depth));
    } while (word(joint));
    return out;
  }
  Requirement any(int depth) { return chain(Requirement::Kind::any, "or", depth); }
  Requirement all(int depth) { return chain(Requirement::Kind::all, "and", depth); }

  Requirement negation(int depth) {
    if (depth > kDeepest) refuse_at(at_, "nested deeper than " + std::to_string(kDeepest));
    if (word("not")) {
      Requirement out;
      out.kind = Requirement::Kind::negation;
      out.parts.push_back(negation(depth + 1));
      return out;
    }
    if (symbol("(")) {
      Requirement inner = any(depth + 1);
      if (!symbol(")")) refuse_at(at_, "expected ')'");
      return inner;
    }
    return claim();
  }

  std::string name(const char* what) {
    skip();
    const std::size_t from = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    if (at_ == from) refuse_at(at_, std::string("expected ") + what);
    return std::string(text_.substr(from, at_ - from));
  }

  // What a field of a filter must be: up to the next comma or bracket, or in quotes.
  std::string filter_value() {
    skip();
    if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"')) return quoted();
    const std::size_t from = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ']') ++at_;
    std::string_view found = text_.substr(from, at_ - from);
    while (found.ends_with(' ')) found.remove_suffix(1);
    if (found.empty()) refuse_at(from, "expected a value after '='");
    return std::string(found);
  }

  Step step() {
    Step out;
    skip();
    out.at = at_;
    out.name = name("a name such as verdict.affective.control");
    if (!symbol("[")) return out;
    do {
      std::string field = name("a field's name");
      if (!symbol("=")) refuse_at(at_, "expected '='");
      symbol("=");  // == is meant as well
      out.filter.emplace_back(std::move(field), filter_value());
    } while (symbol(","));
    if (!symbol("]")) refuse_at(at_, "expected ',' or ']'");
    return out;
  }

  std::optional<Compare> comparison() {
    skip();
    for (const auto& [sign, compare] : {std::pair{"==", Compare::equal}, std::pair{"!=", Compare::unequal},
                                        std::pair{"<=", Compare::at_most}, std::pair{">=", Compare::at_least},
                                        std::pair{"<", Compare::less}, std::pair{">", Compare::more}})
      if (symbol(sign)) return compare;
    if (symbol("=")) refuse_at(at_ - 1, "expected '=='; a single '=' stands only inside [ ]");
    return std::nullopt;
  }

  std::string quoted() {
    const char quote = text_[at_];
    const std::size_t from = at_ + 1;
    const std::size_t end = text_.find(quote, from);
    if (end == std::string_view::npos) refuse_at(at_, "this quote is never closed");
    at_ = end + 1;
    return std::string(text_.substr(from, end - from));
  }

  Value value() {
    skip();
    if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"')) return quoted();
    if (word("true")) return true;
    if (word("false")) return false;
    double number = 0;
    std::size_t from = at_;
    if (from < text_.size() && text_[from] == '+') ++from;
    const auto [end, error] = std::from_chars(text_.data() + from, text_.data() + text_.size(), number);
    const auto stop = static_cast<std::size_t>(end - text_.data());
    if (error != std::errc() || !std::isfinite(number) || (stop < text_.size() && is_name(text_[stop])))
      refuse_at(at_, "expected a number, a 'text' in quotes, true or false");
    at_ = stop;
    return number;
  }

  Requirement claim() {
    Requirement out;
    skip();
    const std::size_t from = at_;
    do {
      out.claim.path.push_back(step());
    } while (symbol("."));
    std::size_t to = at_;
    if (const auto compare = comparison()) {
      skip();
      out.claim.compare = *compare;
      out.claim.at = at_;
      out.claim.value = value();
      to = at_;
    }
    out.claim.text = std::string(text_.substr(from, to - from));
    while (out.claim.text.ends_with(' ')) out.claim.text.pop_back();
    return out;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

void refuse_at(std::size_t at, const std::string& message) {
  throw Error(ErrorKind::bad_input,
              "the requirement, at character " + std::to_string(at + 1) + ": " + message);
}

Requirement parse_requirement(std::string_view text) {
  require(text.size() <= kLongest, "a requirement has at most " + std::to_string(kLongest) + " characters");
  return Parser(text).whole();
}

}  // namespace sonder::report::detail
