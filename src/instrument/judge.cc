#include <numeric>

#include "base/hash.h"
#include "instrument/instrument.h"

namespace sonder::instrument {
namespace {

constexpr double kLeastMass = 0.80;  // methods.md 4.2: below it the item is missing, never renormalised in silence
const std::vector<std::string> kLevels = {"0", "1", "2", "3", "4", "5"};

class Judge final : public Instrument {
 public:
  Judge(model::Model& model, JudgeOptions options) : model_(model), options_(std::move(options)) {
    require(!model.card().is_encoder, "a judge is a generator: an encoder has no next token to read a rating from");
  }

  std::string name() const override { return "judge"; }
  std::string family() const override { return "judge"; }
  std::string unit() const override { return "points, 0 to 5"; }
  double highest() const override { return 5; }
  double lowest() const override { return 0; }
  double step() const override { return 1; }
  std::string fingerprint() const override {
    return sha256("judge 1|" + model_.card().sha256 + "|" + options_.rubric_affective + "|" + options_.rubric_cognitive +
                  (options_.form == model::Template::chat ? "|chat" : "|plain"));
  }

  std::vector<Measured<double>> score(const std::string& facet, std::span<const BlindReply> replies,
                                      const OnProgress& progress, const Cancel& cancel) override {
    std::vector<model::Passage> passages;
    for (const BlindReply& reply : replies) passages.push_back(passage(facet, reply));
    const std::vector<model::Choices> rated = model_.choose(passages, kLevels, cancel);
    std::vector<Measured<double>> scores;
    for (const model::Choices& c : rated) scores.push_back(expected(c));
    if (progress) progress({"", "texts", static_cast<std::int64_t>(replies.size()), static_cast<std::int64_t>(replies.size())});
    return scores;
  }

 private:
  // score = sum k p_k / sum p_k. Source: methods.md 4.2, golden M38.
  static Measured<double> expected(const model::Choices& c) {
    if (c.mass < kLeastMass) return Missing{"the judge put less than .80 of its probability on the ratings"};
    double sum = 0;
    for (std::size_t k = 0; k < c.p.size(); ++k) sum += static_cast<double>(k) * c.p[k];
    return sum / c.mass;
  }

  // Rubric, then message, then reply; cut between them, so that a rubric and a message are read once.
  model::Passage passage(const std::string& facet, const BlindReply& reply) const {
    const std::string& rubric = facet == "affective" ? options_.rubric_affective : options_.rubric_cognitive;
    const std::string message = "\n\nMessage: " + reply.message();
    const std::string answer = "\n\nReply: " + reply.words() + "\n\nRating (0 to 5): ";
    model::Passage p;
    if (options_.form == model::Template::chat) {
      const std::vector<model::Message> turns = {{"user", rubric + message + answer}};
      p.tokens = model_.tokenise(model_.render(turns, model::Template::chat));
    } else {
      p.tokens = model_.tokenise(rubric);
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
};

}  // namespace

std::unique_ptr<Instrument> judge(model::Model& model, const JudgeOptions& options) {
  return std::make_unique<Judge>(model, options);
}

}  // namespace sonder::instrument
