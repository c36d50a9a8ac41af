#include "study/room.h"

#include <fmt/format.h>

#include <algorithm>

#include "study/arms.h"
#include "study/dose.h"

namespace sonder::study {
namespace {

struct Longest {
  std::size_t n_tokens = 0;
  std::string place;
  void look(std::size_t n, const std::string& where) {
    if (n > n_tokens) n_tokens = n, place = where;
  }
};

std::vector<const std::string*> texts_of(const store::Scenario& s) {
  std::vector<const std::string*> texts = {&s.neu, &s.formal, &s.rephrase_of_neu};
  for (const auto& [facet, own] : s.facets) texts.push_back(&own.emp);
  for (const auto& [facet, text] : s.rephrase_of_emp) texts.push_back(&text);
  return texts;
}

void look_at(const Lab& lab, const store::Scenario& s, const std::vector<Arm>& arms, Longest& longest) {
  const auto n_reply = static_cast<std::size_t>(lab.plan.generate.n_tokens);
  for (const Arm& arm : arms)
    longest.look(prompt_of(lab, s.message, arm.system).size() + n_reply,
                 fmt::format("scenario '{}' in the arm '{}', with a reply of {}", s.id, arm.name, n_reply));
  for (const std::string* text : texts_of(s))
    longest.look(passage_of(lab, s.message, "", *text).tokens.size(),
                 fmt::format("scenario '{}' with a text of the bank", s.id));
}

}  // namespace

void require_room(const Lab& lab) {
  std::vector<Arm> arms = prompt_arms(lab);
  arms.insert(arms.begin(), base_arm());
  Longest longest;
  for (const store::Split split : {store::Split::fit, store::Split::dev, store::Split::test})
    for (const store::Scenario* s : scenarios_of(lab, split)) look_at(lab, *s, arms, longest);
  const auto n_unrelated =
      std::min(lab.bank.unrelated.size(), static_cast<std::size_t>(lab.plan.gates.kl_prompts));
  for (std::size_t i = 0; i < n_unrelated; ++i)
    longest.look(
        prompt_of(lab, lab.bank.unrelated[i], "").size() + static_cast<std::size_t>(kUnrelatedTokens),
        fmt::format("unrelated prompt {} of the bank, with a reply of {}", i + 1, kUnrelatedTokens));
  const auto room = static_cast<std::size_t>(lab.subject.card().n_ctx);
  require(
      room == 0 || longest.n_tokens <= room,
      fmt::format("the longest text needs {} tokens ({}), but the model holds {}; name a model with a longer "
                  "context, shorten the text, or lower generate.n_tokens",
                  longest.n_tokens, longest.place, room));
}

}  // namespace sonder::study
