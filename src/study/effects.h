// What the certified instruments saw: shifts as shares of the natural gap, and every side condition of the
// verdict. Source: methods.md 1, 3.2, 3.3, 3.5.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "study/arms.h"
#include "study/findings.h"
#include "study/lab.h"
#include "study/play.h"
#include "study/verdict.h"
#include "study/witness.h"

namespace sonder::study {

// All arms that were played on the test scenarios. arms[0] is base.
struct Played {
  std::vector<Arm> arms;
  std::vector<const store::Scenario*> scenarios;
  Replies cells;
};

// One instrument and facet, spent on every arm. shift[arm][scenario] and gap[scenario] in the instrument's
// units; what is missing was replaced by the worst case for the claim, and counted.
struct Spent {
  const Examined* who = nullptr;
  std::vector<double> gap;
  std::vector<std::vector<double>> shift;  // [arm]
  std::vector<std::vector<Score>> raw;     // [arm]
  int n_missing = 0;
  int n_scores = 0;
  double worst_missing = 0;  // largest share missing in any one arm
  double low = 0, high = 0;  // the extremes seen: what stands in for a missing score
};

// Spends the instruments that earned it, and those that the plan wants spent always.
std::vector<Spent> spend(Lab& lab, const Played& played, const std::vector<Examined>& examined);

struct Outcome {
  std::vector<Effect> effects;
  std::vector<PlaceboContrast> placebos;
  std::vector<LengthCheck> lengths;
  std::map<std::string, std::vector<Witness>> witnesses;  // by facet
  std::map<std::string, std::string> ablation;            // by facet: the fourth coordinate
  std::map<std::string, bool> moves;                      // by facet: some certified score moves at some dose
};

// `chosen`: the confirmatory dose of each facet; where there is none, the smallest positive dose stands in
// for it.
Outcome weigh(Lab& lab, const Played& played, const std::vector<Examined>& examined,
              const std::vector<Spent>& spent, const std::map<std::string, double>& chosen,
              const std::vector<SideEffects>& side_effects);

}  // namespace sonder::study
