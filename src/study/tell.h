// Findings in words and lists: what the verdict says, the replies that are shown, what was counted.
#pragma once

#include <string>

#include "study/effects.h"
#include "study/findings.h"

namespace sonder::study {

// "+.23 [+.09, +.37] of the natural gap by embedding" for the certified instruments at the confirmatory dose.
std::string numbers_of(const Findings& f, const std::string& facet);

// The whole study in one or two plain sentences.
std::string sentence_of(const std::vector<Verdict>& verdicts);

void show_replies(Findings& f, const Played& played, const std::vector<Spent>& spent);
void count_all(Findings& f, const Played& played, const std::vector<Spent>& spent);

}  // namespace sonder::study
