#include "report/words.h"

#include <algorithm>
#include <array>

namespace sonder::report {
namespace {

constexpr std::array kDetection = {
    Word{"DECODABLE", "yes",
         "A read-out inside the model tells the two kinds of reply apart in scenarios it has never seen, "
         "better than "
         "their words or their length do.",
         Tone::yes},
    Word{"LEXICAL_ONLY", "only in the words",
         "The two kinds of reply can be told apart, but no better than by counting their words. Nothing "
         "deeper was "
         "shown.",
         Tone::part},
    Word{"NOT_DECODABLE", "no", "The read-out was tested and does no better than chance.", Tone::no},
    Word{"UNDETERMINED", "undecided", "The data allow neither a yes nor a no.", Tone::open},
};

constexpr std::array kControl = {
    Word{
        "CONTROLS", "yes, the scores",
        "Pushing the direction moves every certified instrument by at least half of the natural gap, in both "
        "directions, with more dose giving more effect.",
        Tone::yes},
    Word{"PARTIAL", "in part",
         "Pushing the direction moves certified scores more than placebos do, but by less than half of the "
         "natural "
         "gap, or not on every instrument.",
         Tone::part},
    Word{"TRIVIAL", "too little to matter", "The shift is smaller than the smallest one worth claiming.",
         Tone::no},
    Word{"NO_EFFECT_EQUIVALENT", "no",
         "Certified instruments, which could have seen a shift, show that it is smaller than the smallest "
         "one worth "
         "claiming.",
         Tone::no},
    Word{"REVERSED", "the wrong way", "Pushing the direction lowers the scores that it should raise.",
         Tone::no},
    Word{"INCONCLUSIVE", "undecided", "The interval is too wide to say. More scenarios are needed.",
         Tone::open},
    Word{"UNMEASURABLE", "cannot be told",
         "No instrument passed its certificate, so nothing could have been seen. This is not zero.",
         Tone::open},
    Word{"CONFOUNDED", "not for this reason",
         "The scores move, but placebos, length or broken text explain it as well.", Tone::bad},
    Word{"CONFLICT", "instruments disagree", "One certified instrument rises while another falls.",
         Tone::bad},
    Word{"RUN_INVALID", "the run is invalid",
         "Something went wrong with the run itself. Its scores say nothing.", Tone::bad},
};

constexpr std::array kPerception = {
    Word{"PERCEIVED", "yes",
         "Blinded people prefer the steered reply more often than chance and than a placebo.", Tone::yes},
    Word{"NOT_PERCEIVED", "no", "Blinded people were shown to see no difference that matters.", Tone::no},
    Word{"PERCEPTION_INCONCLUSIVE", "undecided",
         "People were asked; their answers allow neither a yes nor a no.", Tone::open},
    Word{"PERCEPTION_UNMEASURABLE", "cannot be told",
         "The panel could not order replies that differ by design, so its answer on the steered ones means "
         "nothing.",
         Tone::open},
    Word{"UNTESTED", "not asked", "No people were asked. Whether anybody would notice is unknown.",
         Tone::open},
};

constexpr std::array kReason = {
    Word{"NO_ANCHOR", "cannot tell the ends apart",
         "The instrument does not reliably score the empathic exemplar above the neutral one."},
    Word{"INSENSITIVE_WITHIN", "blind to degrees",
         "The instrument tells neutral from empathic, but cannot order degrees inside supportive text, which "
         "is where "
         "steering acts."},
    Word{"POSITIVE_CONTROL_FAILED", "missed the known change",
         "The instrument did not see the change that a plain request in the prompt makes."},
    Word{"UNSTABLE", "moved by a rephrasing",
         "The instrument changes its score when the same thing is said in other "
         "words."},
    Word{"CEILING", "no room above", "Too many unsteered replies already score at the top of the scale."},
    Word{"FLOOR", "no room below", "Too many unsteered replies already score at the bottom of the scale."},
    Word{"non-specific", "placebos do it too",
         "A random or unrelated push of the same size moves the scores as much.", Tone::bad},
    Word{"length", "length explains it", "The shift follows the length of the replies.", Tone::bad},
    Word{"degeneration", "only with broken text",
         "The scores move only at doses at which the text falls apart.", Tone::bad},
};

constexpr std::array kTerms = {
    Word{"facet", "", "Affective (feeling with the person) or cognitive (understanding the person)."},
    Word{"natural gap", "",
         "The distance between a neutral and a fully empathic reply to the same message, on one instrument. "
         "Shifts are "
         "given as a share of it: 0 is no shift, 1 is the whole way."},
    Word{"class gap", "",
         "The distance between the two kinds of reply inside the model, along the direction. Doses are "
         "counted in it."},
    Word{"direction", "",
         "A line through the model's inner states along which the two kinds of reply differ."},
    Word{"dose", "", "How far the inner state is pushed along the direction while the model writes."},
    Word{"placebo", "",
         "A push of the same size along a direction that should not matter: random, shuffled or unrelated."},
    Word{"certificate", "",
         "What an instrument must show before its result counts: that it can see a known difference, order "
         "degrees "
         "within supportive text, and stay still when nothing changes."},
    Word{"concordance", "",
         "How often the read-out ranks the empathic reply above the neutral one to the same message. 0.5 is "
         "chance."},
    Word{"AUROC", "",
         "How often it ranks any empathic reply above any neutral one, whatever the message. 0.5 is chance."},
    Word{"nested score", "",
         "The honest one: layer and method are chosen without the scenarios on which the score is then "
         "taken."},
    Word{"ladder", "", "Four graded versions of one supportive reply, from acknowledging to resonating."},
    Word{"95 % interval", "",
         "The values that the scenarios at hand leave plausible. An interval that includes 0 shows no shift, "
         "and by "
         "itself no absence of one."},
};

}  // namespace

std::string_view sign(Tone tone) {
  switch (tone) {
    case Tone::yes:
      return "●";
    case Tone::part:
      return "◐";
    case Tone::no:
      return "○";
    case Tone::open:
      return "◇";
    case Tone::bad:
      return "✕";
  }
  return "◇";
}

std::string_view to_text(Tone tone) {
  switch (tone) {
    case Tone::yes:
      return "yes";
    case Tone::part:
      return "part";
    case Tone::no:
      return "no";
    case Tone::open:
      return "open";
    case Tone::bad:
      return "bad";
  }
  return "open";
}

std::span<const Word> detection_words() { return kDetection; }
std::span<const Word> control_words() { return kControl; }
std::span<const Word> perception_words() { return kPerception; }
std::span<const Word> reason_words() { return kReason; }
std::span<const Word> terms() { return kTerms; }

Word word(std::string_view code) {
  for (const auto words : {detection_words(), control_words(), perception_words(), reason_words()}) {
    const auto found =
        std::find_if(words.begin(), words.end(), [&](const Word& w) { return w.code == code; });
    if (found != words.end()) return *found;
  }
  return {code, "", "", Tone::open};
}

std::string control_label(const study::Verdict& verdict) {
  if (verdict.control == "CONTROLS" && verdict.perceive != "PERCEIVED") return "CONTROLS SCORES ONLY";
  if (verdict.control == "PARTIAL" && verdict.perceive == "NOT_PERCEIVED")
    return "SCORE SHIFT, NOT PERCEIVED";
  return verdict.control;
}

Word ablation_word(std::string_view ablation) {
  if (ablation.starts_with("lowers"))
    return {"SCORES DROP", "without it, scores fall",
            "Removing the direction lowers the scores more than removing random ones.", Tone::part};
  if (ablation == "no drop shown") return {"NO DROP SHOWN", "not shown", "", Tone::open};
  if (ablation == "unmeasurable") return {"UNMEASURABLE", "cannot be told", "", Tone::open};
  if (ablation == "not played") return {"NOT PLAYED", "not tried", "", Tone::open};
  return {ablation, "", "", Tone::open};
}

std::string_view facet_gloss(std::string_view facet) {
  if (facet == "affective") return "feeling with the person";
  if (facet == "cognitive") return "understanding the person";
  return "";
}

}  // namespace sonder::report
