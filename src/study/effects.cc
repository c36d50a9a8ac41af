#include "study/effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/mean.h"
#include "stats/trend.h"
#include "study/figures.h"
#include "study/length.h"

namespace sonder::study {
namespace {

std::size_t find_arm(const Played& played, const std::string& kind, const std::string& facet, double dose) {
  for (std::size_t a = 0; a < played.arms.size(); ++a)
    if (played.arms[a].kind == kind && played.arms[a].facet == facet && played.arms[a].dose == dose) return a;
  return played.arms.size();
}

std::vector<std::size_t> arms_of(const Played& played, const std::string& kind, const std::string& facet) {
  std::vector<std::size_t> found;
  for (std::size_t a = 0; a < played.arms.size(); ++a)
    if (played.arms[a].kind == kind && played.arms[a].facet == facet) found.push_back(a);
  return found;
}

Spent spend_one(Lab& lab, const Played& played, const Examined& who) {
  Spent spent;
  spent.who = &who;
  double low = INFINITY;
  double high = -INFINITY;
  const auto look = [&](const std::vector<Score>& scores) {
    int n_missing = 0;
    for (const Score& s : scores) {
      if (s) low = std::min(low, *s), high = std::max(high, *s);
      n_missing += s ? 0 : 1;
    }
    spent.n_scores += static_cast<int>(scores.size());
    spent.n_missing += n_missing;
    if (!scores.empty())
      spent.worst_missing =
          std::max(spent.worst_missing, static_cast<double>(n_missing) / static_cast<double>(scores.size()));
  };
  for (std::size_t a = 0; a < played.arms.size(); ++a) {
    spent.raw.push_back(score_arm(lab, who.asked, played.scenarios, played.cells[a]));
    look(spent.raw.back());
  }
  look(who.bank.emp);
  look(who.bank.neu);
  if (low > high) low = high = 0;  // nothing could be scored: every shift is 0 and all is missing
  spent.low = low, spent.high = high;
  for (std::size_t a = 0; a < played.arms.size(); ++a) {
    // Missing scores are outcomes (methods.md 5.9). The claim is that steering and prompts raise the score,
    // and that placebos, ablations and pushes the other way do not: what is missing is filled against it.
    const Arm& arm = played.arms[a];
    const bool raises = arm.kind == "prompt" || (arm.kind == "steer" && arm.dose > 0);
    const std::vector<double> base = filled(spent.raw[0], raises ? high : low);
    spent.shift.push_back(a == 0 ? std::vector<double>(base.size(), 0.0)
                                 : minus(filled(spent.raw[a], raises ? low : high), base));
  }
  spent.gap = minus(filled(who.bank.emp, high), filled(who.bank.neu, low));
  return spent;
}

struct Context {
  const Lab& lab;
  const Played& played;
  const std::vector<Spent>& spent;
  const std::map<std::string, double>& chosen;
  const std::vector<SideEffects>& side_effects;
  Limits limits;
};

double dose_of(const Context& c, const std::string& facet) {
  const auto found = c.chosen.find(facet);
  if (found != c.chosen.end()) return found->second;
  for (const Arm& arm : c.played.arms)  // in ascending order
    if (arm.kind == "steer" && arm.facet == facet && arm.dose > 0) return arm.dose;
  return 0;
}

Effect effect_of(const Context& c, const Spent& spent, std::size_t a) {
  const Arm& arm = c.played.arms[a];
  Effect e;
  e.facet = spent.who->asked.facet;
  e.arm = arm.name;
  e.kind = arm.kind;
  e.direction = arm.facet;
  e.dose = arm.dose;
  e.instrument = spent.who->asked.name();
  const stats::Ratio ratio = stats::fieller(spent.shift[a], spent.gap);
  e.theta = figure_of(ratio.theta);
  e.raw = mean_of(spent.shift[a]);
  e.words = mean_of(present(words_over_base(c.played, a)));
  if (spent.who->certificate.certified && e.theta.missing.empty())
    e.local = to_text(local_verdict(ratio.theta.ci95, ratio.theta.ci90, c.limits));
  e.chosen = arm.kind == "steer" && c.chosen.contains(arm.facet) && arm.dose == dose_of(c, arm.facet);
  return e;
}

PlaceboContrast placebo_of(const Context& c, const Spent& spent, std::size_t steer) {
  const std::string& facet = c.played.arms[steer].facet;
  const std::vector<std::size_t> placebos = arms_of(c.played, "placebo", facet);
  PlaceboContrast out;
  out.facet = facet;
  out.instrument = spent.who->asked.name();
  out.n = static_cast<int>(placebos.size());
  if (placebos.empty()) {
    out.contrast.missing = "no placebo was played";
    return out;
  }
  std::vector<double> average(spent.gap.size());
  int at_least = 0;
  for (const std::size_t p : placebos) {
    for (std::size_t s = 0; s < average.size(); ++s)
      average[s] += spent.shift[p][s] / static_cast<double>(placebos.size());
    at_least += mean_of(spent.shift[p]) >= mean_of(spent.shift[steer]) ? 1 : 0;
  }
  out.contrast = figure_of(stats::fieller(minus(spent.shift[steer], average), spent.gap).theta);
  out.p = (1.0 + at_least) / (out.n + 1.0);
  return out;
}

bool admissible(const Context& c, const std::string& arm) {
  return std::any_of(c.side_effects.begin(), c.side_effects.end(),
                     [&](const SideEffects& row) { return row.arm == arm && row.admissible; });
}

// The dose arms of a facet inside the admissible range, in ascending order, base between negative and
// positive ones.
std::vector<std::size_t> dose_curve(const Context& c, const std::string& facet) {
  std::vector<std::size_t> curve;
  for (const std::size_t a : arms_of(c.played, "steer", facet))
    if (admissible(c, c.played.arms[a].name)) curve.push_back(a);
  curve.push_back(0);
  std::sort(curve.begin(), curve.end(),
            [&](std::size_t a, std::size_t b) { return c.played.arms[a].dose < c.played.arms[b].dose; });
  return curve;
}

// Shifts by scenario and dose, in the order of the curve: [n_scenarios × n_doses].
Numbers shifts_of(const Spent& spent, const std::vector<std::size_t>& curve) {
  Numbers shifts(spent.gap.size(), curve.size());
  for (std::size_t s = 0; s < shifts.n; ++s)
    for (std::size_t i = 0; i < shifts.d; ++i) shifts.row(s)[i] = spent.shift[curve[i]][s];
  return shifts;
}

// No adjacent drop inside the admissible range whose 95 % interval, by Holm, lies below 0.
bool monotone(const Spent& spent, const std::vector<std::size_t>& curve) {
  return !stats::reversal(shifts_of(spent, curve), .025).reversed;
}

// Share of scenarios whose slope on dose is negative, above what noise alone would give.
double anti_steerable_excess(const Context& c, const Spent& spent, const std::vector<std::size_t>& curve,
                             Seed seed) {
  if (curve.size() < 3) return 1;  // a slope needs three doses: not shown, so it does not pass
  std::vector<double> doses;
  for (const std::size_t a : curve) doses.push_back(c.played.arms[a].dose);
  const stats::Estimate excess = stats::dose_slopes(shifts_of(spent, curve), doses, seed).excess;
  return excess.usable() ? std::max(0.0, excess.value) : 1;
}

// Does this direction move its own facet more than the other, by the same instrument?
bool facet_specific(const Context& c, const Spent& own, std::size_t steer) {
  for (const Spent& other : c.spent) {
    if (other.who->asked.bench != own.who->asked.bench || other.who == own.who) continue;
    if (!other.who->certificate.certified) return false;
    const double own_gap = mean_of(own.gap);
    const double other_gap = mean_of(other.gap);
    if (own_gap <= 0 || other_gap <= 0) return false;
    std::vector<double> more(own.gap.size());
    for (std::size_t s = 0; s < more.size(); ++s)
      more[s] = own.shift[steer][s] / own_gap - other.shift[steer][s] / other_gap;
    return stats::mean(more).ci95.low > 0;
  }
  return false;
}

// The chosen dose the other way, itself admissible: broken text is no reversal.
bool bidirectional(const Context& c, const Spent& spent, const std::string& facet) {
  const std::size_t a = find_arm(c.played, "steer", facet, -dose_of(c, facet));
  if (a == c.played.arms.size() || !admissible(c, c.played.arms[a].name)) return false;
  const stats::Ratio ratio = stats::fieller(spent.shift[a], spent.gap);
  return ratio.theta.usable() && ratio.theta.ci95.high < 0;
}

Witness witness_of(const Context& c, const Spent& spent, std::size_t steer, const PlaceboContrast& placebo,
                   const LengthCheck& length) {
  const Certificate& certificate = spent.who->certificate;
  const std::string& facet = c.played.arms[steer].facet;
  Witness w;
  w.name = certificate.instrument;
  w.family = certificate.family;
  w.certified = certificate.certified;
  for (const Gate& gate : certificate.gates)
    if (!gate.failure.empty()) w.failures.push_back(gate.failure);
  const stats::Ratio ratio = stats::fieller(spent.shift[steer], spent.gap);
  w.spent = true;
  w.measured = ratio.theta.usable();
  w.unbounded = ratio.theta.status == stats::Status::unbounded;
  w.ci95 = ratio.theta.ci95;
  w.ci90 = ratio.theta.ci90;
  const Seed seed = Seed(c.lab.plan.seed).child("sign flip").child(facet).child(w.name);
  w.sign_flip_p = stats::sign_flip(spent.shift[steer], seed).p;
  w.placebo_contrast_positive = placebo.contrast.missing.empty() && placebo.contrast.lo95 > 0;
  if (1.0 / (placebo.n + 1.0) < c.limits.alpha) w.placebo_p = placebo.p;
  w.length_fires = length.fires;
  w.length_checked = length.truncated.missing.empty();
  const std::vector<std::size_t> curve = dose_curve(c, facet);
  w.monotone = monotone(spent, curve);
  w.bidirectional = bidirectional(c, spent, facet);
  w.anti_steerable_excess = anti_steerable_excess(
      c, spent, curve, Seed(c.lab.plan.seed).child("slopes").child(facet).child(w.name));
  w.facet_specific = facet_specific(c, spent, steer);
  return w;
}

// Necessity, methods.md 3.6: mean ablation against its random twins, by the certified instruments.
std::string ablation_of(const Context& c, const std::string& facet) {
  const std::vector<std::size_t> real = arms_of(c.played, "ablate", facet);
  if (real.empty()) return "not played";
  const std::vector<std::size_t> random = arms_of(c.played, "random_ablate", facet);
  bool any = false;
  bool lowers = false;
  for (const Spent& spent : c.spent) {
    if (spent.who->asked.facet != facet || !spent.who->certificate.certified) continue;
    any = true;
    std::vector<double> contrast = spent.shift[real.front()];
    for (const std::size_t r : random)
      for (std::size_t s = 0; s < contrast.size(); ++s)
        contrast[s] -= spent.shift[r][s] / static_cast<double>(random.size());
    const stats::Estimate e = stats::mean(contrast);
    const stats::Estimate raw = stats::mean(spent.shift[real.front()]);
    lowers = lowers || (e.usable() && e.ci95.high < 0 && raw.ci95.high < 0);
  }
  if (!any) return "unmeasurable";
  if (!lowers) return "no drop shown";
  return fmt::format("lowers the scores more than {} random ablation{}; necessity is not claimed",
                     random.size(), random.size() == 1 ? "" : "s");
}

}  // namespace

std::vector<Spent> spend(Lab& lab, const Played& played, const std::vector<Examined>& examined) {
  std::vector<Spent> spent;
  for (const Examined& who : examined) {
    const bool earned = who.certificate.certified || who.asked.bench->plan.when == "always";
    if (earned && who.bank.neu.size() == played.scenarios.size())
      spent.push_back(spend_one(lab, played, who));
  }
  return spent;
}

Outcome weigh(Lab& lab, const Played& played, const std::vector<Examined>& examined,
              const std::vector<Spent>& spent, const std::map<std::string, double>& chosen,
              const std::vector<SideEffects>& side_effects) {
  const Context c{lab, played, spent, chosen, side_effects, {lab.plan.verdict.delta, lab.plan.verdict.tau}};
  Outcome out;
  for (const Spent& s : spent)
    for (std::size_t a = 1; a < played.arms.size(); ++a) out.effects.push_back(effect_of(c, s, a));

  for (const std::string& facet : lab.plan.facets) {
    out.ablation[facet] = ablation_of(c, facet);
    const std::size_t steer = find_arm(played, "steer", facet, dose_of(c, facet));
    for (const Examined& who : examined) {
      if (who.asked.facet != facet || who.certificate.control_only) continue;
      const auto found =
          std::find_if(spent.begin(), spent.end(), [&](const Spent& s) { return s.who == &who; });
      if (found == spent.end() || steer == played.arms.size()) {
        Witness silent;
        silent.name = who.certificate.instrument;
        silent.family = who.certificate.family;
        silent.certified = who.certificate.certified;
        for (const Gate& gate : who.certificate.gates)
          if (!gate.failure.empty()) silent.failures.push_back(gate.failure);
        out.witnesses[facet].push_back(silent);
        continue;
      }
      out.placebos.push_back(placebo_of(c, *found, steer));
      out.lengths.push_back(check_length(lab, played, *found, steer));
      out.witnesses[facet].push_back(witness_of(c, *found, steer, out.placebos.back(), out.lengths.back()));
      for (const std::size_t a : arms_of(played, "steer", facet))
        if (played.arms[a].dose > 0 && who.certificate.certified &&
            stats::fieller(found->shift[a], found->gap).theta.ci95.low > 0)
          out.moves[facet] = true;
    }
  }
  return out;
}

}  // namespace sonder::study
