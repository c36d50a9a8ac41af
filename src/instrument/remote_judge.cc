#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "base/hash.h"
#include "instrument/detail/judge_answer.h"
#include "instrument/detail/judge_prompt.h"
#include "instrument/detail/rating.h"
#include "instrument/instrument.h"

namespace sonder::instrument {
namespace {

using detail::JudgeAnswer;
using nlohmann::json;

constexpr int kAnswerTokens = 32;  // a rating, with a label or a fence around it
constexpr int kBytesAToken = 3;    // for the budget, until the true cost is known

// Endpoints differ in what they take. A question begins whole and is made plainer when it is refused.
enum Form : int { whole, no_probabilities, other_limit, no_temperature, refused };

// What has been heard about one reply.
struct Heard {
  std::optional<Measured<double>> by_probability;
  std::vector<int> levels;  // one a draw that held one
  int draws = 0;
  std::string reason;  // why the first draw without a level had none
};

class RemoteJudge final : public Instrument {
 public:
  RemoteJudge(model::Endpoint& endpoint, RemoteJudgeOptions options)
      : endpoint_(endpoint), options_(std::move(options)) {
    require(!options_.model.empty(), "a judge at an endpoint needs the name of its model");
    require(options_.samples >= 1, "a judge gives at least one sample");
  }

  std::string name() const override { return "judge"; }
  std::string family() const override { return "judge"; }
  std::string unit() const override { return "points, 0 to 5"; }
  double highest() const override { return 5; }
  double lowest() const override { return 0; }
  double step() const override { return 1; }
  std::string fingerprint() const override {
    return sha256(json{"remote judge 1", options_.url, options_.model, options_.rubric_affective,
                       options_.rubric_cognitive, options_.samples}
                      .dump());
  }

  std::vector<Measured<double>> score(const std::string& facet, std::span<const BlindReply> replies,
                                      const OnProgress& progress, const Cancel& cancel) override {
    require(facet == "affective" || facet == "cognitive", "a judge knows the facets affective and cognitive");
    const std::string& rubric = facet == "affective" ? options_.rubric_affective : options_.rubric_cognitive;
    require(!rubric.empty(), "a judge needs a rubric for the facet it is asked about");
    std::vector<Measured<double>> scores(replies.size(), Measured<double>(Missing{"the reply is empty"}));
    std::vector<std::size_t> asked;
    std::vector<std::string> prompts;
    for (std::size_t i = 0; i < replies.size(); ++i) {
      if (replies[i].words().find_first_not_of(" \n\t\r") == std::string::npos) continue;
      prompts.push_back(rubric + detail::message_part(replies[i]) + detail::reply_part(replies[i]));
      asked.push_back(i);
    }
    std::vector<Heard> heard(prompts.size());
    std::vector<int> first(prompts.size(), 1);
    if (!known_ && prompts.size() > 1) {  // by one question find out what the endpoint takes
      std::vector<int> alone(prompts.size(), 0);
      std::swap(alone[0], first[0]);
      ask(prompts, alone, heard, cancel);
    }
    known_ = true;
    ask(prompts, first, heard, cancel);
    std::vector<int> more(prompts.size());  // the first answer is a draw already
    for (std::size_t i = 0; i < heard.size(); ++i)
      more[i] = heard[i].by_probability ? 0 : options_.samples - 1;
    ask(prompts, more, heard, cancel);
    for (std::size_t i = 0; i < heard.size(); ++i) scores[asked[i]] = score_of(heard[i]);
    const auto n = static_cast<std::int64_t>(replies.size());
    if (progress) progress({"", "texts", n, n});
    return scores;
  }

 private:
  std::string body_of(const std::string& prompt, int form) const {
    json body = {{"model", options_.model},
                 {"messages", json::array({{{"role", "user"}, {"content", prompt}}})}};
    if (form < no_probabilities) body["logprobs"] = true, body["top_logprobs"] = 20;
    body[form < other_limit ? "max_tokens" : "max_completion_tokens"] = kAnswerTokens;
    if (form < no_temperature) body["temperature"] = 1;
    return body.dump(-1, ' ', false, json::error_handler_t::replace);
  }

  // draws[i] questions about prompt i.
  void ask(const std::vector<std::string>& prompts, const std::vector<int>& draws, std::vector<Heard>& heard,
           const Cancel& cancel) {
    std::vector<model::Question> questions;
    std::vector<std::size_t> owner;
    std::vector<int> form;
    for (std::size_t i = 0; i < prompts.size(); ++i)
      for (int draw = 0; draw < draws[i]; ++draw) {
        const auto cost = static_cast<std::int64_t>(prompts[i].size()) / kBytesAToken + kAnswerTokens;
        questions.push_back({body_of(prompts[i], form_), cost});
        owner.push_back(i);
        form.push_back(form_);
        ++heard[i].draws;
      }
    if (questions.empty()) return;
    const auto gone = [&](std::size_t q, const std::string& reason) {
      std::string& why = heard[owner[q]].reason;
      if (why.empty()) why = reason;
    };
    const auto answered = [&](std::size_t q, const model::HttpAnswer& answer) -> model::Handling {
      if (answer.status >= 400) return plainer(answer, prompts[owner[q]], form[q]);
      return take(detail::read_answer(answer.body), heard[owner[q]]);
    };
    endpoint_.ask(questions, answered, gone, cancel);
  }

  // Refused: the same question with less around it, or gone when there is nothing left to leave out.
  model::Handling plainer(const model::HttpAnswer& answer, const std::string& prompt, int& form) {
    if (answer.body.find("context_length") != std::string::npos)
      return {model::Handling::Next::gone, "the text is too long for the endpoint"};
    if (form + 1 >= refused)
      return {model::Handling::Next::gone,
              "the endpoint refused the question (HTTP " + std::to_string(answer.status) + ")"};
    ++form;
    form_ = std::max(form_, form);  // what it refused once, it need not be asked again
    return {model::Handling::Next::instead, "", body_of(prompt, form)};
  }

  static model::Handling take(const JudgeAnswer& answer, Heard& heard) {
    if (answer.damaged) return {model::Handling::Next::again, answer.level.reason(), "", answer.n_tokens};
    if (answer.p) {
      const auto rating = detail::rating_of(*answer.p, 0);
      heard.by_probability =
          rating ? Measured<double>(rating->score) : Measured<double>(Missing{rating.reason()});
    }
    if (answer.level)
      heard.levels.push_back(*answer.level);
    else if (heard.reason.empty())
      heard.reason = answer.level.reason();
    return {model::Handling::Next::done, "", "", answer.n_tokens};
  }

  static Measured<double> score_of(const Heard& heard) {
    if (heard.by_probability) return *heard.by_probability;
    if (heard.levels.empty() || 2 * heard.levels.size() < static_cast<std::size_t>(heard.draws))
      return Missing{heard.reason};
    return std::accumulate(heard.levels.begin(), heard.levels.end(), 0.0) /
           static_cast<double>(heard.levels.size());
  }

  model::Endpoint& endpoint_;
  RemoteJudgeOptions options_;
  int form_ = whole;    // the fullest that was not refused
  bool known_ = false;  // one question was asked already
};

}  // namespace

std::unique_ptr<Instrument> remote_judge(model::Endpoint& endpoint, const RemoteJudgeOptions& options) {
  return std::make_unique<RemoteJudge>(endpoint, options);
}

}  // namespace sonder::instrument
