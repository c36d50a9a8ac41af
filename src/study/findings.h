// Everything a steering study found, as values: what the ledger keeps and the page shows.
// Nothing here is computed again later.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sonder::study {

// A number with its interval, or the reason why there is none (then `missing` is not empty).
struct Figure {
  double value = 0;
  double lo95 = 0, hi95 = 0;
  double lo90 = 0, hi90 = 0;
  std::string missing;

  // Two missing figures are equal when their reasons are: what the numbers hold then means nothing.
  bool operator==(const Figure& other) const {
    if (!missing.empty() || !other.missing.empty()) return missing == other.missing;
    return value == other.value && lo95 == other.lo95 && hi95 == other.hi95 && lo90 == other.lo90 &&
           hi90 == other.hi90;
  }
};

// ---- detection (methods.md 2)
struct LayerScore {
  int layer = 0;
  std::string method;      // dom | lda | logistic
  double auroc = 0;        // mean of the outer folds
  double concordance = 0;  // within scenario

  bool operator==(const LayerScore&) const = default;
};

struct Baseline {
  std::string name;  // "bag of words", "length", "lexicon"
  double auroc = 0;
  double concordance = 0;
  Figure gain;  // concordance of the probe minus this baseline's, scenario bootstrap

  bool operator==(const Baseline&) const = default;
};

struct RandomNull {
  std::string kind;  // isotropic | variance-matched
  double mean = 0;   // of max(A, 1-A)
  double p95 = 0;
  double p99 = 0;
  int n = 0;

  bool operator==(const RandomNull&) const = default;
};

struct Detection {
  std::string facet;
  std::string status;  // DECODABLE | LEXICAL_ONLY | NOT_DECODABLE | UNDETERMINED
  std::string why;     // one plain sentence
  int layer = 0;       // chosen by the nested cross-validation, with the method: where the facet is read best
  std::string method;
  int steer_layer = 0;  // where the study pushes; the held-out and cross-facet scores and the sizes below too
  double auroc = 0;     // nested: mean of the outer folds
  Figure concordance;   // nested, scenario interval
  double p = 1;         // permutation of the whole pipeline
  int n_permutations = 0;
  Figure held_out;  // concordance on the test split, direction fitted on fit
  double prompt_position_auroc =
      0;                          // before any reply token the texts are one prompt: .5, or the wiring leaks
  double cross_facet_auroc = 0;   // this facet's direction on the other facet's texts
  double cosine_other = 0;        // with the other facet's direction; descriptive only
  double class_gap = 0;           // residual units, at `steer_layer`
  double median_norm = 0;         // of the residual at `steer_layer`
  double sd_neutral = 0;          // SD of u'x on neutral text
  std::vector<LayerScore> sweep;  // every layer and method
  std::vector<Baseline> baselines;
  std::vector<RandomNull> nulls;

  bool operator==(const Detection&) const = default;
};

// ---- certificates (methods.md 4.5)
struct Gate {
  std::string code;  // V1 V2 V4 V5 V6
  std::string name;  // "anchor", "within-class ordering", …
  bool passed = false;
  bool taken = true;    // false: not examined, `detail` says why
  std::string detail;   // the numbers, in words
  std::string failure;  // NO_ANCHOR | INSENSITIVE_WITHIN | POSITIVE_CONTROL_FAILED | UNSTABLE | CEILING |
                        // FLOOR; "" when passed

  bool operator==(const Gate&) const = default;
};

struct LadderLevel {
  int level = 0;    // 0: NEU, 1..4: ladder, 5: EMP
  double mean = 0;  // share of the natural gap: NEU = 0, EMP = 1
  double se = 0;

  bool operator==(const LadderLevel&) const = default;
};

struct Certificate {
  std::string instrument;
  std::string family;  // "word list", "embedding", "judge", "length"
  std::string facet;
  bool certified = false;
  bool control_only = false;  // the length meter: reported, never a witness
  std::vector<Gate> gates;
  std::vector<LadderLevel> ladder;
  double natural_gap = 0;  // Dbar in the instrument's own units
  std::string unit;        // of those
  int n_scenarios = 0;
  double missing_share = 0;

  bool operator==(const Certificate&) const = default;
};

// ---- effects (methods.md 3)
struct Effect {
  std::string facet;      // of the instrument
  std::string arm;        // "steer affective +4", "placebo isotropic 1", "prompt affective", …
  std::string kind;       // base | steer | placebo | ablate | random_ablate | prompt | pad | rephrase
  std::string direction;  // facet of the direction or prompt; "" where none
  double dose = 0;        // class gaps; 0 where none
  std::string instrument;
  Figure theta;         // share of the natural gap
  double raw = 0;       // mean difference in the instrument's units
  double words = 0;     // mean length difference from base, words
  std::string local;    // STRONG | POSITIVE | TRIVIAL | TRIVIAL_NEGATIVE | NEGATIVE | EQUIVALENT |
                        // INCONCLUSIVE; "" if not certified
  bool chosen = false;  // the confirmatory dose

  bool operator==(const Effect&) const = default;
};

struct SideEffects {
  std::string arm;
  std::string kind;
  std::string direction;
  double dose = 0;
  double kl = 0;          // nats, next token, unrelated prompts
  Figure fluency;         // perplexity ratio to base, under the unsteered model
  double repetition = 0;  // repeated 4-gram rate, points above base
  double broken = 0;      // share of empty, missing or circling replies, above base
  double distinct2 = 0;
  bool admissible = true;
  std::string why_not;  // first gate that failed

  bool operator==(const SideEffects&) const = default;
};

struct Manipulated {
  std::string arm;
  double asked = 0, got = 0;  // residual units
  double relative_error = 0;
  double kl = 0;

  bool operator==(const Manipulated&) const = default;
};

struct PlaceboContrast {
  std::string facet, instrument;
  Figure contrast;  // theta(steer) - mean theta(placebo), by scenario
  double p = 1;     // (1 + #{placebo >= steer}) / (J + 1)
  int n = 0;        // J

  bool operator==(const PlaceboContrast&) const = default;
};

struct LengthCheck {
  std::string facet, instrument;
  Figure raw, truncated;  // theta; first L0 tokens cut at a sentence end
  Figure adjusted;        // with the PAD slope
  double slope = 0;       // instrument units per word
  bool fires = false;     // the length rule of 3.5
  std::string detail;

  bool operator==(const LengthCheck&) const = default;
};

// ---- verdict (methods.md 7)
struct Verdict {
  std::string facet;
  std::string detect;   // detection status
  std::string control;  // CONTROLS | PARTIAL | NO_EFFECT_EQUIVALENT | TRIVIAL | REVERSED | INCONCLUSIVE |
                        // UNMEASURABLE | CONFOUNDED | CONFLICT | RUN_INVALID
  std::vector<std::string> reasons;  // codes in brackets, e.g. INSENSITIVE_WITHIN
  std::string perceive = "UNTESTED";
  std::string ablation;  // the fourth coordinate: necessity
  std::string headline;  // one sentence with its licence

  bool operator==(const Verdict&) const = default;
};

// ---- replies and provenance
struct ShownReply {
  std::string scenario;
  std::string arm;
  int repeat = 0;
  std::string text;
  std::string stopped;  // end_of_turn | stop_text | limit
  std::map<std::string, double>
      scores;  // "instrument/facet" → share of the natural gap above base's scale; absent when missing

  bool operator==(const ShownReply&) const = default;
};

struct ShownScenario {
  std::string id, split, area, message;
  std::string neu;
  std::map<std::string, std::string> emp;  // by facet

  bool operator==(const ShownScenario&) const = default;
};

struct Count {
  std::string name;  // "replies", "missing", "tokens prefilled", …
  std::int64_t value = 0;

  bool operator==(const Count&) const = default;
};

struct StepTime {
  std::string step;
  double seconds = 0;

  bool operator==(const StepTime&) const = default;
};

struct Provenance {
  std::string started, finished;  // UTC
  std::string sonder_version, llama_version, compiler, machine;
  int threads = 0;
  std::string model_name, model_sha256, model_architecture, model_format;
  int n_layers = 0, n_embd = 0;
  std::string bank_name, bank_sha256;
  std::string plan_hash;
  std::string plan;  // canonical JSON
  std::vector<StepTime> times;

  bool operator==(const Provenance&) const = default;
};

struct Findings {
  std::string name;                       // of the plan
  std::string sentence;                   // the verdict of the whole study, one or two plain sentences
  std::vector<Verdict> verdicts;          // by facet
  std::vector<Detection> detections;      // by facet
  std::vector<Certificate> certificates;  // instrument × facet
  std::vector<Effect> effects;
  std::vector<SideEffects> side_effects;
  std::vector<Manipulated> manipulations;
  std::vector<PlaceboContrast> placebos;
  std::vector<LengthCheck> lengths;
  std::map<std::string, double> chosen_dose;  // by facet; absent when no dose was admissible
  double delta = 0.10, tau = 0.50;
  std::vector<ShownScenario> scenarios;
  std::vector<ShownReply> replies;
  std::vector<Count> counts;
  Provenance provenance;

  bool operator==(const Findings&) const = default;
};

// Complete and lossless: findings_from_json(as_json(f)) == f field by field. Top-level keys: `verdict` (facet
// → …), `instruments`, `effects`, `detection`, `counts`, `provenance` and the rest under the names above. A
// Figure `k` is flat (`k`, `k_lo95`, …); a missing one is `"k": null, "k_missing": "reason"`; an effect's are
// `theta`, `lo95`, …. Throws Error(bug) naming the place when a number is not finite, or two verdicts or
// counts share a name. Bytes that are not UTF-8 become U+FFFD.
std::string as_json(const Findings& findings);
// Throws Error(corrupt) naming the place when the text is not what as_json wrote.
Findings findings_from_json(const std::string& json);

}  // namespace sonder::study
