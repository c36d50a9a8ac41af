#include "study/lab.h"

#include "base/hash.h"

namespace sonder::study {

std::vector<const store::Scenario*> scenarios_of(const Lab& lab, store::Split split) {
  std::vector<const store::Scenario*> found;
  for (const store::Scenario& s : lab.bank.scenarios)
    if (s.split == split) found.push_back(&s);
  if (split == store::Split::test && lab.plan.n_test > 0 &&
      found.size() > static_cast<std::size_t>(lab.plan.n_test))
    found.resize(static_cast<std::size_t>(lab.plan.n_test));
  return found;
}

model::Template form_of(const std::string& form) {
  return form == "plain" ? model::Template::plain : model::Template::chat;
}

model::Span span_of(const std::string& span) {
  if (span == "all") return model::Span::all;
  return span == "last_prompt" ? model::Span::last_prompt : model::Span::reply;
}

std::vector<model::Token> prompt_of(const Lab& lab, const std::string& message, const std::string& system) {
  std::vector<model::Message> turns;
  const std::string& own = lab.plan.system;
  const std::string both = own.empty() || system.empty() ? own + system : own + "\n" + system;
  if (!both.empty()) turns.push_back({"system", both});
  turns.push_back({"user", message});
  return lab.subject.tokenise(lab.subject.render(turns, form_of(lab.plan.form)));
}

model::Passage passage_of(const Lab& lab, const std::string& message, const std::string& system,
                          const std::string& reply) {
  model::Passage passage;
  passage.tokens = prompt_of(lab, message, system);
  passage.n_prompt = static_cast<int>(passage.tokens.size());
  passage.cuts = {passage.n_prompt};
  const std::string opening = lab.plan.form == "plain" ? " " + reply : reply;
  const std::vector<model::Token> tokens = lab.subject.tokenise_plain(opening);
  passage.tokens.insert(passage.tokens.end(), tokens.begin(), tokens.end());
  return passage;
}

std::string key_of(std::initializer_list<std::string> parts) {
  std::string joined;
  for (const std::string& part : parts) joined += std::to_string(part.size()) + ":" + part;
  return sha256(joined);
}

}  // namespace sonder::study
