// Indices as others publish them, to set beside their figures. None is a measure of empathy: unsigned ones
// are above zero by noise alone, and polarity calls condolences negative. Source: methods.md 4.9, 9.0.
#pragma once

namespace sonder::text {

// Percent of all words.
struct FunctionWords {
  double articles = 0, prepositions = 0, personal_pronouns = 0, impersonal_pronouns = 0;
  double auxiliaries = 0, conjunctions = 0, adverbs = 0, negations = 0;
};
// Categorical-dynamic index: 30 + articles + prepositions - the rest. Source: [Pennebaker2014].
double categorical_dynamic(const FunctionWords& percent);

// VADER's way to bring a sum of valences into (-1, 1): x / sqrt(x² + 15). Source: [Hutto2014].
double vader_compound(double valences);

// |a - b| / (a + b) of two densities >= 0; both 0: 0. Error(bad_input) when one is negative or not finite.
double unsigned_mismatch(double a, double b);

// What the Euclidean distance of two profiles of z-scores is expected to be when both are draws from one
// standard normal distribution of n_scores independent ones: sqrt(2) E(chi_n). 1 <= n_scores <= 200.
double distance_of_noise(int n_scores);

}  // namespace sonder::text
