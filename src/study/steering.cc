#include "study/steering.h"

#include <fmt/format.h>

#include "study/arms.h"
#include "study/dose.h"
#include "study/effects.h"
#include "study/inside.h"
#include "study/length.h"
#include "study/play.h"
#include "study/room.h"
#include "study/tell.h"
#include "study/verdict.h"
#include "study/witness.h"

namespace sonder::study {
namespace {

using Scenarios = std::vector<const store::Scenario*>;
using ByFacet = std::map<std::string, std::vector<std::vector<Cell>>>;

// Base and the one-line prompts on the test scenarios: what the certificates need before any steering is
// seen.
struct Unsteered {
  std::vector<Arm> arms;
  Replies cells;
  ByFacet prompted;
};

Unsteered play_unsteered(Lab& lab, const Scenarios& test) {
  Unsteered u;
  u.arms = prompt_arms(lab);
  u.arms.insert(u.arms.begin(), base_arm());
  u.cells = play(lab, u.arms, test);
  for (std::size_t a = 1; a < u.arms.size(); ++a) u.prompted[u.arms[a].facet] = u.cells[a];
  return u;
}

std::vector<Arm> all_dose_arms(Lab& lab, const std::vector<Inside>& insides) {
  std::vector<Arm> arms;
  for (const Inside& inside : insides)
    for (Arm& arm : dose_arms(lab, inside, [&](double dose) { return gaps_of(lab, inside, dose); }))
      arms.push_back(std::move(arm));
  return arms;
}

std::vector<Arm> all_control_arms(const Lab& lab, const std::vector<Inside>& insides,
                                  const std::vector<Arm>& doses,
                                  const std::map<std::string, double>& chosen) {
  std::map<std::string, double> smallest;  // stands in where no dose is admissible
  for (const Arm& arm : doses)
    if (arm.dose > 0) smallest.try_emplace(arm.facet, arm.dose);
  std::vector<Arm> arms;
  for (const Inside& inside : insides) {
    const auto found = chosen.find(inside.facet);
    const double dose = found != chosen.end() ? found->second : smallest.at(inside.facet);
    for (Arm& arm : control_arms(lab, inside, dose)) arms.push_back(std::move(arm));
  }
  return arms;
}

// Arms made of words: base replies with padding.
void add_padded(const Lab& lab, Played& played) {
  std::vector<std::vector<Cell>> cells = played.cells[0];
  for (std::size_t s = 0; s < played.scenarios.size(); ++s)
    for (Cell& cell : cells[s])
      if (cell) {
        model::Reply reply = *cell;
        reply.text = padded(lab, *played.scenarios[s], reply.text);
        cell = reply;
      }
  played.arms.push_back({"pad", "pad", "", 0, {}, ""});
  played.cells.push_back(std::move(cells));
}

void add(Played& played, const std::vector<Arm>& arms, Replies cells) {
  played.arms.insert(played.arms.end(), arms.begin(), arms.end());
  played.cells.insert(played.cells.end(), std::make_move_iterator(cells.begin()),
                      std::make_move_iterator(cells.end()));
}

// The largest share missing in any one arm: an arm that is wholly gone must not hide among the others.
double missing_share(const Played& played, const std::vector<Spent>& spent) {
  double worst = 0;
  for (const auto& arm : played.cells) {
    std::size_t n = 0;
    std::size_t missing = 0;
    for (const auto& scenario : arm)
      for (const Cell& cell : scenario) ++n, missing += cell ? 0 : 1;
    if (n > 0) worst = std::max(worst, static_cast<double>(missing) / static_cast<double>(n));
  }
  for (const Spent& s : spent)
    if (s.who->certificate.certified) worst = std::max(worst, s.worst_missing);
  return worst;
}

constexpr double kMostSilent = 0.5;

// Words of the unsteered model, or there is nothing to shift. Empty replies of steered arms are outcomes.
double silent_share(const Played& played) {
  std::size_t n = 0;
  std::size_t silent = 0;
  for (const auto& scenario : played.cells[0])
    for (const Cell& cell : scenario)
      if (cell) ++n, silent += count_words(cell->text) == 0 ? 1 : 0;
  return n == 0 ? 0 : static_cast<double>(silent) / static_cast<double>(n);
}

std::string integrity_of(const Lab& lab, const Played& played, double missing) {
  const double silent = silent_share(played);
  if (missing > lab.plan.verdict.missing) return fmt::format("{:.0f} % missing", 100 * missing);
  if (silent > kMostSilent)
    return fmt::format("the unsteered model says nothing in {:.0f} % of its replies", 100 * silent);
  return "";
}

std::vector<Verdict> rule_all(const Lab& lab, const Findings& f, const Outcome& outcome,
                              const std::string& integrity) {
  std::vector<Verdict> verdicts;
  const Limits limits{lab.plan.verdict.delta, lab.plan.verdict.tau};
  for (const Detection& d : f.detections) {
    Circumstances now;
    now.integrity = integrity;
    now.some_dose_admissible = f.chosen_dose.contains(d.facet);
    now.moves_at_larger_dose = outcome.moves.contains(d.facet);
    const auto heard = outcome.witnesses.find(d.facet);
    const Ruling ruling =
        rule(now, heard != outcome.witnesses.end() ? heard->second : std::vector<Witness>{}, limits);
    Verdict v;
    v.facet = d.facet;
    v.detect = d.status;
    v.control = ruling.control;
    v.reasons = ruling.reasons;
    v.ablation = outcome.ablation.contains(d.facet) ? outcome.ablation.at(d.facet) : "not played";
    v.headline = headline(d.facet, d.status, ruling, v.perceive, numbers_of(f, d.facet));
    verdicts.push_back(v);
  }
  return verdicts;
}

}  // namespace

Findings run_steering(Lab& lab, Provenance provenance) {
  if (lab.ledger.count(lab.run, "finding") > 0) return load_findings(lab.ledger);
  const Scenarios dev = scenarios_of(lab, store::Split::dev);
  const Scenarios test = scenarios_of(lab, store::Split::test);
  require(dev.size() >= 2 && test.size() >= 6, "a steering study needs at least 2 dev and 6 test scenarios");
  const int n_layers = lab.subject.card().n_layers;
  for (const int layer : lab.plan.detect.layers)
    require(layer < n_layers,
            fmt::format("detect.layers names layer {}; this model has layers 0 to {}", layer, n_layers - 1));
  require(lab.plan.steer.layer.value_or(0) < n_layers,
          fmt::format("steer.layer is {}; this model has layers 0 to {}", lab.plan.steer.layer.value_or(0),
                      n_layers - 1));
  require(!lab.plan.steer.ablate || lab.plan.detect.layers.empty(),
          "ablation works at every layer: leave detect.layers empty, or set steer.ablate to false");
  Findings f;
  f.name = lab.plan.name;
  f.delta = lab.plan.verdict.delta;
  f.tau = lab.plan.verdict.tau;

  require_room(lab);

  lab.step("read the bank's texts at every layer");
  const Texts texts = read_texts(lab);
  lab.step("detect");
  const std::vector<Inside> insides = look_inside(lab, texts);
  for (const Inside& inside : insides) f.detections.push_back(inside.detection);

  lab.step("write without steering");
  Unsteered unsteered = play_unsteered(lab, test);
  lab.step("certify the instruments");
  const std::vector<Examined> examined = examine(lab, test, unsteered.cells[0], unsteered.prompted);
  for (const Examined& e : examined) f.certificates.push_back(e.certificate);

  lab.step("check that each push arrives");
  const std::vector<Arm> doses = all_dose_arms(lab, insides);
  f.manipulations = check_manipulations(lab, doses);
  lab.step("choose doses on development scenarios");
  std::vector<Arm> tried = doses;
  tried.insert(tried.begin(), base_arm());
  const Replies dev_cells = play(lab, tried, dev);
  f.side_effects = side_effects(lab, tried, dev, dev_cells, unrelated_kl(lab, tried));
  for (const Inside& inside : insides)
    if (const auto dose = choose_dose(lab, inside, f.side_effects)) f.chosen_dose[inside.facet] = *dose;

  lab.step("check that each control arrives");
  const std::vector<Arm> controls = all_control_arms(lab, insides, doses, f.chosen_dose);
  for (Manipulated& m : check_manipulations(lab, controls)) f.manipulations.push_back(std::move(m));
  lab.step("write with steering");
  Played played{unsteered.arms, test, std::move(unsteered.cells)};
  std::vector<Arm> steered = doses;
  steered.insert(steered.end(), controls.begin(), controls.end());
  add(played, steered, play(lab, steered, test));
  add_padded(lab, played);

  lab.step("score");
  const std::vector<Spent> spent = spend(lab, played, examined);
  lab.step("weigh");
  const Outcome outcome = weigh(lab, played, examined, spent, f.chosen_dose, f.side_effects);
  f.effects = outcome.effects;
  f.placebos = outcome.placebos;
  f.lengths = outcome.lengths;
  f.verdicts = rule_all(lab, f, outcome, integrity_of(lab, played, missing_share(played, spent)));
  f.sentence = sentence_of(f.verdicts);

  show_replies(f, played, spent);
  lab.finish();
  count_all(f, played, spent);
  provenance.times = lab.times;
  f.provenance = std::move(provenance);
  lab.subject.require_unchanged();
  const std::vector<store::Entry> entry = {{"finding", "findings", as_json(f)}};
  lab.ledger.append(lab.run, entry);
  return f;
}

Findings load_findings(const store::Ledger& ledger) {
  const auto body = ledger.find(store::RunId{1}, "finding", "findings");
  if (!body)
    throw Error(ErrorKind::bad_input,
                "this run is not finished: 'sonder run' with the same plan and -o goes on with it");
  return findings_from_json(*body);
}

std::span<const std::string> cell_kinds() {
  static const std::string kinds[] = {"reading", "reply", "score"};
  return kinds;
}

}  // namespace sonder::study
