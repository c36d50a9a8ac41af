// A run's cells as rows, and its findings as Markdown. Nothing is computed here.
#pragma once

#include <string>

#include "study/findings.h"

namespace sonder::report {

// One row a reply: scenario, split, area, arm, repeat, stopped, then one column an instrument and facet
// (share of the natural gap; empty when missing), then the text. RFC 4180 with LF; ends with a line break.
std::string cells_csv(const study::Findings& findings);
// The same as one JSON object a line; a missing score is null.
std::string cells_jsonl(const study::Findings& findings);

// The verdict, its coordinates, the instruments with their gates, the shifts, side effects and provenance,
// for a repository or an issue. Holds no message and no reply.
std::string markdown(const study::Findings& findings);

}  // namespace sonder::report
