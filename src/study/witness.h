// Scores through the ledger, and the certificates that decide which of them are looked at.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/measured.h"
#include "instrument/certify.h"
#include "study/lab.h"
#include "study/play.h"

namespace sonder::study {

using Score = Measured<double>;

// One instrument asked about one facet.
struct Asked {
  Bench* bench = nullptr;
  std::string facet;
  std::string name() const { return bench->instrument->name(); }
};

// Scores of many texts, each looked up in the ledger first.
std::vector<Score> score(Lab& lab, const Asked& asked, const std::vector<instrument::BlindReply>& replies);

// Scores of the bank's own texts of the test split, by kind; [n_scenarios] each. All but `neu` and `emp` are
// empty where the instrument was not asked about them.
struct BankScores {
  std::vector<Score> neu, emp, rephrase_neu, rephrase_emp, pad;
  std::vector<std::vector<Score>> ladder;  // [4]
};

// Scenario means over repeats; Missing when any repeat is.
std::vector<Score> score_arm(Lab& lab, const Asked& asked,
                             const std::vector<const store::Scenario*>& scenarios,
                             const std::vector<std::vector<Cell>>& cells);

struct Examined {
  Asked asked;
  BankScores bank;
  Certificate certificate;
};

// Certifies every instrument for every facet. `base` and `prompted` are the unsteered arms' replies.
std::vector<Examined> examine(Lab& lab, const std::vector<const store::Scenario*>& scenarios,
                              const std::vector<std::vector<Cell>>& base,
                              const std::map<std::string, std::vector<std::vector<Cell>>>& prompted);

}  // namespace sonder::study
