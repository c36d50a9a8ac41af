// The words of a verdict in plain English: one list for the page, the terminal and the glossary.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "study/findings.h"

namespace sonder::report {

// How a word is drawn. Always with a sign and the word itself, never by colour alone.
enum class Tone { yes, part, no, open, bad };

// The sign of a tone: ● ◐ ○ ◇ ✕. One column wide on a terminal.
std::string_view sign(Tone tone);
std::string_view to_text(Tone tone);  // "yes", "part", …: the page's class name

struct Word {
  std::string_view code;     // as the verdict writes it
  std::string_view plain;    // two or three words
  std::string_view meaning;  // one sentence
  Tone tone = Tone::open;
};

// The word for a code of the verdict lattice or of a certificate. A code that nobody listed comes back as
// itself, with an open tone: a newer run file stays readable.
Word word(std::string_view code);

std::span<const Word> detection_words();
std::span<const Word> control_words();
std::span<const Word> perception_words();
std::span<const Word> reason_words();  // certificate failures and confounds
std::span<const Word> terms();         // natural gap, class gap, placebo, …: not verdicts

// What stands on the badge. CONTROLS without PERCEIVED is "CONTROLS SCORES ONLY" (methods.md 7.2).
std::string control_label(const study::Verdict& verdict);

// The fourth coordinate, necessity: the study's own words ("no drop shown", "lowers the scores more than …")
// as a badge.
Word ablation_word(std::string_view ablation);

// "affective" → "feeling with the person"; "" for a facet nobody described.
std::string_view facet_gloss(std::string_view facet);

}  // namespace sonder::report
