// The arms of a steering study: what is done to the model, by name.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/hook.h"
#include "study/inside.h"
#include "study/lab.h"

namespace sonder::study {

struct Arm {
  std::string name;   // "steer affective +4"
  std::string kind;   // base | steer | placebo | ablate | random_ablate | prompt
  std::string facet;  // of its direction or prompt; empty: none
  double dose = 0;    // class gaps
  model::Hook hook;
  std::string system;  // the prompt arms' sentence
};

Arm base_arm();
std::vector<Arm> prompt_arms(const Lab& lab);
// All doses of one facet, negative ones first. `gaps_of` turns a dose of the plan's unit into class gaps; an
// arm's `dose` is always in class gaps, and its name says the plan's own number and unit.
using GapsOf = std::function<double(double)>;
std::vector<Arm> dose_arms(const Lab& lab, const Inside& inside, const GapsOf& gaps_of);
Arm dose_arm(const Lab& lab, const Inside& inside, double gaps, const std::string& name);
// Placebos of equal norm at `dose`, and the ablations with their random twins.
std::vector<Arm> control_arms(const Lab& lab, const Inside& inside, double dose);

}  // namespace sonder::study
