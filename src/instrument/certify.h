// The certificate an instrument must earn before its result is looked at. Source: methods.md 4.5.
#pragma once

#include <string>
#include <vector>

#include "base/measured.h"
#include "base/rows.h"
#include "base/seed.h"

namespace sonder::instrument {

// Scores of one instrument and facet by scenario; a vector per kind, [n_scenarios]; Missing allowed
// everywhere.
struct CertificateScores {
  std::vector<Measured<double>> neu, emp;
  std::vector<std::vector<Measured<double>>> ladder;  // [4][n_scenarios]
  std::vector<Measured<double>> rephrase_neu;         // of NEU
  std::vector<Measured<double>> rephrase_emp;         // of EMP
  std::vector<Measured<double>> pad;                  // of NEU, longer
  std::vector<Measured<double>> base,
      prompted;  // model replies without and with the one-line prompt; may be empty
};

struct CertificateLimits {  // from the plan
  double delta = 0.10;
  double anchor_g = 0.05, anchor_concordance = 0.90;
  double within_p = 0.01, within_concordance = 0.55;
  double headroom = 0.15;
  double lowest = 0, highest = 0, step = 0;  // of the instrument's scale
  double missing = 0.05;                     // most of the bank's texts that may go without a score
};

struct GateResult {
  std::string code, name;
  bool taken = true, passed = false;
  std::string detail;   // the numbers, in plain words
  std::string failure;  // code; "" when passed
};

struct LadderPoint {
  int level = 0;            // 0 NEU, 1..4, 5 EMP
  double mean = 0, se = 0;  // share of the natural gap
};

struct CertificateResult {
  bool certified = false;
  std::vector<GateResult> gates;  // V1 V2 V4 V5 V6, always all
  std::vector<LadderPoint> ladder;
  double natural_gap = 0;
  double missing_share = 0;
  int n_scenarios = 0;
};

// Gates and codes: methods.md 4.5; V5 needs the mean of both rephrasings inside the
// bound, and neither shown to be outside it, since a fall of one could hide a rise of the other. A bank text
// without a score leaves its scenario out of the gates that need it; when more than `limits.missing` of them
// have none, V1 fails, so that nobody is certified on the texts that suit him. Throws Error(bad_input) when
// the columns have different lengths or the ladder has not four levels.
CertificateResult certify(const CertificateScores& scores, const CertificateLimits& limits);

// The cheapest gate alone: V1 from `neu` and `emp`; the others are not taken. What fails here need not be
// asked about the other texts. Never certifies.
CertificateResult certify_anchor(const CertificateScores& scores, const CertificateLimits& limits);

}  // namespace sonder::instrument
