// Rasch models: items that differ in easiness, and ratings that depend on text, criterion and judge.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/rows.h"
#include "stats/estimate.h"

namespace sonder::stats {

// Easiness of dichotomous items by conditional maximum likelihood, which does not ask for the distribution of
// persons. Log-odds, sum 0 over the items kept; normal intervals; p against 0 (as easy as the mean).
// Persons with no or all answers right carry no information. An item that all answered alike is dropped: its
// estimate is undefined and the fit flagged. Fewer than two items left, or no informative person: undefined.
// Items that split into groups no mixed answers join have no finite maximum: undefined. `ability[r]`: Warm's
// weighted likelihood estimate for raw score r on the items kept. O(k^4) in items k. Source: [Andersen1972],
// [Warm1989], methods.md 4.7.
struct Rasch {
  std::vector<Estimate> easiness;  // [k]
  std::vector<double> ability;     // [kept + 1]
  double log_likelihood = 0;       // conditional
  int n_persons = 0;               // informative ones
  Status status = Status::ok;
  std::vector<std::string> warnings;
};

// answers [n persons × k items], each 0 or 1, complete (Error(bad_input) otherwise).
Rasch rasch(const Numbers& answers);

// The same from the totals, which are sufficient: how often each item was right [k], and how many persons
// reached each score 0..k [k + 1].
Rasch rasch_of_totals(std::span<const long> item_totals, std::span<const long> score_counts);

// ---- Many facets: ln(P_k / P_(k-1)) = ability(text) - difficulty(criterion) - severity(judge) - step(k).

struct FacetScore {
  int text = 0, criterion = 0, judge = 0;  // numbers >= 0
  int score = 0;                           // 0..n_steps
};

// One text, criterion or judge. infit, outfit: mean squares, 1 when the model holds; .5 to 1.5 is usable.
struct FacetElement {
  int id = 0;
  Estimate measure;  // logits; n_units: its scores
  double infit = 0, outfit = 0;
};

// Joint maximum likelihood with the correction (L - 1)/L, L scores per text on average, so that with few
// scores per text (L < 5) the fit is flagged. Difficulties, severities and steps sum to 0. Normal intervals,
// ignoring the error of the other facets. Elements with only lowest or only highest scores have no finite
// measure: undefined, their scores left out, flagged. A score that nobody gave: undefined (merge it with a
// neighbour). A design whose texts, criteria and judges are not connected: flagged; measures compare within a
// subset only. Source: [Linacre1989], methods.md 4.7.
struct ManyFacet {
  std::vector<FacetElement> texts, criteria, judges;  // by rising id
  std::vector<double> steps;                          // [n_steps]
  int n_subsets = 1;
  Status status = Status::ok;
  int n_units = 0;  // texts measured
  std::vector<std::string> warnings;
};
ManyFacet many_facet(std::span<const FacetScore> scores, int n_steps);

}  // namespace sonder::stats
