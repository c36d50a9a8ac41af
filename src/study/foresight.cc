#include "study/foresight.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace sonder::study {
namespace {

int whole(double n) { return static_cast<int>(std::ceil(n - 1e-9)); }

// The least n at which the mean of n shifts stands `clear` above a bound with the goal's power.
int clearing(double clear, double sd, stats::Goal goal) { return whole(stats::t_n_paired(clear / sd, goal)); }

// The arm that a pilot's spread is read from: the confirmatory dose, else the smallest positive one.
bool better(const Effect& a, const Effect& b) {
  if (a.chosen != b.chosen) return a.chosen;
  return a.dose < b.dose;
}

}  // namespace

double spread_at(double theta, double effect_sd, double gap_sd) {
  return std::hypot(effect_sd, theta * gap_sd);
}

std::vector<Needed> scenarios_needed(std::span<const double> sds, double gap_sd,
                                     std::span<const double> deltas, const Limits& limits, stats::Goal goal) {
  require(std::isfinite(gap_sd) && gap_sd >= 0, "spreads are not negative");
  std::vector<double> shifts = {limits.delta};
  if (limits.delta < .25 && limits.tau > .25) shifts.push_back(.25);
  const double controls = limits.tau + .2;
  std::vector<Needed> out;
  for (const double delta : deltas)
    for (const double sd : sds)
      out.push_back({"NO_EFFECT_EQUIVALENT", 0, delta, sd, whole(stats::equivalence_n(sd, delta, goal))});
  for (const double theta : shifts)
    for (const double sd : sds)
      out.push_back({"PARTIAL", theta, 0, sd, clearing(theta, spread_at(theta, sd, gap_sd), goal)});
  for (const double sd : sds)
    out.push_back({"CONTROLS", controls, limits.tau, sd,
                   clearing(controls - limits.tau, spread_at(controls, sd, gap_sd), goal)});
  return out;
}

std::vector<Pilot> pilot_spreads(const Findings& findings) {
  std::vector<Pilot> out;
  for (const Certificate& c : findings.certificates) {
    if (c.control_only || findings.scenarios.size() < 2) continue;
    const Effect* best = nullptr;
    for (const Effect& e : findings.effects)
      if (e.instrument == c.instrument && e.facet == c.facet && e.direction == c.facet && e.kind == "steer" &&
          e.dose > 0 && e.theta.missing.empty() && (best == nullptr || better(e, *best)))
        best = &e;
    if (best == nullptr) continue;
    const int n = static_cast<int>(findings.scenarios.size());
    out.push_back({c.instrument, c.facet, best->arm,
                   stats::sd_of_half_width((best->theta.hi95 - best->theta.lo95) / 2, n), n});
  }
  return out;
}

}  // namespace sonder::study
