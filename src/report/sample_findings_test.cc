#include "report/sample_findings.h"

#include <cmath>

// The findings are built here, in a test file, so that the library does not carry them.
namespace sonder::report {
namespace {

using namespace study;  // NOLINT(google-build-using-namespace): this file is made of nothing else

// A small repeatable wobble in -1..1, so that curves look like measurements.
double wobble(int i) { return std::sin(12.9898 * i + 4.1) * 0.7 + std::sin(3.7 * i) * 0.3; }

Figure figure(double value, double half) {
  return {value, value - half, value + half, value - 0.84 * half, value + 0.84 * half, ""};
}
Figure missing(const char* why) { return {0, 0, 0, 0, 0, why}; }

Detection detection(bool affective) {
  Detection d;
  d.facet = affective ? "affective" : "cognitive";
  d.status = "DECODABLE";
  d.why = affective
              ? "The read-out beats the best baseline, a bag of words, by 0.09 in scenarios it never saw."
              : "The read-out beats the best baseline, a bag of words, by 0.06 in scenarios it never saw.";
  d.layer = affective ? 18 : 14;
  d.method = "lda";
  d.steer_layer = affective ? 16 : 14;
  d.auroc = affective ? 0.871 : 0.846;
  d.concordance = affective ? figure(0.912, 0.048) : figure(0.884, 0.061);
  d.p = 0.005;
  d.n_permutations = 199;
  d.held_out = affective ? figure(0.906, 0.055) : figure(0.859, 0.072);
  d.prompt_position_auroc = 0.5;
  d.cross_facet_auroc = affective ? 0.662 : 0.641;
  d.cosine_other = 0.31;
  d.class_gap = affective ? 11.3 : 9.8;
  d.median_norm = affective ? 138.2 : 131.0;
  d.sd_neutral = 3.4;
  const char* methods[] = {"dom", "lda", "logistic"};
  for (int m = 0; m < 3; ++m)
    for (int layer = 0; layer < 30; ++layer) {
      const double depth = layer / 29.0;
      const double rise = 1 - std::exp(-5 * depth);
      const double base =
          (affective ? 0.72 : 0.70) + (m == 0 ? 0 : 0.03 * m) + 0.13 * rise - 0.06 * depth * depth;
      d.sweep.push_back({layer, methods[m], base + 0.012 * wobble(layer + 40 * m),
                         base + 0.04 + 0.014 * wobble(layer + 7 * m)});
    }
  d.baselines = {{"bag of words", 0.812, 0.838, figure(0.074, 0.05)},
                 {"lexicon", 0.744, 0.771, figure(0.141, 0.06)},
                 {"length", 0.544, 0.552, figure(0.36, 0.08)}};
  d.nulls = {{"isotropic", 0.542, 0.604, 0.648, 1000}, {"variance-matched", 0.611, 0.706, 0.771, 1000}};
  return d;
}

Gate passed(const char* code, const char* name, const char* detail) {
  return {code, name, true, true, detail, ""};
}
Gate failed(const char* code, const char* name, const char* detail, const char* failure) {
  return {code, name, false, true, detail, failure};
}
Gate not_taken(const char* code, const char* name, const char* detail) {
  return {code, name, false, false, detail, ""};
}

std::vector<LadderLevel> ladder(double first, double last) {
  std::vector<LadderLevel> levels = {{0, 0, 0.04}};
  for (int i = 1; i <= 4; ++i)
    levels.push_back({i, first + (last - first) * (i - 1) / 3 + 0.02 * wobble(i), 0.05});
  levels.push_back({5, 1, 0.05});
  return levels;
}

std::vector<Certificate> certificates() {
  const Gate still = passed("V5", "rephrasing", "θ −0.01, 90 % interval [−0.04, 0.03], inside ±0.05");
  const Gate room = passed("V6", "headroom", "3 % of unsteered replies at the top, 6 % at the bottom");
  return {
      {"embedding",
       "embedding",
       "affective",
       true,
       false,
       {passed("V1", "anchor", "g 0.012; concordance 1.00, lower bound 0.91"),
        passed("V2", "within-class ordering", "Page p < 0.001; pairwise 0.71, lower bound 0.66"),
        passed("V4", "positive control", "prompt +0.35 [0.21, 0.49]"), still, room},
       ladder(0.38, 0.86),
       1.42,
       "points",
       32,
       0},
      {"lexicon",
       "word list",
       "affective",
       true,
       false,
       {passed("V1", "anchor", "g 0.021; concordance 0.98, lower bound 0.90"),
        passed("V2", "within-class ordering", "Page p = 0.003; pairwise 0.63, lower bound 0.57"),
        passed("V4", "positive control", "prompt +0.29 [0.13, 0.45]"), still, room},
       ladder(0.45, 0.72),
       0.061,
       "share of words",
       32,
       0},
      {"judge",
       "judge",
       "affective",
       false,
       false,
       {failed("V1", "anchor", "g 1.84; concordance 0.53, lower bound 0.37", "NO_ANCHOR"),
        failed("V2", "within-class ordering", "Page p = 0.48; pairwise 0.51, lower bound 0.44",
               "INSENSITIVE_WITHIN"),
        not_taken("V4", "positive control", "not examined: V1 failed"),
        not_taken("V5", "rephrasing", "not examined: V1 failed"), room},
       ladder(0.5, 0.52),
       0.08,
       "points",
       32,
       0.031},
      {"embedding",
       "embedding",
       "cognitive",
       false,
       false,
       {passed("V1", "anchor", "g 0.017; concordance 0.97, lower bound 0.90"),
        failed("V2", "within-class ordering", "Page p = 0.21; pairwise 0.53, lower bound 0.48",
               "INSENSITIVE_WITHIN"),
        passed("V4", "positive control", "prompt +0.31 [0.14, 0.48]"), still, room},
       ladder(0.55, 0.58),
       1.17,
       "points",
       32,
       0},
      {"lexicon",
       "word list",
       "cognitive",
       false,
       false,
       {failed("V1", "anchor", "g 0.34; concordance 0.72, lower bound 0.55", "NO_ANCHOR"),
        failed("V2", "within-class ordering", "Page p = 0.37; pairwise 0.52, lower bound 0.45",
               "INSENSITIVE_WITHIN"),
        not_taken("V4", "positive control", "not examined: V1 failed"),
        not_taken("V5", "rephrasing", "not examined: V1 failed"), room},
       ladder(0.2, 0.24),
       0.018,
       "share of words",
       32,
       0},
      {"length",
       "length",
       "affective",
       false,
       true,
       {not_taken("V1", "anchor", "a control, not a witness")},
       {},
       0.9,
       "words",
       32,
       0},
  };
}

struct SampleArm {
  std::string name, kind, direction;
  double dose = 0;
  double affective = 0, cognitive = 0;  // shifts near the pilot's
  double words = 0, kl = 0, fluency = 1, repetition = 0;
};

std::vector<SampleArm> arms() {
  std::vector<SampleArm> all = {
      {"base", "base", "", 0, 0, 0, 0, 0, 1, 0},
      {"prompt affective", "prompt", "affective", 0, 0.35, 0.20, 3.1, 0.21, 1.04, 0.002},
      {"prompt cognitive", "prompt", "cognitive", 0, 0.18, 0.31, 4.4, 0.24, 1.06, 0.003},
      {"steer affective -4", "steer", "affective", -4, -0.36, -0.04, -1.4, 0.07, 1.08, 0.006},
      {"steer affective +2", "steer", "affective", 2, 0.12, -0.09, 0.4, 0.012, 1.01, 0.001},
      {"steer affective +4", "steer", "affective", 4, 0.23, -0.10, 0.9, 0.058, 1.07, 0.004},
      {"steer affective +6", "steer", "affective", 6, 0.19, -0.09, 1.8, 0.142, 1.19, 0.031},
      {"steer cognitive -4", "steer", "cognitive", -4, 0.05, -0.21, -0.7, 0.066, 1.06, 0.004},
      {"steer cognitive +2", "steer", "cognitive", 2, -0.04, 0.12, 0.2, 0.014, 1.02, 0.001},
      {"steer cognitive +4", "steer", "cognitive", 4, -0.08, 0.21, 0.8, 0.061, 1.08, 0.005},
      {"steer cognitive +6", "steer", "cognitive", 6, -0.33, 0.27, 1.3, 0.133, 1.17, 0.018}};
  for (const std::string facet : {"affective", "cognitive"}) {
    int i = facet == "affective" ? 1 : 11;
    for (const std::string kind : {"isotropic 1", "isotropic 2", "variance 1", "shuffled 1", "formality 1"}) {
      const double shift = kind == "formality 1" ? -0.14 : 0.06 * wobble(++i);
      all.push_back({"placebo " + facet + " " + kind, "placebo", facet, 4, shift, shift - 0.02,
                     -1 + wobble(i), 0.055, 1.05, 0.003});
    }
    all.push_back({"ablate " + facet, "ablate", facet, 0, facet == "affective" ? -0.17 : -0.03, -0.06, -1.1,
                   0.041, 1.05, 0.004});
    all.push_back(
        {"ablate random " + facet + " 1", "random_ablate", facet, 0, 0.02, 0.01, 0.2, 0.009, 1.01, 0.001});
  }
  return all;
}

std::string local(const Figure& f) {
  if (f.lo95 > 0) return f.hi90 < 0.10 ? "TRIVIAL" : "POSITIVE";
  if (f.hi95 < 0) return "NEGATIVE";
  return f.lo90 > -0.1 && f.hi90 < 0.1 ? "EQUIVALENT" : "INCONCLUSIVE";
}

void add_effects(Findings& f) {
  int i = 0;
  for (const SampleArm& arm : arms()) {
    if (arm.kind == "base") continue;
    for (const Certificate& c : f.certificates) {
      if (!c.certified && !(c.instrument == "embedding" && c.facet == "cognitive")) continue;
      const double shift =
          c.facet == "affective" ? arm.affective * (c.instrument == "lexicon" ? 0.8 : 1) : arm.cognitive;
      Effect e{c.facet,
               arm.name,
               arm.kind,
               arm.direction,
               arm.dose,
               c.instrument,
               figure(shift + 0.015 * wobble(++i), c.instrument == "lexicon" ? 0.15 : 0.125),
               shift * c.natural_gap,
               arm.words,
               "",
               arm.kind == "steer" && arm.dose == 4};
      if (c.certified) e.local = local(e.theta);
      f.effects.push_back(e);
    }
  }
  f.effects.push_back({"affective", "rephrase", "rephrase", "", 0, "lexicon",
                       missing("the bank has no rephrasing for this arm"), 0, 0, "", false});
}

void add_side_effects(Findings& f) {
  for (const SampleArm& arm : arms()) {
    if (arm.kind == "base") continue;
    SideEffects s{arm.name,       arm.kind, arm.direction, arm.dose, arm.kl, figure(arm.fluency, 0.04),
                  arm.repetition, 0.0,      0.83,          true,     ""};
    if (arm.kl > 0.10 && arm.kind == "steer") {
      s.admissible = false;
      s.why_not = "KL above 0.10";
    }
    f.side_effects.push_back(s);
    if (arm.kind == "steer" || arm.kind == "placebo")
      f.manipulations.push_back({arm.name, arm.dose * 11.3,
                                 arm.dose * 11.3 * (1 + 2e-5 * wobble(static_cast<int>(arm.dose))), 2e-5,
                                 arm.kl});
  }
}

const ShownScenario kScenarios[] = {
    {"work-t03",
     "test",
     "work",
     "I trained the new guy for six weeks. Today they made him my manager. I clapped with the others. I have "
     "been sitting in the "
     "car park for an hour and I cannot turn the key.",
     "Promotions are usually decided on several criteria. You can ask your own manager for a meeting and "
     "request written feedback.",
     {{"affective",
       "Clapping, and then that hour with the key in your hand. It stings to be passed over by someone you "
       "lifted yourself, and I feel how heavy that car has become."},
      {"cognitive",
       "You gave him what he needed and it was counted as his. The hour is not about the job alone: you must "
       "walk in tomorrow and take orders, and look glad."}}},
    {"loss-t01",
     "test",
     "loss",
     "Got a new phone, lad in the shop moved everything over in ten minutes. Everything but the voicemails. "
     "Mam's last one was on there.",
     "Voicemails usually sit with the network, so ring the operator today and ask whether your mailbox can "
     "be restored.",
     {{"affective",
       "Her voice, and then a stranger's quick hands. Something in my chest dropped reading that."},
      {"cognitive",
       "What went missing was the last proof of how she minded you, and behind it sits the question of "
       "forgetting her sound."}}},
    {"illness-t02",
     "test",
     "illness",
     "Biopsy done Monday. They said seven to ten working days. It is day four and I have refreshed the "
     "portal maybe sixty times.",
     "Most clinics post reports in office hours. You can switch on the e-mail alert, which saves opening the "
     "page.",
     {{"affective",
       "Day four is a long hallway, and with each refresh the floor goes soft. It is frightening, and I am "
       "in it with you."},
      {"cognitive", "Refreshing is the only move you have while the answer stays with other people."}}},
    {"family-t05",
     "test",
     "family",
     "My daughter told my sister she is getting married. Not me. My sister. I found out from a photo 💍 and "
     "I already pressed the heart.",
     "It is common for news to travel unevenly in families. You could call your daughter and congratulate "
     "her.",
     {{"affective", "That heart, pressed before it could hurt, and then it hurt. I am sore for you."},
      {"cognitive",
       "You are glad for her and left out by her, and you fear that saying the second will spoil the "
       "first."}}},
};

std::string reply_text(const SampleArm& arm, int scenario) {
  if (arm.name == "steer affective +6")
    return "I'm so sorry to hear that. I'm so sorry. It's completely understandable to feel so much pain, "
           "and I'm here for you, and I'm here for you";
  if (arm.name.starts_with("steer affective +"))
    return "I'm so sorry to hear that you're going through this. It's completely understandable to feel "
           "hurt, and I'm here to support you.";
  if (arm.name == "steer affective -4")
    return "I'm not a substitute for a professional advisor. There are several options that can be "
           "considered in this situation.";
  if (arm.name.starts_with("steer cognitive +"))
    return "It sounds like you are caught between what happened and what you have to do next. You may be "
           "wondering what it says about how they see you.";
  if (arm.kind == "prompt")
    return "That sounds really painful, and it makes sense that you feel this way. You gave a lot, and you "
           "wanted somebody to see it.";
  if (arm.kind == "ablate")
    return "There are a few steps you can take. First, make a list of the facts. Second, speak to the person "
           "responsible.";
  if (scenario % 2 == 1)
    return "It's completely normal to feel disappointed. Here are some tips: take a break, talk to someone, "
           "and try to focus on";
  return "It's completely normal to feel disappointed in this situation. You could talk to someone about it "
         "and see what your options are.";
}

void add_replies(Findings& f, int n_scenarios, int repeats) {
  const auto all = arms();
  for (int s = 0; s < n_scenarios; ++s) {
    ShownScenario scenario = kScenarios[s % 4];
    if (s >= 4) scenario.id += "-" + std::to_string(s);
    f.scenarios.push_back(scenario);
    for (int r = 0; r < repeats; ++r)
      for (std::size_t a = 0; a < all.size(); ++a) {
        std::string text = reply_text(all[a], s);
        // Many replies must differ, or compression would flatter the page's size.
        if (n_scenarios > 4)
          for (int k = 0; k < 12; ++k)
            text += " " + std::to_string((s * 7919 + static_cast<int>(a) * 104729 + k * k * 31 + r) % 99991);
        ShownReply reply{scenario.id, all[a].name, r, text, text.ends_with("on") ? "limit" : "end_of_turn",
                         {}};
        reply.scores["embedding/affective"] = 0.3 + all[a].affective + 0.15 * wobble(s + static_cast<int>(a));
        if (s != 3)
          reply.scores["lexicon/affective"] =
              0.25 + 0.8 * all[a].affective + 0.2 * wobble(2 * s + static_cast<int>(a));
        reply.scores["embedding/cognitive"] =
            0.2 + all[a].cognitive + 0.2 * wobble(3 * s + static_cast<int>(a));
        f.replies.push_back(std::move(reply));
      }
  }
}

Provenance provenance() {
  Provenance p;
  p.started = "2026-11-30T22:41:07Z";
  p.finished = "2026-11-30T22:46:32Z";
  p.sonder_version = "0.1.0";
  p.llama_version = "0.5.0";
  p.compiler = "g++ 12.2.0";
  p.machine = "x86_64, AVX-512";
  p.threads = 2;
  p.model_name = "smollm2-135m";
  p.model_sha256 = "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef";
  p.model_architecture = "llama";
  p.model_format = "F32";
  p.n_layers = 30;
  p.n_embd = 576;
  p.bank_name = "built-in";
  p.bank_sha256 = "0a1b2c3d4e5f60718293a4b5c6d7e8f900112233445566778899aabbccddeeff";
  p.plan_hash = "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00";
  p.plan =
      R"({"protocol":"steering","name":"quick","seed":1,"model":"smollm2-135m","steer":{"doses":[2,4,6],"negative":[-4]}})";
  p.times = {{"load the model", 1.9},   {"capture and detect", 71.2},    {"certify the instruments", 38.6},
             {"choose the dose", 44.0}, {"generate 800 replies", 148.3}, {"score and rule", 11.7}};
  return p;
}

}  // namespace

Findings sample_findings(int n_scenarios, int repeats) {
  Findings f;
  f.name = "quick";
  f.sentence =
      "Affective empathy was decodable in this model, and pushing it shifted certified scores by about a "
      "quarter of the natural gap, "
      "less than one sentence of prompt does. Cognitive empathy was decodable too, but no instrument could "
      "have seen it move: unmeasurable, not zero.";
  f.verdicts = {{"affective",
                 "DECODABLE",
                 "PARTIAL",
                 {"lexicon is INCONCLUSIVE"},
                 "UNTESTED",
                 "lowers the scores more than 1 random ablation",
                 "affective: decodable; pushing it shifts the scores in part, +0.23 [+0.11, +0.36] of the "
                 "natural gap; no people were asked."},
                {"cognitive",
                 "DECODABLE",
                 "UNMEASURABLE",
                 {"INSENSITIVE_WITHIN"},
                 "UNTESTED",
                 "unmeasurable",
                 "cognitive: decodable; unmeasurable with these instruments, which is not zero "
                 "(INSENSITIVE_WITHIN); no people were asked."}};
  f.detections = {detection(true), detection(false)};
  f.certificates = certificates();
  add_effects(f);
  add_side_effects(f);
  f.placebos = {{"affective", "embedding", figure(0.26, 0.14), 1.0 / 6, 5},
                {"affective", "lexicon", figure(0.19, 0.17), 1.0 / 6, 5}};
  f.lengths = {{"affective", "embedding", figure(0.23, 0.125), figure(0.21, 0.13), figure(0.22, 0.13), 0.0021,
                false, "the shift stays when length is taken out"},
               {"affective", "lexicon", figure(0.18, 0.15),
                missing("too few replies reach the common length"), figure(0.17, 0.16), 0.0004, false, ""}};
  f.chosen_dose = {{"affective", 4}, {"cognitive", 4}};
  add_replies(f, n_scenarios, repeats);
  f.counts = {{"replies", static_cast<std::int64_t>(f.replies.size())},
              {"scores", 2400},
              {"missing scores", 3},
              {"tokens written", 38417}};
  f.provenance = provenance();
  return f;
}

Findings hostile_findings() {
  const std::string evil =
      "</script><img src=x onerror=\"document.title='broken'\"><!--<script>'\"&{{findings}}";
  Findings f = sample_findings();
  f.name = f.sentence = evil;
  for (Verdict& v : f.verdicts) v.headline = v.ablation = evil, v.reasons = {evil};
  f.verdicts[1].facet = evil;
  for (Detection& d : f.detections) d.why = d.baselines[0].name = evil;
  for (Certificate& c : f.certificates) c.gates[0].detail = evil;
  f.certificates[0].instrument = evil;
  for (Effect& e : f.effects) e.arm += evil;
  for (SideEffects& s : f.side_effects) s.why_not = evil;
  for (ShownScenario& s : f.scenarios) s.message = s.neu = s.emp["affective"] = evil;
  for (ShownReply& r : f.replies) r.text = evil, r.arm += evil;
  f.provenance.plan = f.provenance.model_name = f.provenance.machine = evil;
  f.counts.push_back({evil, 1});
  return f;
}

}  // namespace sonder::report
