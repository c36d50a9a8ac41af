#include "study/inside.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <unordered_map>

#include "latent/detect.h"
#include "stats/mean.h"
#include "stats/order.h"
#include "study/figures.h"

namespace sonder::study {
namespace {

constexpr double kMostRephraseLoss = 0.15;  // of concordance; methods.md 2.5
constexpr double kDeepest =
    0.8;  // steer below this share of the depth; later layers only rename tokens [Arditi2024]

std::vector<int> layers_of(const Lab& lab) {
  if (!lab.plan.detect.layers.empty()) return lab.plan.detect.layers;
  std::vector<int> layers(static_cast<std::size_t>(lab.subject.card().n_layers));
  std::iota(layers.begin(), layers.end(), 0);
  return layers;
}

latent::Position position_of(const std::string& word) {
  if (word == "last_reply") return latent::Position::last_reply;
  return word == "last_prompt" ? latent::Position::last_prompt : latent::Position::reply_mean;
}

const std::string& text_of(const store::Scenario& s, const std::string& kind) {
  if (kind == "NEU") return s.neu;
  if (kind == "formal") return s.formal;
  if (kind == "REPHRASE of NEU") return s.rephrase_of_neu;
  if (kind.starts_with("REPHRASE of EMP ")) return s.rephrase_of_emp.at(kind.substr(16));
  return s.facets.at(kind.substr(4)).emp;
}

std::size_t index_of(const std::vector<int>& layers, int layer) {
  const auto found = std::find(layers.begin(), layers.end(), layer);
  require(found != layers.end(), "steer.layer is among detect.layers");
  return static_cast<std::size_t>(found - layers.begin());
}

std::vector<int> numbered(const std::vector<const store::Scenario*>& scenarios,
                          std::string store::Scenario::*name) {
  std::unordered_map<std::string, int> numbers;
  std::vector<int> out;
  for (const auto* s : scenarios)
    out.push_back(numbers.try_emplace(s->*name, static_cast<int>(numbers.size())).first->second);
  return out;
}

std::vector<double> project(const Rows& x, std::span<const float> unit) {
  std::vector<double> out(x.n);
  for (std::size_t i = 0; i < x.n; ++i)
    out[i] = std::inner_product(x.row(i).begin(), x.row(i).end(), unit.begin(), 0.0, std::plus<>(),
                                [](float a, float b) { return static_cast<double>(a) * b; });
  return out;
}

// 1, .5 or 0 by pair: is the first above the second?
std::vector<double> in_order(const std::vector<double>& high, const std::vector<double>& low) {
  std::vector<double> out(high.size());
  for (std::size_t i = 0; i < high.size(); ++i) out[i] = high[i] > low[i] ? 1 : high[i] == low[i] ? 0.5 : 0;
  return out;
}

// Each class around its own mean, so that a variance-matched placebo does not hold the class gap.
Rows centred(Rows x) {
  for (std::size_t j = 0; j < x.d; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < x.n; ++i) sum += static_cast<double>(x.row(i)[j]);
    const auto level = static_cast<float>(sum / static_cast<double>(x.n));
    for (std::size_t i = 0; i < x.n; ++i) x.row(i)[j] -= level;
  }
  return x;
}

// The bag of words, on the same folds as the probe.
latent::Rival bag_of(const Lab& lab, const std::string& facet, const latent::DetectOptions& options,
                     const std::vector<int>& family, Seed seed) {
  std::vector<std::string> high;
  std::vector<std::string> low;
  for (const auto* s : scenarios_of(lab, store::Split::fit)) {
    high.push_back(s->facets.at(facet).emp);
    low.push_back(s->neu);
  }
  return latent::bag_of_words(high, low, family, options, seed);
}

// Length and the lexicon were not fitted on folds (the lexicon's lists were written with the fit split in
// sight), so they meet the direction on the test split, which neither has seen.
latent::Rival meter_of(const Lab& lab, const std::string& facet, instrument::Instrument& meter,
                       const std::string& name) {
  std::vector<instrument::BlindReply> texts;
  const auto test = scenarios_of(lab, store::Split::test);
  for (const auto* s : test) texts.push_back(instrument::blind_text(s->message, s->facets.at(facet).emp));
  for (const auto* s : test) texts.push_back(instrument::blind_text(s->message, s->neu));
  const auto scores = meter.score(facet, texts, {}, lab.cancel);
  std::vector<double> high;
  std::vector<double> low;
  for (std::size_t i = 0; i < test.size(); ++i) {
    high.push_back(scores[i].value_or(0));
    low.push_back(scores[test.size() + i].value_or(0));
  }
  latent::Rival rival;
  rival.name = name + ", on the test split";
  rival.auroc = stats::auroc(high, low);
  rival.concordance_by_pair = in_order(high, low);
  rival.concordance = stats::mean(rival.concordance_by_pair).value;
  return rival;
}

// probe - rival, paired by scenario.
Baseline compare(const latent::Rival& rival, const std::vector<double>& probe) {
  std::vector<double> gain(probe.size());
  for (std::size_t i = 0; i < probe.size(); ++i) gain[i] = probe[i] - rival.concordance_by_pair[i];
  return {rival.name, rival.auroc, rival.concordance, figure_of(stats::mean(gain))};
}

// Detection status, methods.md 2.5: beats shuffled labels, every baseline and random directions, and survives
// rephrasing. `rephrased`: concordance of the direction on rephrased exemplars of the test split.
void rule_detection(const Lab& lab, Detection& d, double rephrased) {
  const bool found = d.p < lab.plan.verdict.detect_p;
  const Baseline* rival = nullptr;  // the first that the probe does not beat
  for (const Baseline& b : d.baselines)
    if (rival == nullptr && !(b.gain.missing.empty() && b.gain.lo95 > 0)) rival = &b;
  const bool above_random =
      std::all_of(d.nulls.begin(), d.nulls.end(), [&](const RandomNull& n) { return d.auroc > n.p99; });
  const bool survives = d.held_out.missing.empty() && rephrased >= d.held_out.value - kMostRephraseLoss;
  if (found && rival != nullptr) {
    d.status = "LEXICAL_ONLY";
    d.why = "the probe orders held-out pairs, but it does not beat this baseline: " + rival->name +
            "; the words alone may explain it";
  } else if (found && above_random && survives) {
    d.status = "DECODABLE";
    d.why =
        "the probe orders held-out pairs better than shuffled labels, random directions and the words alone, "
        "and rephrased ones too";
  } else if (found) {
    d.status = "UNDETERMINED";
    d.why = above_random ? "the direction does not carry over to rephrased replies"
                         : "some random directions do as well";
  } else if (d.concordance.missing.empty() && d.concordance.lo90 > 0.45 && d.concordance.hi90 < 0.55) {
    d.status = "NOT_DECODABLE";
    d.why = "the probe orders pairs no better than chance, within .05";
  } else {
    d.status = "UNDETERMINED";
    d.why = "too few scenarios to tell the probe from chance";
  }
}

void look_across(const Texts& texts, std::vector<Inside>& insides) {
  for (Inside& a : insides)
    for (const Inside& b : insides) {
      if (a.facet == b.facet) continue;
      const std::size_t at = index_of(texts.layers, a.direction.layer);
      const auto& high = texts.test.at("EMP " + b.facet).at_position[at];
      const auto& low = texts.test.at("NEU").at_position[at];
      a.detection.cross_facet_auroc =
          stats::auroc(project(high, a.direction.unit), project(low, a.direction.unit));
      if (a.direction.layer == b.direction.layer)
        a.detection.cosine_other = latent::cosine(a.direction.unit, b.direction.unit);
    }
}

Inside look_at(Lab& lab, const Texts& texts, const std::string& facet) {
  const auto fit = scenarios_of(lab, store::Split::fit);
  latent::Pairs pairs;
  pairs.layers = texts.layers;
  pairs.high = texts.fit.at("EMP " + facet).at_position;
  pairs.low = texts.fit.at("NEU").at_position;
  pairs.scenario.resize(fit.size());
  std::iota(pairs.scenario.begin(), pairs.scenario.end(), 0);
  pairs.family = numbered(fit, &store::Scenario::family);
  latent::DetectOptions options;
  options.methods = lab.plan.detect.methods;
  options.folds = lab.plan.detect.folds;
  options.permutations = lab.plan.detect.permutations;
  options.random_directions = lab.plan.detect.random_directions;
  const Seed seed = Seed(lab.plan.seed).child("detect").child(facet);
  const latent::Detected found =
      latent::detect(pairs, options, seed, lab.counted("permutations"), lab.cancel);

  Inside inside;
  inside.facet = facet;
  const int deepest = static_cast<int>(kDeepest * lab.subject.card().n_layers) - 1;
  const int layer = lab.plan.steer.layer.value_or(std::min(found.layer, deepest));
  const std::size_t at = index_of(texts.layers, layer);
  inside.direction = latent::fit(facet, layer, pairs.high[at], pairs.low[at]);

  Detection& d = inside.detection;
  d.facet = facet;
  d.layer = found.layer;
  d.method = found.method;
  d.steer_layer = layer;
  d.auroc = found.auroc;
  d.concordance = figure_of(found.concordance);
  d.p = found.p;
  d.n_permutations = options.permutations;
  for (const auto& point : found.sweep)
    d.sweep.push_back({point.layer, point.method, point.auroc, point.concordance});
  for (const auto& null : found.nulls) d.nulls.push_back({null.kind, null.mean, null.p95, null.p99, null.n});
  const auto& unit = inside.direction.unit;
  const std::vector<double> held_high = project(texts.test.at("EMP " + facet).at_position[at], unit);
  const std::vector<double> held_low = project(texts.test.at("NEU").at_position[at], unit);
  d.held_out = figure_of(stats::concordance(held_high, held_low));
  const std::vector<double> held = in_order(held_high, held_low);
  d.baselines = {compare(bag_of(lab, facet, options, pairs.family, seed), found.concordance_by_pair),
                 compare(meter_of(lab, facet, *instrument::length(), "length"), held),
                 compare(meter_of(lab, facet, *instrument::lexicon(), "empathy lexicon"), held)};
  const double rephrased =
      stats::concordance(project(texts.test.at("REPHRASE of EMP " + facet).at_position[at], unit),
                         project(texts.test.at("REPHRASE of NEU").at_position[at], unit))
          .value;
  d.prompt_position_auroc = stats::auroc(project(texts.fit.at("EMP " + facet).at_prompt[at], unit),
                                         project(texts.fit.at("NEU").at_prompt[at], unit));
  d.class_gap = inside.direction.class_gap;
  d.median_norm = inside.direction.median_norm;
  d.sd_neutral = inside.direction.sd_neutral;
  rule_detection(lab, d, rephrased);

  for (std::size_t l = 0; l < texts.layers.size(); ++l)
    inside.per_layer.push_back(latent::fit(facet, texts.layers[l], pairs.high[l], pairs.low[l]));

  const Seed chance = Seed(lab.plan.seed).child("placebo").child(facet);
  const auto add = [&](int n, const char* kind, auto make) {
    for (int i = 0; i < n; ++i) {
      inside.placebos.push_back(make(chance.child(kind).child(static_cast<std::uint64_t>(i))));
      inside.placebos.back().method = kind;
    }
  };
  const store::Placebos& wanted = lab.plan.steer.placebos;
  const latent::Direction& like = inside.direction;
  Rows both = centred(pairs.high[at]);
  const Rows low_centred = centred(pairs.low[at]);
  for (std::size_t i = 0; i < low_centred.n; ++i) both.append(low_centred.row(i));
  add(wanted.isotropic, "isotropic", [&](Seed s) { return latent::random_direction(like, s); });
  add(wanted.variance, "variance-matched", [&](Seed s) { return latent::variance_matched(like, both, s); });
  add(wanted.shuffled, "shuffled-label",
      [&](Seed s) { return latent::shuffled_labels(like, pairs.high[at], pairs.low[at], s); });
  add(wanted.formality, "formality", [&](Seed) {
    return latent::unrelated_concept(like, texts.fit.at("formal").at_position[at], pairs.low[at]);
  });

  for (int i = 0; i < lab.plan.steer.random_ablations; ++i) {
    std::vector<latent::Direction> random;
    for (std::size_t l = 0; l < texts.layers.size(); ++l) {
      const Seed s =
          chance.child("ablate").child(static_cast<std::uint64_t>(i)).child(static_cast<std::uint64_t>(l));
      latent::Direction twin = latent::random_direction(inside.per_layer[l], s);
      const std::vector<double> neutral = project(pairs.low[l], twin.unit);
      twin.neutral_mean = stats::mean(neutral).value;
      random.push_back(std::move(twin));
    }
    inside.random_per_layer.push_back(std::move(random));
  }
  return inside;
}

}  // namespace

Texts read_texts(Lab& lab) {
  Texts texts;
  texts.layers = layers_of(lab);
  const auto read = [&](store::Split split, const std::vector<std::string>& kinds,
                        std::map<std::string, latent::Captured>& into) {
    // All texts of a scenario stand together, so that its prompt is read once.
    const auto scenarios = scenarios_of(lab, split);
    std::vector<model::Passage> passages;
    for (const auto* s : scenarios)
      for (const std::string& kind : kinds)
        passages.push_back(passage_of(lab, s->message, "", text_of(*s, kind)));
    const latent::Captured all = latent::capture(lab.subject, passages, texts.layers,
                                                 position_of(lab.plan.detect.position), lab.cancel);
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      latent::Captured& one = into[kinds[k]];
      one.layers = texts.layers;
      one.at_position.resize(texts.layers.size());
      one.at_prompt.resize(texts.layers.size());
      for (std::size_t l = 0; l < texts.layers.size(); ++l)
        for (std::size_t i = 0; i < scenarios.size(); ++i) {
          one.at_position[l].append(all.at_position[l].row(i * kinds.size() + k));
          one.at_prompt[l].append(all.at_prompt[l].row(i * kinds.size() + k));
        }
    }
  };
  std::vector<std::string> kinds = {"NEU"};
  for (const std::string& facet : lab.plan.facets) kinds.push_back("EMP " + facet);
  std::vector<std::string> held = kinds;
  held.emplace_back("REPHRASE of NEU");
  for (const std::string& facet : lab.plan.facets) held.push_back("REPHRASE of EMP " + facet);
  read(store::Split::test, held, texts.test);
  if (lab.plan.steer.placebos.formality > 0) kinds.emplace_back("formal");
  read(store::Split::fit, kinds, texts.fit);
  return texts;
}

std::vector<Inside> look_inside(Lab& lab, const Texts& texts) {
  std::vector<Inside> insides;
  for (const std::string& facet : lab.plan.facets) insides.push_back(look_at(lab, texts, facet));
  look_across(texts, insides);
  std::vector<store::Entry> entries;
  for (const Inside& inside : insides)
    entries.push_back({"direction", inside.facet, as_json(inside.direction)});
  lab.ledger.append(lab.run, entries);
  return insides;
}

std::string as_json(const latent::Direction& d) {
  return nlohmann::json{{"facet", d.facet},           {"method", d.method},
                        {"layer", d.layer},           {"unit", d.unit},
                        {"class_gap", d.class_gap},   {"median_norm", d.median_norm},
                        {"sd_neutral", d.sd_neutral}, {"neutral_mean", d.neutral_mean}}
      .dump();
}

latent::Direction direction_from_json(const std::string& json) {
  const nlohmann::json j = nlohmann::json::parse(json);
  latent::Direction d;
  d.facet = j.at("facet");
  d.method = j.at("method");
  d.layer = j.at("layer");
  d.unit = j.at("unit").get<std::vector<float>>();
  d.class_gap = j.at("class_gap");
  d.median_norm = j.at("median_norm");
  d.sd_neutral = j.at("sd_neutral");
  d.neutral_mean = j.at("neutral_mean");
  return d;
}

}  // namespace sonder::study
