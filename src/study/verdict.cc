#include "study/verdict.h"

#include <algorithm>
#include <map>
#include <set>

#include "stats/order.h"

namespace sonder::study {
namespace {

bool is_positive(Local local) { return local == Local::positive || local == Local::strong; }

bool is_nothing(Local local) {
  return local == Local::equivalent || local == Local::trivial || local == Local::trivial_negative;
}

// A certified instrument with its local verdict.
struct Heard {
  const Witness* witness;
  Local local;
  bool holm = false;  // its sign-flip p survives Holm over the certified instruments
};

std::vector<Heard> hear(const std::vector<Witness>& witnesses, const Limits& limits) {
  std::vector<Heard> heard;
  std::vector<double> p;
  bool someone = false;
  for (const Witness& w : witnesses) {
    if (!w.certified) continue;
    const bool spoke = w.measured && !w.unbounded;
    someone = someone || spoke;
    heard.push_back({&w, spoke ? local_verdict(w.ci95, w.ci90, limits) : Local::inconclusive});
    p.push_back(spoke ? w.sign_flip_p : 1.0);
  }
  if (!someone)
    return {};  // certified instruments that could not be read do not speak, but they keep others from
                // speaking for all
  const std::vector<double> adjusted = stats::holm(p);
  for (std::size_t i = 0; i < heard.size(); ++i) heard[i].holm = adjusted[i] < limits.alpha;
  return heard;
}

bool specific(const Witness& w, const Limits& limits) {
  return w.placebo_contrast_positive && (!w.placebo_p || *w.placebo_p < limits.alpha);
}

Ruling unmeasurable(const std::vector<Witness>& witnesses) {
  std::vector<std::string> reasons;
  for (const Witness& w : witnesses) {
    std::vector<std::string> codes = w.failures;
    if (w.unbounded) codes.emplace_back("NO_ANCHOR");
    for (const std::string& code : codes)
      if (std::find(reasons.begin(), reasons.end(), code) == reasons.end()) reasons.push_back(code);
  }
  if (witnesses.empty()) reasons.emplace_back("no instrument in the plan");
  return {"UNMEASURABLE", reasons};
}

bool controls(const std::vector<Heard>& heard, const Limits& limits) {
  std::set<std::string> families;
  for (const Heard& h : heard) {
    const Witness& w = *h.witness;
    if (h.local != Local::strong || !h.holm || !specific(w, limits) || w.length_fires) return false;
    if (!w.monotone || !w.bidirectional || !w.facet_specific || !w.length_checked) return false;
    if (w.anti_steerable_excess > limits.anti_steerable) return false;
    families.insert(w.family);
  }
  return families.size() >= 2;
}

// Rule 5: some certified instrument says POSITIVE. Clean ones carry the claim; the others are named.
std::optional<Ruling> rule_positive(const std::vector<Heard>& heard, const Limits& limits) {
  int clean = 0;
  int surviving = 0;
  bool non_specific = false;
  std::vector<std::string> remarks;
  for (const Heard& h : heard) {
    const Witness& w = *h.witness;
    if (!is_positive(h.local)) {
      remarks.push_back(w.name + " is " + to_text(h.local));
    } else if (!h.holm) {
      remarks.push_back(w.name + " does not survive Holm");
    } else {
      ++surviving;
      if (!specific(w, limits)) {
        non_specific = true;
        remarks.push_back(w.name + " moves as much under placebos");
      } else if (w.length_fires) {
        remarks.push_back(w.name + " follows length");
      } else {
        ++clean;
      }
    }
  }
  if (surviving == 0) return std::nullopt;
  if (clean == 0) return Ruling{"CONFOUNDED", {non_specific ? "non-specific" : "length"}};
  if (controls(heard, limits)) return Ruling{"CONTROLS", {}};
  return Ruling{"PARTIAL", remarks};
}

}  // namespace

Local local_verdict(stats::Interval ci95, stats::Interval ci90, const Limits& limits) {
  if (ci95.low > 0) {
    if (ci90.high < limits.delta) return Local::trivial;
    return ci95.low >= limits.tau ? Local::strong : Local::positive;
  }
  if (ci95.high < 0) return ci90.low > -limits.delta ? Local::trivial_negative : Local::negative;
  if (ci90.low > -limits.delta && ci90.high < limits.delta) return Local::equivalent;
  return Local::inconclusive;
}

std::string to_text(Local local) {
  switch (local) {
    case Local::strong:
      return "STRONG";
    case Local::positive:
      return "POSITIVE";
    case Local::trivial:
      return "TRIVIAL";
    case Local::trivial_negative:
      return "TRIVIAL_NEGATIVE";
    case Local::negative:
      return "NEGATIVE";
    case Local::equivalent:
      return "EQUIVALENT";
    case Local::inconclusive:
      return "INCONCLUSIVE";
  }
  throw Error(ErrorKind::bug, "a local verdict without a name");
}

Ruling rule(const Circumstances& circumstances, const std::vector<Witness>& witnesses, const Limits& limits) {
  if (!circumstances.integrity.empty()) return {"RUN_INVALID", {circumstances.integrity}};
  const std::vector<Heard> heard = hear(witnesses, limits);
  if (heard.empty()) return unmeasurable(witnesses);
  if (!circumstances.some_dose_admissible) {
    if (circumstances.moves_at_larger_dose) return {"CONFOUNDED", {"degeneration"}};
    return {"RUN_INVALID", {"no admissible dose"}};
  }

  const auto any = [&](auto test) { return std::any_of(heard.begin(), heard.end(), test); };
  const auto all = [&](auto test) { return std::all_of(heard.begin(), heard.end(), test); };
  const bool some_negative = any([](const Heard& h) { return h.local == Local::negative; });
  if (some_negative && any([](const Heard& h) { return is_positive(h.local); })) return {"CONFLICT", {}};
  if (const auto ruling = rule_positive(heard, limits)) return *ruling;
  if (all([](const Heard& h) { return h.local == Local::negative; })) return {"REVERSED", {}};

  if (all([](const Heard& h) { return is_nothing(h.local); })) {
    bool trivial = any([](const Heard& h) { return h.local != Local::equivalent; });
    for (const Witness& w : witnesses) {
      if (w.certified || !w.spent) continue;
      const bool spoke = w.measured && !w.unbounded;
      const Local local = spoke ? local_verdict(w.ci95, w.ci90, limits) : Local::inconclusive;
      if (!is_nothing(local))
        return {"INCONCLUSIVE", {w.name + ", not certified, does not agree that there is nothing"}};
      trivial = trivial || local != Local::equivalent;
    }
    return {trivial ? "TRIVIAL" : "NO_EFFECT_EQUIVALENT", {}};
  }
  return {"INCONCLUSIVE", {}};
}

std::string headline(const std::string& facet, const std::string& detect, const Ruling& ruling,
                     const std::string& perceive, const std::string& numbers) {
  static const std::map<std::string, std::string> kDetect = {
      {"DECODABLE", "decodable"},
      {"LEXICAL_ONLY", "decodable no better than from its words"},
      {"NOT_DECODABLE", "not decodable"},
      {"UNDETERMINED", "decodability undetermined"}};
  static const std::map<std::string, std::string> kControl = {
      {"CONTROLS", "the direction controls the scores"},
      {"PARTIAL", "pushing it shifts the scores in part"},
      {"TRIVIAL", "the shift is too small to matter"},
      {"NO_EFFECT_EQUIVALENT", "no effect, shown equivalent to none"},
      {"REVERSED", "pushing it moves the scores the wrong way"},
      {"INCONCLUSIVE", "the effect is undecided at this number of scenarios"},
      {"UNMEASURABLE", "unmeasurable with these instruments, which is not zero"},
      {"CONFOUNDED", "the scores move, but not for the claimed reason"},
      {"CONFLICT", "certified instruments contradict each other"},
      {"RUN_INVALID", "the run is invalid"}};
  static const std::map<std::string, std::string> kPerceive = {
      {"PERCEIVED", "people perceive it"},
      {"NOT_PERCEIVED", "people do not perceive it"},
      {"PERCEPTION_INCONCLUSIVE", "whether people perceive it is undecided"},
      {"PERCEPTION_UNMEASURABLE", "the panel could not tell"},
      {"UNTESTED", "no people were asked"}};
  const auto word = [](const std::map<std::string, std::string>& words, const std::string& key) {
    const auto found = words.find(key);
    return found == words.end() ? key : found->second;
  };
  std::string sentence = facet + ": " + word(kDetect, detect) + "; " + word(kControl, ruling.control);
  if (!numbers.empty()) sentence += ", " + numbers;
  if (!ruling.reasons.empty() && ruling.control != "UNMEASURABLE") {  // its codes have a place of their own
    sentence += " (";
    for (std::size_t i = 0; i < ruling.reasons.size(); ++i)
      sentence += (i > 0 ? ", " : "") + ruling.reasons[i];
    sentence += ")";
  }
  return sentence + "; " + word(kPerceive, perceive) + ".";
}

}  // namespace sonder::study
