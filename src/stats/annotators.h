// What is the truth, when several judges label the same items and none is right always?
// A diagnostic of judges, never ground truth: both models assume that judges err independently given the
// truth, which judges of the same family do not. Results never hold NaN.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/rows.h"
#include "base/seed.h"
#include "stats/estimate.h"

namespace sonder::stats {

// One judge's label of one item, all numbered from 0. A judge may label an item more than once.
struct Label {
  int item = 0, judge = 0, label = 0;
};

struct Sizes {
  int n_items = 0, n_judges = 0, n_labels = 0;
};

// Labels outside `sizes`: Error(bad_input). Items without labels get the shares as their posterior and are
// flagged, judges without labels are left out of the fit and flagged. No label: undefined; fewer than two
// judges: flagged, as nothing tells the judge from the truth.
struct Annotation {
  Numbers truth;              // [n items × n labels] posterior
  std::vector<int> best;      // [n items] the likeliest label; the lowest of equals
  std::vector<double> share;  // [n labels] of items
  double log_likelihood = 0;
  int n_steps = 0;
  Status status = Status::ok;
  int n_units = 0;  // items with a label
  std::vector<std::string> warnings;
};

// Dawid and Skene's model by EM from the shares of votes, in log space. smoothing is added to every cell of
// every confusion matrix: 0 is maximum likelihood. confusion: [n judges] of [truth × label]; the rows of a
// class that is never the truth, and judges without labels, are 0. Flagged when EM had not settled.
// Source: [Dawid1979], methods.md 4.7.
struct DawidSkene : Annotation {
  std::vector<Numbers> confusion;
};
DawidSkene dawid_skene(std::span<const Label> labels, Sizes sizes, double smoothing = 0);

// The shares of the classes with percentile bootstrap intervals over items; p: against 1/n_labels. Fewer than
// 10 items: refused. Every draw is a whole fit.
std::vector<Estimate> dawid_skene_shares(std::span<const Label> labels, Sizes sizes, Seed seed,
                                         int draws = 199, double smoothing = 0);

// MACE: a judge knows the truth with probability competence[j], else answers from habit[j] whatever the
// truth; all truths alike beforehand, so `share` is the mean posterior. EM from the shares of votes;
// smoothing is added to the counts (the authors' 0.01 / n_labels when negative). Good at finding judges who
// answer always the same. Source: [Hovy2013], methods.md 4.7.
struct Mace : Annotation {
  std::vector<double> competence;  // [n judges], 0 for one without labels
  Numbers habit;                   // [n judges × n labels]
};
Mace mace(std::span<const Label> labels, Sizes sizes, double smoothing = -1);

// k judges whose errors correlate by `mean_correlation` are worth so many independent ones:
// k / (1 + (k - 1) r). r in (-1 / (k - 1), 1]. Source: methods.md 4.7.
double effective_judges(int k, double mean_correlation);

}  // namespace sonder::stats
