// May this program go on with a run that was begun before?
#pragma once

#include <string>

#include "store/ledger.h"

namespace sonder::store {

// One run holds the work of one plan and one program. Compares the plans and, in the provenance, the keys
// "sonder", "llama.cpp" (versions), "model" and "bank" (hashes). A key that `now` lacks is not known yet and
// is not compared; one that only `before` lacks differs. Throws Error(bad_input) that names every difference,
// both values, and what to do. `path`: the run file, for the message.
void require_same_run(const std::string& path, const RunHeader& before, const RunHeader& now);

// May cells of that run be taken over into a new one? Another plan, model or bank may: a cell's key names
// what it depends on. Another Sonder or llama.cpp may not. Errors as above.
void require_same_program(const std::string& path, const RunHeader& before, const RunHeader& now);

}  // namespace sonder::store
