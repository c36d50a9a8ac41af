// The steering protocol: is the facet decodable, does the direction control it, could the instruments see it?
#pragma once

#include <span>
#include <string>

#include "study/findings.h"
#include "study/lab.h"

namespace sonder::study {

// Runs the plan, or goes on where it stopped, and stores what it found. A finished run is read, not run
// again. Throws what its rooms throw; a cancelled run keeps every finished cell.
Findings run_steering(Lab& lab, Provenance provenance);

// What a run file holds. Throws Error(bad_input) when the run is not finished.
Findings load_findings(const store::Ledger& ledger);

// The kinds of ledger entries whose key names all that they depend on: a cell of one run is the cell of
// another.
std::span<const std::string> cell_kinds();

}  // namespace sonder::study
