#include "study/tell.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "study/figures.h"

namespace sonder::study {
namespace {

std::string share(double value) {
  std::string text = fmt::format("{:+.2f}", value);
  if (const auto zero = text.find("0."); zero == 1) text.erase(zero, 1);
  return text;
}

}  // namespace

std::string numbers_of(const Findings& f, const std::string& facet) {
  std::string text;
  for (const Effect& e : f.effects) {
    if (!e.chosen || e.facet != facet || e.direction != facet || e.local.empty()) continue;
    text += fmt::format("{}{} [{}, {}] by {}", text.empty() ? "" : "; ", share(e.theta.value),
                        share(e.theta.lo95), share(e.theta.hi95), e.instrument);
  }
  return text.empty() ? text : text + " (share of the natural gap)";
}

std::string sentence_of(const std::vector<Verdict>& verdicts) {
  // Facets of which the same is said share a sentence.
  std::vector<std::pair<std::string, std::string>> said;  // facets, what is said
  for (const Verdict& v : verdicts) {
    const std::string rest = v.headline.substr(std::min(v.headline.size(), v.facet.size()));
    const auto same =
        std::find_if(said.begin(), said.end(), [&](const auto& one) { return one.second == rest; });
    if (same != said.end())
      same->first += " and " + v.facet;
    else
      said.emplace_back(v.facet, rest);
  }
  std::string text;
  for (auto& [facets, rest] : said) {
    if (!facets.empty()) facets[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(facets[0])));
    text += (text.empty() ? "" : " ") + facets + rest;
  }
  return text;
}

void show_replies(Findings& f, const Played& played, const std::vector<Spent>& spent) {
  for (const auto* s : played.scenarios) {
    ShownScenario shown{s->id, "test", s->area, s->message, s->neu, {}};
    for (const auto& [facet, texts] : s->facets) shown.emp[facet] = texts.emp;
    f.scenarios.push_back(std::move(shown));
  }
  for (std::size_t a = 0; a < played.arms.size(); ++a)
    for (std::size_t s = 0; s < played.scenarios.size(); ++s)
      for (std::size_t r = 0; r < played.cells[a][s].size(); ++r) {
        const Cell& cell = played.cells[a][s][r];
        ShownReply shown{played.scenarios[s]->id, played.arms[a].name, static_cast<int>(r), "", "", {}};
        if (cell) {
          shown.text = cell->text;
          shown.stopped = to_text(cell->stopped);
          for (const Spent& one : spent) {
            const double gap = mean_of(one.gap);
            if (one.raw[a][s] && one.raw[0][s] && gap > 0)
              shown.scores[one.who->asked.name() + "/" + one.who->asked.facet] =
                  (*one.raw[a][s] - *one.raw[0][s]) / gap;
          }
        }
        f.replies.push_back(std::move(shown));
      }
}

void count_all(Findings& f, const Played& played, const std::vector<Spent>& spent) {
  std::int64_t n_replies = 0;
  std::int64_t n_missing = 0;
  std::int64_t n_tokens = 0;  // of the replies, not of this process: a resumed run counts the same
  std::int64_t n_empty = 0;
  std::int64_t n_cut = 0;
  for (const auto& arm : played.cells)
    for (const auto& scenario : arm)
      for (const Cell& cell : scenario) {
        ++n_replies;
        n_missing += cell ? 0 : 1;
        n_tokens += cell ? static_cast<std::int64_t>(cell->tokens.size()) : 0;
        n_empty += cell && count_words(cell->text) == 0 ? 1 : 0;
        n_cut += cell && cell->stopped == model::Stopped::limit ? 1 : 0;
      }
  std::int64_t n_scores = 0;
  std::int64_t n_unscored = 0;
  for (const Spent& s : spent) n_scores += s.n_scores, n_unscored += s.n_missing;
  f.counts = {{"arms", static_cast<std::int64_t>(played.arms.size())},
              {"test scenarios", static_cast<std::int64_t>(played.scenarios.size())},
              {"replies", n_replies},
              {"replies missing", n_missing},
              {"replies empty", n_empty},
              {"replies cut at the limit", n_cut},
              {"scores", n_scores},
              {"scores missing", n_unscored},
              {"tokens written", n_tokens}};
}

}  // namespace sonder::study
