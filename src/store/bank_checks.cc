#include "store/bank_checks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "store/detail/form.h"
#include "store/detail/surface_text.h"
#include "store/detail/words.h"

namespace sonder::store {
namespace {

using detail::surface_text;
using detail::SurfaceText;

const std::string kFile = "scenarios.jsonl";

struct Reply {
  std::string kind;
  const std::string* text;
};

std::string level(const std::string& facet, std::size_t i) { return facet + " " + std::to_string(i + 1); }

// The replies of a scenario that must look alike.
std::vector<Reply> alike(const Scenario& s) {
  std::vector<Reply> replies = {{"NEU", &s.neu}};
  for (const auto& [facet, texts] : s.facets) {
    replies.push_back({"EMP " + facet, &texts.emp});
    for (std::size_t i = 0; i < texts.ladder.size(); ++i)
      replies.push_back({level(facet, i), &texts.ladder[i]});
  }
  if (!s.rephrase_of_neu.empty()) replies.push_back({"REPHRASE of NEU", &s.rephrase_of_neu});
  for (const auto& [facet, text] : s.rephrase_of_emp) {
    if (!text.empty()) replies.push_back({"REPHRASE of EMP " + facet, &text});
  }
  if (!s.formal.empty()) replies.push_back({"FORMAL", &s.formal});
  return replies;
}

struct Seen {
  std::size_t scenario;
  SurfaceText text;
};
using Kinds = std::map<std::string, std::vector<Seen>>;  // replies by kind, in the order of scenarios

Kinds kinds_of(const Bank& bank) {
  Kinds kinds;
  for (std::size_t i = 0; i < bank.scenarios.size(); ++i) {
    for (const Reply& reply : alike(bank.scenarios[i]))
      kinds[reply.kind].push_back({i, surface_text(*reply.text)});
    if (!bank.scenarios[i].pad.empty()) kinds["PAD"].push_back({i, surface_text(bank.scenarios[i].pad)});
  }
  return kinds;
}

std::map<std::string, std::vector<std::size_t>> by_opening(const std::vector<Seen>& replies,
                                                           std::size_t n_words) {
  std::map<std::string, std::vector<std::size_t>> openings;
  for (const Seen& reply : replies) openings[reply.text.opening(n_words)].push_back(reply.scenario);
  return openings;
}

SurfaceRow row_of(const std::string& kind, const std::vector<Seen>& replies) {
  SurfaceRow row;
  row.kind = kind;
  row.n = static_cast<int>(replies.size());
  const double n = row.n;
  const auto mean = [&](int SurfaceText::*count) {
    int sum = 0;
    for (const Seen& reply : replies) sum += reply.text.*count;
    return sum / n;
  };
  row.tokens = mean(&SurfaceText::tokens);
  row.sentences = mean(&SurfaceText::sentences);
  row.commas = mean(&SurfaceText::commas);
  row.questions = mean(&SurfaceText::questions);
  row.exclamations = mean(&SurfaceText::exclamations);
  row.i_words = mean(&SurfaceText::i_words);
  row.you_words = mean(&SurfaceText::you_words);
  for (const auto& [word, scenarios] : by_opening(replies, 1)) {
    const double share = static_cast<double>(scenarios.size()) / n;
    if (share > row.first_share) {
      row.first_word = word;
      row.first_share = share;
    }
  }
  return row;
}

// Two replies to the same scenario, the lower one first.
struct Compared {
  const SurfaceText* low;
  const SurfaceText* high;
};

// Of the fit split, or of the dev and test splits.
std::vector<Compared> compared(const Bank& bank, const Kinds& kinds, const std::string& low,
                               const std::string& high, bool fit) {
  std::vector<Compared> pairs;
  if (!kinds.contains(low) || !kinds.contains(high)) return pairs;
  std::map<std::size_t, const SurfaceText*> lower;
  for (const Seen& reply : kinds.at(low)) lower[reply.scenario] = &reply.text;
  for (const Seen& reply : kinds.at(high)) {
    const auto found = lower.find(reply.scenario);
    if (found != lower.end() && (bank.scenarios[reply.scenario].split == Split::fit) == fit)
      pairs.push_back({found->second, &reply.text});
  }
  return pairs;
}

struct Feature {
  const char* name;
  int SurfaceText::*count;
  double allowed;
};
constexpr std::array<Feature, 7> kFeatures{{
    {"tokens", &SurfaceText::tokens, kAllowed},
    {"sentences", &SurfaceText::sentences, kAllowed},
    {"commas", &SurfaceText::commas, kAllowed},
    {"question marks", &SurfaceText::questions, kAllowed},
    {"exclamation marks", &SurfaceText::exclamations, kAllowed},
    {"the word I", &SurfaceText::i_words, kAllowedWords},
    {"the word you", &SurfaceText::you_words, kAllowedWords},
}};
constexpr const char* kFirstWord = "first word";

double won(double low, double high) { return high > low ? 1.0 : high == low ? 0.5 : 0.0; }

double concordance(const std::vector<Compared>& pairs, int SurfaceText::*count) {
  double sum = 0;
  for (const Compared& pair : pairs) sum += won(pair.low->*count, pair.high->*count);
  return sum / static_cast<double>(pairs.size());
}

// Scores a first word by how much more often it begins a high reply than a low one in the other scenarios.
double first_word_concordance(const std::vector<Compared>& pairs) {
  std::map<std::string, std::pair<double, double>> counts;  // low, high
  for (const Compared& pair : pairs) {
    counts[pair.low->opening(1)].first += 1;
    counts[pair.high->opening(1)].second += 1;
  }
  double sum = 0;
  for (const Compared& pair : pairs) {
    const std::string own_low = pair.low->opening(1);
    const std::string own_high = pair.high->opening(1);
    const auto score = [&](const std::string& word) {
      const auto [low, high] = counts.at(word);
      return std::log((high - (word == own_high ? 1 : 0) + 0.5) / (low - (word == own_low ? 1 : 0) + 0.5));
    };
    sum += won(score(own_low), score(own_high));
  }
  return sum / static_cast<double>(pairs.size());
}

void compare(const Bank& bank, const Kinds& kinds, const Separation& pair, const std::string& low,
             const std::string& high, bool fit, std::vector<Separation>& into) {
  const std::vector<Compared> pairs = compared(bank, kinds, low, high, fit);
  if (pairs.empty()) return;
  const auto add = [&](const char* feature, double value, double allowed) {
    Separation found = pair;
    found.feature = feature;
    found.concordance = value;
    found.n = static_cast<int>(pairs.size());
    found.allowed = std::max(allowed, 1.0 / std::sqrt(static_cast<double>(pairs.size())));
    into.push_back(std::move(found));
  };
  for (const Feature& feature : kFeatures)
    add(feature.name, concordance(pairs, feature.count), feature.allowed);
  add(kFirstWord, first_word_concordance(pairs), kAllowedWords);
}

std::vector<Separation> separations(const Bank& bank, const Kinds& kinds) {
  std::set<std::string> facets;
  std::size_t levels = 0;
  for (const Scenario& s : bank.scenarios) {
    for (const auto& [facet, texts] : s.facets) {
      facets.insert(facet);
      levels = std::max(levels, texts.ladder.size());
    }
  }
  std::vector<Separation> found;
  for (const std::string& facet : facets) {
    compare(bank, kinds, {facet, "NEU to EMP in fit", ""}, "NEU", "EMP " + facet, true, found);
    compare(bank, kinds, {facet, "NEU to EMP", ""}, "NEU", "EMP " + facet, false, found);
    for (std::size_t i = 1; i < levels; ++i)
      compare(bank, kinds, {facet, "level " + std::to_string(i) + " to " + std::to_string(i + 1), ""},
              level(facet, i - 1), level(facet, i), false, found);
  }
  return found;
}

std::string percent(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

// --- one scenario ---

double median(std::vector<int> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
}

void check_lengths(const Scenario& s, const auto& add) {
  constexpr std::size_t kFewest = 20;
  constexpr std::size_t kMost = 90;
  const std::size_t words = surface_text(s.message).words.size();
  if (words < kFewest || words > kMost)
    add("message: expected 20 to 90 words, found " + std::to_string(words));
  const std::vector<Reply> replies = alike(s);
  std::vector<int> lengths;
  lengths.reserve(replies.size());
  for (const Reply& reply : replies) lengths.push_back(surface_text(*reply.text).tokens);
  const double middle = median(lengths);
  for (std::size_t i = 0; i < replies.size(); ++i) {
    if (std::fabs(lengths[i] - middle) > 0.10 * middle)
      add(replies[i].kind + ": expected a length within 10 % of the scenario's median, " +
          detail::number_text(middle) + " tokens; found " + std::to_string(lengths[i]));
  }
  if (s.pad.empty()) return;
  const int neu = surface_text(s.neu).tokens;
  const int pad = surface_text(s.pad).tokens;
  if (pad < 1.25 * neu || pad > 1.8 * neu)
    add("PAD: expected 1.25 to 1.8 times the " + std::to_string(neu) + " tokens of NEU, found " +
        std::to_string(pad));
}

void check_scenario(const Scenario& s, const auto& add) {
  check_lengths(s, add);
  std::map<std::string_view, std::string> texts;
  for (const Reply& reply : alike(s)) {
    if (surface_text(*reply.text).exclamations > 0)
      add(reply.kind + ": an exclamation mark tells a reply's warmth at sight");
    const auto [first, fresh] = texts.emplace(*reply.text, reply.kind);
    if (!fresh) add(reply.kind + ": the same text as " + first->second);
  }
}

// --- the bank ---

std::string ids(const Bank& bank, const std::vector<std::size_t>& scenarios) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(scenarios.size(), kShown); ++i)
    text += (i > 0 ? ", " : "") + bank.scenarios[scenarios[i]].id;
  return text + (scenarios.size() > kShown ? ", …" : "");
}

void check_openings(const Bank& bank, const Kinds& kinds, std::vector<Problem>& problems) {
  for (const auto& [kind, replies] : kinds) {
    const auto n = static_cast<double>(replies.size());
    for (const auto& [opening, scenarios] : by_opening(replies, 4)) {
      if (static_cast<double>(scenarios.size()) > std::max(1.0, 0.02 * n))
        problems.push_back({kFile, 0, 0,
                            kind + ": the same four words open " + std::to_string(scenarios.size()) + " of " +
                                std::to_string(replies.size()) + " replies (" + ids(bank, scenarios) + ")"});
    }
    for (const auto& [word, scenarios] : by_opening(replies, 1)) {
      if (static_cast<double>(scenarios.size()) > std::max(3.0, 0.25 * n))
        problems.push_back({kFile, 0, 0,
                            kind + ": the same first word in " + std::to_string(scenarios.size()) + " of " +
                                std::to_string(replies.size()) + " replies, at most a quarter is allowed (" +
                                ids(bank, scenarios) + ")"});
    }
  }
}

void check_whole(const Bank& bank, std::vector<Problem>& problems) {
  std::map<std::string, Split> families;
  std::set<std::string> known;
  std::set<Split> splits;
  std::set<std::string> facets;
  for (std::size_t i = 0; i < bank.scenarios.size(); ++i) {
    const Scenario& s = bank.scenarios[i];
    const int line = static_cast<int>(i) + 1;
    if (!known.insert(s.id).second)
      problems.push_back({kFile, line, 0, detail::in_quotes(s.id) + " is an id twice"});
    if (families.emplace(s.family, s.split).first->second != s.split)
      problems.push_back({kFile, line, 0, "the family " + detail::in_quotes(s.family) + " crosses splits"});
    splits.insert(s.split);
    for (const auto& [facet, texts] : s.facets) facets.insert(facet);
  }
  const std::map<Split, std::string> names = {
      {Split::fit, "fit"}, {Split::dev, "dev"}, {Split::test, "test"}};
  for (const auto& [split, name] : names) {
    if (!splits.contains(split))
      problems.push_back({kFile, 0, 0, "expected scenarios in every split, found none in " + name});
  }
  for (const std::string& facet : facets) {
    const bool any = std::any_of(bank.rubrics.begin(), bank.rubrics.end(),
                                 [&](const Rubric& r) { return r.facet == facet; });
    if (!any)
      problems.push_back(
          {"rubrics.jsonl", 0, 0, "expected a rubric for each facet, found none for " + facet});
  }
  std::set<std::string> prompts;
  for (std::size_t i = 0; i < bank.unrelated.size(); ++i) {
    if (!prompts.insert(bank.unrelated[i]).second)
      problems.push_back(
          {"unrelated.jsonl", static_cast<int>(i) + 1, 0, "the same prompt stands on an earlier line"});
  }
}

}  // namespace

bool Separation::told_apart() const {
  const double distance = feature == kFirstWord ? concordance - 0.5 : std::fabs(concordance - 0.5);
  return distance > allowed + 1e-9;
}

Surface surface(const Bank& bank) {
  const Kinds kinds = kinds_of(bank);
  Surface found;
  for (const auto& [kind, replies] : kinds) found.rows.push_back(row_of(kind, replies));
  found.separations = separations(bank, kinds);
  return found;
}

std::vector<Problem> bank_checks(const Bank& bank) {
  std::vector<Problem> problems;
  check_whole(bank, problems);
  for (std::size_t i = 0; i < bank.scenarios.size(); ++i) {
    const Scenario& s = bank.scenarios[i];
    check_scenario(s, [&](const std::string& message) {
      problems.push_back({kFile, static_cast<int>(i) + 1, 0, s.id + ": " + message});
    });
  }
  const Kinds kinds = kinds_of(bank);
  check_openings(bank, kinds, problems);
  for (const Separation& s : separations(bank, kinds)) {
    if (!s.told_apart()) continue;
    problems.push_back({kFile, 0, 0,
                        s.facet + ", " + s.pair + ": told apart by " + s.feature +
                            "; the higher reply has more in " + percent(s.concordance) + " of " +
                            std::to_string(s.n) + " scenarios (ties half), expected " +
                            percent(0.5 - s.allowed) + " to " + percent(0.5 + s.allowed)});
  }
  return problems;
}

}  // namespace sonder::store
