#include "study/dose.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "latent/dose.h"
#include "stats/mean.h"
#include "study/figures.h"

namespace sonder::study {
namespace {

using nlohmann::json;

constexpr double kCircles = 0.5;        // a reply that never ends and repeats this share of its 4-grams
constexpr double kManipulation = 1e-3;  // relative error of the shift; what f32 addition allows, with room

// Share of a text's word n-grams that already occurred in it.
double repeated_ngrams(const std::vector<std::string>& words, std::size_t n) {
  if (words.size() < n) return 0;
  std::set<std::vector<std::string>> seen;
  const std::size_t total = words.size() - n + 1;
  for (std::size_t i = 0; i < total; ++i)
    seen.insert(std::vector<std::string>(words.begin() + static_cast<std::ptrdiff_t>(i),
                                         words.begin() + static_cast<std::ptrdiff_t>(i + n)));
  return 1.0 - static_cast<double>(seen.size()) / static_cast<double>(total);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

struct Shape {  // of one arm's replies
  double repetition = 0, broken = 0, distinct2 = 0;
};

Shape shape_of(const std::vector<std::vector<Cell>>& cells) {
  Shape shape;
  std::set<std::pair<std::string, std::string>> bigrams;
  std::size_t n_bigrams = 0;
  int n = 0;
  for (const auto& scenario : cells)
    for (const Cell& cell : scenario) {
      ++n;
      if (!cell) {
        shape.broken += 1;
        continue;
      }
      const std::vector<std::string> words = words_of(cell->text);
      const double repetition = repeated_ngrams(words, 4);
      const bool circles = cell->stopped == model::Stopped::limit && repetition > kCircles;
      shape.repetition += repetition;
      shape.broken += words.size() < 3 || circles ? 1 : 0;
      for (std::size_t i = 0; i + 1 < words.size(); ++i) bigrams.emplace(words[i], words[i + 1]), ++n_bigrams;
    }
  if (n > 0) shape.repetition /= n, shape.broken /= n;
  if (n_bigrams > 0) shape.distinct2 = static_cast<double>(bigrams.size()) / static_cast<double>(n_bigrams);
  return shape;
}

// Mean log-probability per token of each scenario's replies under the unsteered model, [arm][scenario]; empty
// where there is no reply.
using LogProbs = std::vector<std::vector<std::optional<double>>>;

LogProbs unsteered_log_probs(Lab& lab, const std::vector<Arm>& arms,
                             const std::vector<const store::Scenario*>& scenarios, const Replies& cells) {
  struct Sum {
    double total = 0;
    int n = 0;
  };
  std::vector<std::vector<Sum>> sums(arms.size(), std::vector<Sum>(scenarios.size()));
  std::vector<model::Passage> passages;
  std::vector<Sum*> places;
  std::vector<std::string> keys;
  const auto add = [](Sum& sum, double mean) { sum.total += mean, ++sum.n; };
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    const auto prompt = prompt_of(lab, scenarios[s]->message, "");
    for (std::size_t a = 0; a < arms.size(); ++a)
      for (const Cell& cell : cells[a][s]) {
        if (!cell || cell->tokens.empty()) continue;
        model::Passage p{prompt, {static_cast<int>(prompt.size())}, static_cast<int>(prompt.size())};
        p.tokens.insert(p.tokens.end(), cell->tokens.begin(), cell->tokens.end());
        const std::string key = key_of({lab.subject.card().sha256, "log p", json(p.tokens).dump()});
        if (const auto body = lab.ledger.find(lab.run, "reading", key)) {
          add(sums[a][s], json::parse(*body)["mean"].get<double>());
          continue;
        }
        passages.push_back(std::move(p));
        places.push_back(&sums[a][s]);
        keys.push_back(key);
      }
  }
  const OnProgress progress = lab.counted("texts");
  std::vector<store::Entry> entries;
  lab.subject.read(
      passages, {}, {.layers = {}, .log_probs = true},
      [&](std::size_t i, const model::Reading& reading) {
        const double mean = mean_of(reading.log_probs);
        add(*places[i], mean);
        entries.push_back({"reading", keys[i], json{{"mean", mean}}.dump()});
        if (progress)
          progress({"", "", static_cast<std::int64_t>(i + 1), static_cast<std::int64_t>(passages.size())});
      },
      lab.cancel);
  lab.ledger.append(lab.run, entries);
  LogProbs out(arms.size(), std::vector<std::optional<double>>(scenarios.size()));
  for (std::size_t a = 0; a < arms.size(); ++a)
    for (std::size_t s = 0; s < scenarios.size(); ++s)
      if (sums[a][s].n > 0) out[a][s] = sums[a][s].total / sums[a][s].n;
  return out;
}

Figure fluency_of(const std::vector<std::optional<double>>& arm,
                  const std::vector<std::optional<double>>& base) {
  std::vector<double> log_ratio;
  for (std::size_t s = 0; s < arm.size(); ++s)
    if (arm[s] && base[s]) log_ratio.push_back(*base[s] - *arm[s]);
  const stats::Estimate e = stats::mean(log_ratio);
  if (!e.usable()) return {0, 0, 0, 0, 0, "too few replies to compare"};
  return {std::exp(e.value),    std::exp(e.ci95.low),  std::exp(e.ci95.high),
          std::exp(e.ci90.low), std::exp(e.ci90.high), ""};
}

void judge(const store::GatePlan& gates, SideEffects& row) {
  const auto fail = [&](std::string why) {
    if (row.why_not.empty()) row.why_not = std::move(why);
    row.admissible = false;
  };
  if (row.kl > gates.kl) fail(fmt::format("KL {:.3f} above {:.2f}", row.kl, gates.kl));
  if (!row.fluency.missing.empty())
    fail(row.fluency.missing);
  else if (row.fluency.hi90 >= gates.fluency)
    fail(fmt::format("perplexity ratio up to {:.2f}, limit {:.2f}", row.fluency.hi90, gates.fluency));
  if (row.repetition > gates.degeneration)
    fail(fmt::format("repetition +{:.1f} points", 100 * row.repetition));
  if (row.broken > gates.degeneration)
    fail(fmt::format("{:.0f} % more replies are empty or go in circles", 100 * row.broken));
}

}  // namespace

std::map<std::string, double> unrelated_kl(Lab& lab, const std::vector<Arm>& arms) {
  const auto n = std::min(lab.bank.unrelated.size(), static_cast<std::size_t>(lab.plan.gates.kl_prompts));
  require(n > 0, "the bank has unrelated prompts, which the KL gate needs");
  std::map<std::string, double> kl;
  std::vector<const Arm*> open;
  std::map<std::string, std::string> keys;
  for (const Arm& arm : arms) {
    if (arm.hook.empty()) continue;
    const std::string key = key_of({lab.subject.card().sha256, lab.bank.sha256, lab.plan.system,
                                    lab.plan.form, "kl", std::to_string(n), model::hash_of(arm.hook)});
    if (const auto body = lab.ledger.find(lab.run, "reading", key))
      kl[arm.name] = json::parse(*body)["kl"].get<double>();
    else
      open.push_back(&arm), keys[arm.name] = key;
  }
  if (open.empty()) return kl;

  std::vector<model::Request> requests;
  for (std::size_t i = 0; i < n; ++i)
    requests.push_back(
        {prompt_of(lab, lab.bank.unrelated[i], ""), {}, {0, 1, 0}, Seed(0), kUnrelatedTokens, {}});
  std::vector<model::Passage> passages(n);
  lab.subject.reply(
      requests,
      [&](std::size_t i, const Measured<model::Reply>& reply) {
        model::Passage& p = passages[i];
        p.tokens = requests[i].prompt;
        p.n_prompt = static_cast<int>(p.tokens.size());
        p.cuts = {p.n_prompt};
        if (reply) p.tokens.insert(p.tokens.end(), reply->tokens.begin(), reply->tokens.end());
      },
      lab.cancel);

  std::vector<Rows> base(n);
  lab.subject.read(
      passages, {}, {.layers = {}, .logits = true},
      [&](std::size_t i, const model::Reading& r) { base[i] = r.logits; }, lab.cancel);
  const OnProgress progress = lab.counted("arms");
  for (std::size_t a = 0; a < open.size(); ++a) {
    double sum = 0;
    std::size_t rows = 0;
    lab.subject.read(
        passages, open[a]->hook, {.layers = {}, .logits = true},
        [&](std::size_t i, const model::Reading& r) {
          for (std::size_t row = 0; row < r.logits.n; ++row, ++rows)
            sum += model::kl_divergence(base[i].row(row), r.logits.row(row));
        },
        lab.cancel);
    require(rows > 0, "the unrelated prompts give rows to compare");
    const double mean = sum / static_cast<double>(rows);
    kl[open[a]->name] = mean;
    const std::vector<store::Entry> entry = {{"reading", keys[open[a]->name], json{{"kl", mean}}.dump()}};
    lab.ledger.append(lab.run, entry);
    if (progress)
      progress({"", "", static_cast<std::int64_t>(a + 1), static_cast<std::int64_t>(open.size())});
    lab.cancel.check();
  }
  return kl;
}

double gaps_of(Lab& lab, const Inside& inside, double dose) {
  const std::string& unit = lab.plan.steer.unit;
  const latent::Direction& d = inside.direction;
  if (unit == "gap") return dose;
  if (unit == "norm") return dose * latent::size_of(latent::DoseUnit::norm, d) / d.class_gap;
  if (unit == "sd") return dose * latent::size_of(latent::DoseUnit::sd, d) / d.class_gap;
  const double sign = dose < 0 ? -1 : 1;
  const auto kl_of = [&](double gaps) {
    const std::vector<Arm> one = {dose_arm(lab, inside, sign * gaps, "search")};
    return unrelated_kl(lab, one).at("search");
  };
  latent::DoseSearch search;
  search.target = std::abs(dose);
  const latent::DoseFound found = latent::dose_for_kl(kl_of, search);
  require(found.reached, fmt::format("a KL of {} is reached below {} class gaps; ask for a smaller one",
                                     search.target, search.upper));
  return sign * found.dose;
}

std::vector<SideEffects> side_effects(Lab& lab, const std::vector<Arm>& arms,
                                      const std::vector<const store::Scenario*>& scenarios,
                                      const Replies& cells, const std::map<std::string, double>& kl) {
  const LogProbs log_probs = unsteered_log_probs(lab, arms, scenarios, cells);
  const Shape base = shape_of(cells[0]);
  std::vector<SideEffects> table;
  for (std::size_t a = 1; a < arms.size(); ++a) {
    const Shape shape = shape_of(cells[a]);
    SideEffects row;
    row.arm = arms[a].name;
    row.kind = arms[a].kind;
    row.direction = arms[a].facet;
    row.dose = arms[a].dose;
    row.kl = kl.at(row.arm);
    row.fluency = fluency_of(log_probs[a], log_probs[0]);
    row.repetition = shape.repetition - base.repetition;
    row.broken = shape.broken - base.broken;
    row.distinct2 = shape.distinct2;
    judge(lab.plan.gates, row);
    table.push_back(row);
  }
  return table;
}

std::optional<double> choose_dose(Lab& lab, const Inside& inside, const std::vector<SideEffects>& table) {
  std::optional<double> wanted;
  if (lab.plan.steer.dose) wanted = gaps_of(lab, inside, *lab.plan.steer.dose);
  std::optional<double> best;
  for (const SideEffects& row : table) {
    if (row.kind != "steer" || row.direction != inside.facet || row.dose <= 0 || !row.admissible) continue;
    if (wanted && std::abs(*wanted - row.dose) > 1e-9) continue;
    if (!best || row.dose > *best) best = row.dose;
  }
  return best;
}

std::vector<Manipulated> check_manipulations(Lab& lab, const std::vector<Arm>& arms) {
  const auto dev = scenarios_of(lab, store::Split::dev);
  require(!dev.empty(), "the bank has development scenarios");
  const model::Passage passage = passage_of(lab, dev.front()->message, "", dev.front()->neu);
  std::vector<Manipulated> checked;
  for (const Arm& arm : arms) {
    if (arm.hook.empty()) continue;
    const model::Manipulation m = model::check_manipulation(lab.subject, passage, arm.hook, lab.cancel);
    if (m.worst_relative_error > kManipulation)
      throw Error(
          ErrorKind::engine,
          fmt::format(
              "'{}' should shift the residual by {:.4g} and shifted it by {:.4g} (relative error {:.2g}): "
              "the intervention did not reach the model as asked",
              arm.name, m.asked, m.got, m.worst_relative_error));
    if (m.change_before != 0)
      throw Error(ErrorKind::engine,
                  "'" + arm.name + "' changed layers below its site: the layer numbering is wrong");
    if (m.got == 0 || m.kl <= 0)
      throw Error(ErrorKind::engine, "'" + arm.name + "' changed nothing in what the model says next");
    checked.push_back({arm.name, m.asked, m.got, m.worst_relative_error, m.kl});
    lab.cancel.check();
  }
  return checked;
}

}  // namespace sonder::study
