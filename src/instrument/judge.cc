#include <algorithm>

#include "base/hash.h"
#include "instrument/detail/judge_prompt.h"
#include "instrument/detail/rating.h"
#include "instrument/instrument.h"

namespace sonder::instrument {
namespace {

const std::vector<std::string> kLevels = {"0", "1", "2", "3", "4", "5"};

class Judge final : public Instrument {
 public:
  Judge(model::Model& model, JudgeOptions options) : model_(model), options_(std::move(options)) {
    require(!model.card().is_encoder,
            "a judge is a generator: an encoder has no next token to read a rating from");
    cuts_[0] = chat_cut(options_.rubric_affective);
    cuts_[1] = chat_cut(options_.rubric_cognitive);
  }

  std::string name() const override { return "judge"; }
  std::string family() const override { return "judge"; }
  std::string unit() const override { return "points, 0 to 5"; }
  double highest() const override { return 5; }
  double lowest() const override { return 0; }
  double step() const override { return 1; }
  std::string fingerprint() const override {
    return sha256("judge 2|" + model_.card().sha256 + "|" + options_.rubric_affective + "|" +
                  options_.rubric_cognitive + (options_.form == model::Template::chat ? "|chat" : "|plain"));
  }

  std::vector<Measured<double>> score(const std::string& facet, std::span<const BlindReply> replies,
                                      const OnProgress& progress, const Cancel& cancel) override {
    require(facet == "affective" || facet == "cognitive", "a judge knows the facets affective and cognitive");
    require(!rubric(facet == "affective" ? 0 : 1).empty(),
            "a judge needs a rubric for the facet it is asked about");
    std::vector<Measured<double>> scores(replies.size(), Measured<double>(Missing{"the reply is empty"}));
    std::vector<model::Passage> passages;
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < replies.size(); ++i) {
      if (replies[i].words().find_first_not_of(" \n\t\r") == std::string::npos) continue;
      passages.push_back(passage(facet == "affective" ? 0 : 1, replies[i]));
      asked.push_back(i);
    }
    const std::vector<model::Choices> rated = model_.choose(passages, kLevels, cancel);
    for (std::size_t i = 0; i < rated.size(); ++i) {
      const Measured<detail::Rating> rating = detail::rating_of(rated[i].p, 0);
      scores[asked[i]] =
          rating ? Measured<double>(rating->score) : Measured<double>(Missing{rating.reason()});
    }
    const auto n = static_cast<std::int64_t>(replies.size());
    if (progress) progress({"", "texts", n, n});
    return scores;
  }

 private:
  const std::string& rubric(std::size_t facet) const {
    return facet == 0 ? options_.rubric_affective : options_.rubric_cognitive;
  }

  std::vector<model::Token> chat_tokens(const std::string& content) const {
    const std::vector<model::Message> turns = {{"user", content}};
    return model_.tokenise(model_.render(turns, model::Template::chat));
  }

  // How many tokens any message's conversation begins with. Found from two messages that begin differently,
  // so that the cut, and with it every byte, is the same whatever is judged together.
  int chat_cut(const std::string& instructions) const {
    if (options_.form != model::Template::chat || instructions.empty()) return 0;
    const std::vector<model::Token> one = chat_tokens(instructions + detail::kMessage + "a");
    const std::vector<model::Token> other = chat_tokens(instructions + detail::kMessage + "7");
    const auto differ = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
    return static_cast<int>(differ.first - one.begin());
  }

  // Rubric, then message, then reply; cut between them, so that a rubric and a message are read once.
  model::Passage passage(std::size_t facet, const BlindReply& reply) const {
    const std::string message = detail::message_part(reply);
    const std::string answer = detail::reply_part(reply);
    model::Passage p;
    if (options_.form == model::Template::chat) {
      p.tokens = chat_tokens(rubric(facet) + message + answer);
      if (cuts_[facet] > 0) p.cuts.push_back(std::min(cuts_[facet], static_cast<int>(p.tokens.size()) - 1));
    } else {
      p.tokens = model_.tokenise(rubric(facet));
      for (const std::string& part : {message, answer}) {
        p.cuts.push_back(static_cast<int>(p.tokens.size()));
        const std::vector<model::Token> tokens = model_.tokenise_plain(part);
        p.tokens.insert(p.tokens.end(), tokens.begin(), tokens.end());
      }
    }
    p.n_prompt = static_cast<int>(p.tokens.size());
    return p;
  }

  model::Model& model_;
  JudgeOptions options_;
  int cuts_[2] = {0, 0};  // tokens shared by all conversations about a facet; chat only
};

}  // namespace

std::unique_ptr<Instrument> judge(model::Model& model, const JudgeOptions& options) {
  return std::make_unique<Judge>(model, options);
}

}  // namespace sonder::instrument
