#include "instrument/detail/judge_answer.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "instrument/detail/judge_prompt.h"
#include "instrument/detail/level_text.h"

namespace sonder::instrument::detail {
namespace {

using nlohmann::json;

// The member of an object; null when there is none.
const json& member(const json& object, const char* name) {
  static const json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : ""; }

// The words of an answer: a text, or a list of parts.
std::optional<std::string> words_of(const json& choice) {
  const json& content = member(member(choice, "message"), "content");
  if (content.is_string()) return content.get<std::string>();
  if (content.is_array()) {
    std::string words;
    for (const json& part : content) words += text_of(member(part, "text"));
    return words;
  }
  const json& text = member(choice, "text");  // of the older completions
  if (text.is_string()) return text.get<std::string>();
  return std::nullopt;
}

// ---- probabilities ----------------------------------------------------------------------------------------

// One token of the answer, and what else could have stood there.
struct Step {
  std::string token;
  std::vector<std::pair<std::string, double>> others;  // and their log-probabilities, itself among them
};

std::vector<Step> steps_of(const json& logprobs) {
  std::vector<Step> steps;
  for (const json& token : member(logprobs, "content")) {
    Step step{text_of(member(token, "token")), {}};
    for (const json& other : member(token, "top_logprobs"))
      if (member(other, "token").is_string() && member(other, "logprob").is_number())
        step.others.emplace_back(other["token"].get<std::string>(), other["logprob"].get<double>());
    steps.push_back(std::move(step));
  }
  if (!steps.empty()) return steps;
  const json& tokens = member(logprobs, "tokens");  // of the older completions
  const json& tops = member(logprobs, "top_logprobs");
  if (!tokens.is_array() || !tops.is_array()) return {};
  for (std::size_t i = 0; i < std::min(tokens.size(), tops.size()); ++i) {
    Step step{text_of(tokens[i]), {}};
    if (tops[i].is_object())
      for (const auto& [token, p] : tops[i].items())
        if (p.is_number()) step.others.emplace_back(token, p.get<double>());
    steps.push_back(std::move(step));
  }
  return steps;
}

// The level that a token spells, with whatever spaces and quotes; -1 when it spells none.
int spelt(std::string_view token) {
  constexpr std::string_view kAround = " \t\r\n\"'*`";
  for (const std::string_view space : {"\xE2\x96\x81", "\xC4\xA0"})  // a space as some tokenisers show it
    if (token.starts_with(space)) token.remove_prefix(space.size());
  const std::size_t from = token.find_first_not_of(kAround);
  if (from == std::string_view::npos) return -1;
  token = token.substr(from, token.find_last_not_of(kAround) + 1 - from);
  return token.size() == 1 && token[0] >= '0' && token[0] < '0' + kLevels ? token[0] - '0' : -1;
}

// Whether the words before a rating are nothing but its wrapping.
bool is_form(const std::string& before) {
  std::string word;
  const auto known = [&word] {
    const bool fine =
        word.empty() || word == "score" || word == "rating" || word == "json" || word == "final";
    word.clear();
    return fine;
  };
  for (const char c : before) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    if (!known() || std::string_view(" \t\r\n\"'*`{:#_=").find(c) == std::string_view::npos) return false;
  }
  return known();
}

std::optional<std::vector<double>> probabilities(const std::vector<Step>& steps, int level) {
  std::string before;
  for (const Step& step : steps) {
    if (step.token.find_first_of("0123456789") == std::string::npos) {
      before += step.token;
      continue;
    }
    if (spelt(step.token) != level || step.others.empty() || !is_form(before)) return std::nullopt;
    std::vector<double> p(kLevels);
    std::set<std::string> seen;  // some servers list the chosen token twice
    for (const auto& [token, log_p] : step.others) {
      const int k = spelt(token);
      if (k >= 0 && log_p <= 0 && seen.insert(token).second)
        p[static_cast<std::size_t>(k)] += std::exp(log_p);
    }
    return p;
  }
  return std::nullopt;
}

// ---- the body ---------------------------------------------------------------------------------------------

// Why a body is no chat completion; nothing when it is one.
std::optional<Missing> damage_of(std::string_view body, const json& parsed) {
  const std::size_t first = body.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return Missing{"the endpoint's answer is empty"};
  if (body[first] == '<') return Missing{"a web page came back instead of an answer"};
  if (parsed.is_discarded()) return Missing{"the endpoint's answer is not whole JSON"};
  const json& choices = member(parsed, "choices");
  if (choices.is_array() && !choices.empty() && choices[0].is_object()) return std::nullopt;
  return Missing{member(parsed, "error").is_null() ? "there is no choice in the endpoint's answer"
                                                   : "the endpoint reported an error instead of an answer"};
}

Measured<int> level_of(const json& choice) {
  if (!text_of(member(member(choice, "message"), "refusal")).empty())
    return Missing{"the judge declined to rate"};
  const std::string finish = text_of(member(choice, "finish_reason"));
  if (finish == "content_filter") return Missing{"the endpoint's content filter stopped the judge"};
  const auto words = words_of(choice);
  if (!words) return Missing{"there are no words in the judge's answer"};
  Measured<int> level = level_in(*words);
  if (!level && finish == "length") return Missing{level.reason() + "; the answer was cut off at its limit"};
  return level;
}

}  // namespace

JudgeAnswer read_answer(std::string_view body) {
  JudgeAnswer answer;
  const json parsed = json::parse(body.begin(), body.end(), nullptr, false);
  const json& tokens = member(member(parsed, "usage"), "total_tokens");
  if (tokens.is_number_integer())
    answer.n_tokens = std::clamp<std::int64_t>(tokens.get<std::int64_t>(), 0, 1 << 30);
  if (auto damage = damage_of(body, parsed)) {
    answer.damaged = true;
    answer.level = std::move(*damage);
    return answer;
  }
  const json& choice = parsed["choices"][0];
  answer.model = text_of(member(parsed, "model"));
  answer.level = level_of(choice);
  if (answer.level) answer.p = probabilities(steps_of(member(choice, "logprobs")), *answer.level);
  return answer;
}

}  // namespace sonder::instrument::detail
