// The plan of a steering study: everything that decides the result, read before anything is known.
// YAML 1.2, strict. schema/plan.schema.json describes the same; a test keeps them equal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/problem.h"

namespace sonder::store {

struct DetectPlan {
  std::vector<int> layers;              // empty: all
  std::string position = "reply_mean";  // reply_mean | last_reply | last_prompt
  std::vector<std::string> methods = {"dom", "lda",
                                      "logistic"};  // methods.md 2.2; selection happens inside the CV
  int folds = 5;                                    // grouped by scenario family
  int permutations = 199;                           // of the whole pipeline
  int random_directions = 1000;
  bool operator==(const DetectPlan&) const = default;
};

struct Placebos {
  int isotropic = 2;  // P1
  int variance = 1;   // P2
  int shuffled = 1;   // P3
  int formality = 1;  // P5
  int total() const { return isotropic + variance + shuffled + formality; }
  bool operator==(const Placebos&) const = default;
};

struct SteerPlan {
  std::optional<int> layer;               // nothing: the layer that detection chose
  std::string span = "reply";             // reply | last_prompt | all
  std::string unit = "gap";               // gap | norm | sd | kl
  std::vector<double> doses = {2, 4, 6};  // ascending, > 0
  std::vector<double> negative = {-4};    // < 0
  std::optional<double> dose;  // the confirmatory dose; nothing: largest admissible on the dev split
  Placebos placebos;
  bool ablate = true;  // mean ablation at every layer
  int random_ablations = 1;
  std::string prompt_affective =
      "Respond warmly. Show that you feel with the person and take their feelings seriously.";
  std::string prompt_cognitive =
      "Show that you understand the person's situation: what matters to them, what they worry about, and "
      "why.";
  bool operator==(const SteerPlan&) const = default;
};

struct GeneratePlan {
  int n_tokens = 48;
  double temperature = 0.7;
  double top_p = 1.0;
  double min_p = 0.0;
  int repeats = 1;
  int batch = 60;
  bool operator==(const GeneratePlan&) const = default;
};

struct InstrumentPlan {
  std::string name;                // lexicon | embedding | judge | length
  std::string model = {};          // embedding, judge: a known name or a path
  std::string form = "plain";      // judge: chat | plain
  std::string when = "certified";  // certified | always: spend a failed instrument on the arms all the same?
  int scenarios = 0;               // certify on this many test scenarios; 0: all
  // of a judge behind an OpenAI-compatible endpoint; an empty address: a local model
  std::string endpoint = {};  // as far as "/v1"
  std::string key_env = {};  // the environment variable that holds the key; the key itself is never in a plan
  bool remote = false;       // may texts leave this machine?
  int samples = 5;           // answers to each question where the endpoint gives no token probabilities
  int concurrency = 4;
  double timeout = 60;   // seconds
  int token_budget = 0;  // most tokens to spend in one go; 0: no limit
  bool operator==(const InstrumentPlan&) const = default;
};

struct GatePlan {
  // side effects, methods.md 3.4
  double kl = 0.10;
  double fluency = 1.25;
  double degeneration = 0.02;
  int kl_prompts = 20;
  // certificate, methods.md 4.5
  double anchor_g = 0.05;
  double anchor_concordance = 0.90;
  double within_p = 0.01;
  double within_concordance = 0.55;
  double headroom = 0.15;
  bool operator==(const GatePlan&) const = default;
};

struct VerdictPlan {
  double delta = 0.10;    // smallest shift worth claiming, share of the natural gap
  double tau = 0.50;      // from here on: controls
  double missing = 0.05;  // more missing than this: the run is invalid
  double detect_p = 0.01;
  bool operator==(const VerdictPlan&) const = default;
};

struct Plan {
  std::string protocol = "steering";
  std::string name;
  std::uint64_t seed = 1;
  std::string model = "smollm2-135m";
  std::string form = "chat";  // chat | plain
  std::string system;         // system prompt; empty: the template's own default
  std::string bank = "built-in";
  std::vector<std::string> facets = {"affective", "cognitive"};
  int n_test = 0;  // use this many test scenarios; 0: all
  DetectPlan detect;
  SteerPlan steer;
  GeneratePlan generate;
  std::vector<InstrumentPlan> instruments = {
      {"lexicon"}, {"embedding", "minilm"}, {"judge", "smollm2-135m", "plain"}, {"length"}};
  GatePlan gates;
  VerdictPlan verdict;
  bool operator==(const Plan&) const = default;
};

// Every problem at once: unknown keys name the nearest known one; wrong types, ranges and duplicates with
// their line and column. A key that is absent keeps its default; `sonder: 1`, the format, must be there. A
// file above 1 MB, or one that is not UTF-8, is refused. Throws BadInput.
Plan read_plan(const std::string& path);
Plan parse_plan(const std::string& yaml, const std::string& file_name);

// Canonical: every field, fixed order, no white space, whole numbers without a point.
// plan_from_json(to_json(p)) == p.
std::string to_json(const Plan& plan);
// As strict as the YAML reader on each key, but a key that a plan of an older version lacks keeps its
// default, and rules that join keys are not asked again. Throws BadInput.
Plan plan_from_json(const std::string& json);
std::string plan_schema();  // JSON Schema 2020-12, the same as schema/plan.schema.json

// The plan that `sonder init PROTOCOL` prints: every key with its default, its help as a comment. It parses
// to the default plan. Throws Error(bad_input) for a protocol that has no plan.
std::string commented_plan(const std::string& protocol);

// How two canonical plans differ, one line a key: "steer.doses: [2,4] → [2,4,6]". Long texts are named by
// their size. Empty when they are equal. Throws Error(bad_input) when either is not JSON.
std::vector<std::string> plan_differences(const std::string& before, const std::string& after);

}  // namespace sonder::store
