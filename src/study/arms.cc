#include "study/arms.h"

#include <cmath>
#include <cstdio>

namespace sonder::study {
namespace {

std::string signed_dose(double dose) {
  std::string text = std::to_string(std::abs(dose));
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return (dose < 0 ? "-" : "+") + text;
}

}  // namespace

Arm base_arm() { return {"base", "base", "", 0, {}, ""}; }

std::vector<Arm> prompt_arms(const Lab& lab) {
  std::vector<Arm> arms;
  for (const std::string& facet : lab.plan.facets) {
    const std::string& sentence =
        facet == "affective" ? lab.plan.steer.prompt_affective : lab.plan.steer.prompt_cognitive;
    arms.push_back({"prompt " + facet, "prompt", facet, 0, {}, sentence});
  }
  return arms;
}

Arm dose_arm(const Lab& lab, const Inside& inside, double gaps, const std::string& name) {
  return {name,
          "steer",
          inside.facet,
          gaps,
          latent::push(inside.direction, gaps, latent::DoseUnit::gap, inside.direction,
                       span_of(lab.plan.steer.span)),
          ""};
}

std::vector<Arm> dose_arms(const Lab& lab, const Inside& inside, const GapsOf& gaps_of) {
  std::vector<double> doses = lab.plan.steer.negative;
  doses.insert(doses.end(), lab.plan.steer.doses.begin(), lab.plan.steer.doses.end());
  const std::string unit = lab.plan.steer.unit == "gap" ? "" : " " + lab.plan.steer.unit;
  std::vector<Arm> arms;
  for (const double dose : doses)
    arms.push_back(
        dose_arm(lab, inside, gaps_of(dose), "steer " + inside.facet + " " + signed_dose(dose) + unit));
  return arms;
}

std::vector<Arm> control_arms(const Lab& lab, const Inside& inside, double dose) {
  std::vector<Arm> arms;
  const model::Span span = span_of(lab.plan.steer.span);
  std::map<std::string, int> seen;
  for (const latent::Direction& placebo : inside.placebos) {
    const std::string name =
        "placebo " + inside.facet + " " + placebo.method + " " + std::to_string(++seen[placebo.method]);
    arms.push_back({name, "placebo", inside.facet, dose,
                    latent::push(placebo, dose, latent::DoseUnit::gap, inside.direction, span), ""});
  }
  if (lab.plan.steer.ablate)
    arms.push_back(
        {"ablate " + inside.facet, "ablate", inside.facet, 0, latent::ablate(inside.per_layer, span), ""});
  int i = 0;
  for (const auto& random : inside.random_per_layer)
    arms.push_back({"ablate random " + inside.facet + " " + std::to_string(++i), "random_ablate",
                    inside.facet, 0, latent::ablate(random, span), ""});
  return arms;
}

}  // namespace sonder::study
