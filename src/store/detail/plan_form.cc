#include "store/detail/plan_form.h"

namespace sonder::store::detail {
namespace {

std::vector<Field> fields(DetectPlan& d) {
  return {
      {"layers",
       &d.layers,
       "Layers to look for the direction in, counted from 0; [] looks in all of them.",
       {.least = 0, .most = 100000, .ascending = true}},
      {"position",
       &d.position,
       "Where the hidden state is read: averaged over the reply, at its last token, or at the last token of "
       "the prompt.",
       {.choices = {"reply_mean", "last_reply", "last_prompt"}}},
      {"methods",
       &d.methods,
       "Ways to find a direction; the best is chosen inside the cross-validation, never on the held-out "
       "scenarios.",
       {.choices = {"dom", "lda", "logistic"}, .distinct = true, .min_items = 1}},
      {"folds",
       &d.folds,
       "Parts of the cross-validation; scenarios of one family stay together.",
       {.least = 2, .most = 100}},
      {"permutations",
       &d.permutations,
       "Times the whole search is repeated with shuffled labels; its p cannot fall below 1 / (permutations + "
       "1).",
       {.least = 19, .most = 100000}},
      {"random_directions",
       &d.random_directions,
       "Random directions of each kind that show what a direction without meaning achieves.",
       {.least = 0, .most = 1000000}},
  };
}

std::vector<Field> fields(Placebos& p) {
  const Rule count = {.least = 0, .most = 10000};
  return {
      {"isotropic", &p.isotropic, "Pushes of equal size along a random direction.", count},
      {"variance", &p.variance, "Random directions that follow how much the model's states vary.", count},
      {"shuffled", &p.shuffled, "Directions found in the same way after shuffling the labels.", count},
      {"formality",
       &p.formality,
       "The direction of a concept that has nothing to do with empathy.",
       {.least = 0, .most = 1}},
  };
}

std::vector<Field> fields(SteerPlan& s) {
  return {
      {"layer",
       &s.layer,
       "Layer that is pushed, counted from 0; null takes the one that detection chose.",
       {.least = 0, .most = 100000}},
      {"span",
       &s.span,
       "Which tokens are pushed: those of the reply, from the last token of the prompt on, or all.",
       {.choices = {"reply", "last_prompt", "all"}}},
      {"unit",
       &s.unit,
       "What a dose of 1 is: the gap between neutral and empathic replies, the size of a hidden state, its "
       "spread on "
       "neutral text, or the change in next-token probabilities.",
       {.choices = {"gap", "norm", "sd", "kl"}}},
      {"doses",
       &s.doses,
       "How hard to push.",
       {.most = 1e6, .above = 0, .ascending = true, .min_items = 1, .max_items = 100}},
      {"negative",
       &s.negative,
       "Pushes the other way; [] makes none.",
       {.least = -1e6, .below = 0, .distinct = true, .max_items = 100}},
      {"dose",
       &s.dose,
       "The dose that decides, one of the doses; null takes the largest that leaves the model fluent on the "
       "dev scenarios.",
       {.most = 1e6, .above = 0}},
      {"placebos", Group{fields(s.placebos)},
       "Pushes that mean nothing, to compare with; a placebo p cannot fall below 1 / (their number + 1)."},
      {"ablate", &s.ablate, "Also remove the direction at every layer, and see what is lost."},
      {"random_ablations",
       &s.random_ablations,
       "Random directions removed in the same way, to compare with.",
       {.least = 0, .most = 10000}},
      {"prompt_affective",
       &s.prompt_affective,
       "The sentence that asks for affective empathy in words; it is the positive control.",
       {.filled = true}},
      {"prompt_cognitive",
       &s.prompt_cognitive,
       "The sentence that asks for cognitive empathy in words; it is the positive control.",
       {.filled = true}},
  };
}

std::vector<Field> fields(GeneratePlan& g) {
  return {
      {"n_tokens", &g.n_tokens, "Longest reply, in tokens.", {.least = 1, .most = 100000}},
      {"temperature",
       &g.temperature,
       "0 always takes the likeliest token; higher is more varied.",
       {.least = 0, .most = 100}},
      {"top_p",
       &g.top_p,
       "Keep the likeliest tokens that together have this probability; 1 keeps all.",
       {.most = 1, .above = 0}},
      {"min_p",
       &g.min_p,
       "Drop tokens below this share of the likeliest one's probability.",
       {.least = 0, .below = 1}},
      {"repeats", &g.repeats, "Replies to each scenario in each arm.", {.least = 1, .most = 10000}},
      {"batch",
       &g.batch,
       "Replies generated side by side; it changes the speed, never the result.",
       {.least = 1, .most = 4096}},
  };
}

std::vector<Field> fields(InstrumentPlan& i) {
  return {
      {"name",
       &i.name,
       "What scores a reply.",
       {.choices = {"lexicon", "embedding", "judge", "length"}, .required = true}},
      {"model", &i.model,
       "Model of an embedding or a judge: a known name or the path of a GGUF file; the others use none."},
      {"form", &i.form, "How a judge is asked.", {.choices = {"chat", "plain"}}},
      {"when",
       &i.when,
       "Score the study's replies only when the instrument has proved that it can see a change, or always.",
       {.choices = {"certified", "always"}}},
      {"scenarios",
       &i.scenarios,
       "Prove it on this many test scenarios; 0 uses all.",
       {.least = 0, .most = 1000000}},
      {"endpoint", &i.endpoint,
       "Address of an OpenAI-compatible endpoint that a judge is asked at, up to /v1; \"\" is a local "
       "model."},
      {"key_env", &i.key_env,
       "Environment variable that holds the endpoint's key; the key itself never stands in a plan."},
      {"remote", &i.remote,
       "true allows texts to leave this machine; without it only a loopback address is asked."},
      {"samples",
       &i.samples,
       "Answers to each question where the endpoint gives no token probabilities.",
       {.least = 1, .most = 1000}},
      {"concurrency", &i.concurrency, "Questions under way at once, at most.", {.least = 1, .most = 256}},
      {"timeout", &i.timeout, "Seconds until an answer must be complete.", {.most = 3600, .above = 0}},
      {"token_budget",
       &i.token_budget,
       "Most tokens to spend before the run stops and can be gone on with; 0 sets no limit.",
       {.least = 0, .most = 2000000000}},
  };
}

std::vector<Field> fields(GatePlan& g) {
  return {
      {"kl",
       &g.kl,
       "Side effect: most change in next-token probabilities on unrelated prompts, in nats.",
       {.above = 0}},
      {"fluency",
       &g.fluency,
       "Side effect: most perplexity, as a multiple of the unpushed replies'.",
       {.least = 1}},
      {"degeneration",
       &g.degeneration,
       "Side effect: most additional repetition, and most additional replies that are empty or go in "
       "circles.",
       {.least = 0, .most = 1}},
      {"kl_prompts",
       &g.kl_prompts,
       "Unrelated prompts that the change is measured on.",
       {.least = 1, .most = 1000000}},
      {"anchor_g",
       &g.anchor_g,
       "Instrument: how precisely the natural gap must be known (Fieller's g, at most).",
       {.above = 0, .below = 1}},
      {"anchor_concordance",
       &g.anchor_concordance,
       "Instrument: least share of scenarios in which it scores the empathic reply above the neutral one.",
       {.least = 0.5, .below = 1}},
      {"within_p",
       &g.within_p,
       "Instrument: largest p for the order of graded supportive replies.",
       {.above = 0, .below = 1}},
      {"within_concordance",
       &g.within_concordance,
       "Instrument: least share of pairs of graded supportive replies put in the right order.",
       {.least = 0.5, .below = 1}},
      {"headroom",
       &g.headroom,
       "Instrument: most unpushed replies already at the end of the scale.",
       {.least = 0, .most = 1}},
  };
}

std::vector<Field> fields(VerdictPlan& v) {
  return {
      {"delta",
       &v.delta,
       "Smallest shift worth claiming, as a share of the natural gap.",
       {.above = 0, .below = 1}},
      {"tau",
       &v.tau,
       "From this share of the natural gap on, the verdict may say that the direction controls the facet.",
       {.most = 10, .above = 0}},
      {"missing",
       &v.missing,
       "A larger share of missing scores than this makes the run invalid.",
       {.least = 0, .below = 1}},
      {"detect_p", &v.detect_p, "Largest p of the detection that still counts.", {.above = 0, .below = 1}},
  };
}

}  // namespace

std::vector<Field> fields(Plan& p, int& format) {
  Groups instruments;
  instruments.resize = [&p](std::size_t n) { p.instruments.resize(n); };
  instruments.at = [&p](std::size_t i) { return fields(p.instruments.at(i)); };
  instruments.size = [&p] { return p.instruments.size(); };
  const Rule filled = {.filled = true};
  return {
      {"sonder",
       &format,
       "Version of this file's format.",
       {.least = kPlanFormat, .most = kPlanFormat, .required = true}},
      {"protocol", &p.protocol, "What kind of study this is.", {.choices = {"steering"}}},
      {"name", &p.name, "A name for the report's title."},
      {"seed", &p.seed, "Every random choice follows from it: the same plan gives the same bytes."},
      {"model", &p.model,
       "The model that is studied: a known name (`sonder model list`) or the path of a GGUF file.", filled},
      {"form",
       &p.form,
       "How it is asked: with its chat template, or with a plain transcript (for base models).",
       {.choices = {"chat", "plain"}}},
      {"system", &p.system, "System prompt; \"\" keeps the template's own."},
      {"bank", &p.bank, "The scenarios: built-in, or the path of a folder.", filled},
      {"facets",
       &p.facets,
       "Which sides of empathy: feeling with the person (affective), understanding the person (cognitive).",
       {.choices = {"affective", "cognitive"}, .distinct = true, .min_items = 1}},
      {"n_test", &p.n_test, "Use this many test scenarios; 0 uses all.", {.least = 0, .most = 1000000}},
      {"detect", Group{fields(p.detect)}, "Is the facet there to be read inside the model?"},
      {"steer", Group{fields(p.steer)}, "Does pushing it change what the model writes?"},
      {"generate", Group{fields(p.generate)}, "How replies are written."},
      {"instruments",
       std::move(instruments),
       "What scores the replies, without knowing where each comes from.",
       {.min_items = 1}},
      {"gates", Group{fields(p.gates)}, "Limits for side effects, and what an instrument must prove first."},
      {"verdict", Group{fields(p.verdict)}, "What counts as an answer."},
  };
}

}  // namespace sonder::store::detail
