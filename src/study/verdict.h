// The verdict lattice: pure functions from intervals and side conditions to one word with its reasons.
// Source: methods.md 7.1, 7.2. The instrument is asked about before the result is looked at.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stats/estimate.h"

namespace sonder::study {

struct Limits {         // from the plan
  double delta = 0.10;  // smallest shift worth claiming, share of the natural gap
  double tau = 0.50;    // from here on: controls
  double alpha = 0.05;
  double anti_steerable = 0.20;
};

// What one instrument says about one effect, before it is combined with the others.
enum class Local { strong, positive, trivial, trivial_negative, negative, equivalent, inconclusive };

// Bounds exactly at ±delta do not count as inside.
Local local_verdict(stats::Interval ci95, stats::Interval ci90, const Limits& limits);
std::string to_text(Local local);  // "STRONG", "POSITIVE", …

// One instrument as the lattice sees it. Length meters and other control-only instruments are not witnesses
// and never come here.
struct Witness {
  std::string name;
  std::string family;
  bool certified = false;
  std::vector<std::string> failures;      // certificate codes when not certified
  bool spent = false;                     // it scored the arms
  bool measured = false;                  // and its interval exists
  bool unbounded = false;                 // Fieller g >= 1: its own anchors do not separate
  stats::Interval ci95, ci90;             // of theta at the confirmatory dose
  double sign_flip_p = 1;                 // of the scenario differences
  std::optional<double> placebo_p;        // nothing where too few placebos were run for p to fall below alpha
  bool placebo_contrast_positive = true;  // theta - mean(placebo): its interval lies above 0
  bool length_fires = false;              // methods.md 3.5
  bool length_checked = true;             // false: the truncated comparison could not be made
  bool monotone = false;
  bool bidirectional = false;  // or its floor is documented
  double anti_steerable_excess = 0;
  bool facet_specific = false;
};

struct Circumstances {
  std::string integrity;  // empty: sound; else why the run is invalid
  bool some_dose_admissible = true;
  bool moves_at_larger_dose = false;  // when no dose is admissible
};

struct Ruling {
  std::string control;               // CONTROLS, PARTIAL, …
  std::vector<std::string> reasons;  // codes and short remarks
  bool operator==(const Ruling&) const = default;
};

// An instrument without a certificate supports nothing; but one that was spent all the same, and does not
// agree that there is nothing, keeps "nothing" from being claimed. So removing a certificate never creates a
// zero.
Ruling rule(const Circumstances& circumstances, const std::vector<Witness>& witnesses, const Limits& limits);

// (detect, control, perceive) in one sentence. Scores are never called empathy.
std::string headline(const std::string& facet, const std::string& detect, const Ruling& ruling,
                     const std::string& perceive, const std::string& numbers);

}  // namespace sonder::study
