#include "model/detail/chooser.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model/detail/sampler.h"

namespace sonder::model::detail {
namespace {

constexpr double kNegligible =
    1e-6;  // a path less likely than this is not followed: it cannot add more to the mass

}  // namespace

Chooser::Chooser(const Vocab& vocab, std::span<const std::string> answers) : n_answers_(answers.size()) {
  std::vector<Token> spaces;
  for (std::size_t t = 0; t < vocab.n_tokens(); ++t)
    if (vocab.piece(static_cast<Token>(t)) == " ") spaces.push_back(static_cast<Token>(t));

  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::string& answer = answers[i];
    require(!answer.empty(), "an answer to choose from has at least one letter");
    require(std::count(answers.begin(), answers.end(), answer) == 1,
            "each answer to choose from stands once");
    for (std::size_t t = 0; t < vocab.n_tokens(); ++t) {
      const auto token = static_cast<Token>(t);
      const std::string& piece = vocab.piece(token);
      if (piece == answer || piece == " " + answer) add({token}, i);
      if (piece != answer) continue;
      for (const Token space : spaces) add({space, token}, i);
    }
    for (const std::string& text : {answer, " " + answer}) {
      const Path form = vocab.tokenise_plain(text);
      std::string bytes;
      for (const Token token : form) bytes += vocab.piece(token);
      if (form.size() > 1 && (bytes == answer || bytes == " " + answer)) add(form, i);
    }
  }
}

void Chooser::add(const Path& form, std::size_t i_answer) {
  longest_ = std::max(longest_, form.size());
  const Path path(form.begin(), form.end() - 1);
  std::vector<Ending>& endings = endings_[path];
  const auto same = [&form](const Ending& ending) { return ending.token == form.back(); };
  if (std::none_of(endings.begin(), endings.end(), same)) endings.push_back({form.back(), i_answer});
  for (std::size_t n = 0; n < path.size(); ++n) {
    std::vector<Token>& next = branches_[Path(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(n))];
    if (std::find(next.begin(), next.end(), path[n]) == next.end()) next.push_back(path[n]);
  }
}

Choices Chooser::choose(Reader& reader, const Passage& passage) const {
  Choices choices;
  choices.p.resize(n_answers_);
  visit(reader, passage, {}, 1, choices);
  for (const double p : choices.p) choices.mass += p;
  return choices;
}

// The tokens of `path` are read one by one behind the passage, so that the passage itself is read once.
void Chooser::visit(Reader& reader, const Passage& passage, const Path& path, double p_path,
                    Choices& choices) const {
  Passage longer = passage;
  for (const Token token : path) {
    longer.cuts.push_back(static_cast<int>(longer.tokens.size()));
    longer.tokens.push_back(token);
  }
  longer.n_prompt = static_cast<int>(longer.tokens.size());
  Want want;
  want.logits = true;
  const Reading reading = reader.read(longer, {}, want);  // a copy: deeper visits read on
  const std::span<const float> logits = reading.logits.row(0);
  const double total = log_sum_exp(logits);
  const auto p = [&](Token token) {
    return p_path * std::exp(static_cast<double>(logits[static_cast<std::size_t>(token)]) - total);
  };
  if (const auto endings = endings_.find(path); endings != endings_.end())
    for (const Ending& ending : endings->second) choices.p[ending.i_answer] += p(ending.token);
  const auto branches = branches_.find(path);
  if (branches == branches_.end()) return;
  for (const Token token : branches->second) {
    if (p(token) < kNegligible) continue;
    Path next = path;
    next.push_back(token);
    visit(reader, passage, next, p(token), choices);
  }
}

}  // namespace sonder::model::detail
