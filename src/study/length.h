// The length rule: length is downstream of steering, so it is met by design first. Source: methods.md 3.5.
#pragma once

#include "study/effects.h"
#include "study/findings.h"

namespace sonder::study {

// The first `n_words` words, cut back to the last whole sentence where there is one.
std::string cut_at_sentence(const std::string& text, int n_words);

// How many words longer an arm's replies are than base's, by scenario: means over the repeats that both have.
std::vector<Score> words_over_base(const Played& played, std::size_t arm);

// Base replies with content-free sentences added: the PAD arm, made of words, not by the model.
std::string padded(const Lab& lab, const store::Scenario& scenario, const std::string& reply);

// Truncation and the randomised PAD slope, for one instrument and the steered arm. `fires`: the raw interval
// excludes 0, the truncated one includes it, and the truncated estimate is under half the raw one.
LengthCheck check_length(Lab& lab, const Played& played, const Spent& spent, std::size_t steer);

}  // namespace sonder::study
