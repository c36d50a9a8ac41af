// What is the truth behind labels that disagree, and who can be trusted? Diagnostics, never ground truth:
// both models take errors as independent given the truth, which judges of one family are not.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/rows.h"
#include "base/seed.h"
#include "stats/estimate.h"

namespace sonder::stats {

// One label: any item and annotator number >= 0, category in 0..K-1. Repeats are allowed.
struct Label {
  int item = 0, annotator = 0, category = 0;
};

struct EmOptions {
  int most_steps = 10000;
  double tolerance = 1e-9;  // largest change of a probability in one step
  double smoothing = 0;     // pseudo-count in every cell; 0: exact maximum likelihood
};

// What both models say of the items. Items and annotators in rising order of their numbers; those without a
// label are not there (an annotator who never labelled is dropped).
struct LabelModel {
  Numbers posterior;                   // [n_items × K]
  std::vector<int> items, annotators;  // their numbers, in order
  double log_likelihood = 0;
  int steps = 0;
  Status status = Status::ok;
  int n_units = 0;  // items
  std::vector<std::string> warnings;
  // The most likely category of an item (row of posterior); the first of equals.
  int best(std::size_t item) const;
};

// Dawid and Skene's EM from vote shares, in log-space. No label: undefined. One annotator, fewer than three
// labels per item on average, or not settled: flagged. More than two categories: a warning, since judges
// alone do not identify the truth then (methods.md 4.7). O(labels × K) per step. Source: [Dawid1979].
struct DawidSkene : LabelModel {
  std::vector<double> prevalence;  // [K]
  std::vector<Numbers> confusion;  // per annotator [K truth × K label]; a truth never met has a row of 0
};
DawidSkene dawid_skene(std::span<const Label> labels, int n_categories, EmOptions options = {});

// Its prevalence [K] with percentile bootstrap intervals over items; every draw starts from the fit, so that
// classes keep their names. p: 1 (no null). Fewer than 10 items: flagged; 1: refused.
std::vector<Estimate> dawid_skene_prevalence(std::span<const Label> labels, int n_categories, Seed seed,
                                             int draws = 999, EmOptions options = {});

// MACE: an annotator knows the truth with probability `competence`, else draws from her own `spam` [K]. Truth
// uniform. EM from several starts (the first from votes, the others random), best likelihood kept. A little
// smoothing keeps a constant annotator from explaining everything. Good at finding those who answer always
// the same. Fewer than three annotators, or not settled: flagged. Source: [Hovy2013], methods.md 4.7.
struct MaceOptions {
  EmOptions em = {2000, 1e-8, 0.1};
  int starts = 10;
};
struct Mace : LabelModel {
  std::vector<double> competence;  // [n_annotators]
  Numbers spam;                    // [n_annotators × K]
};
Mace mace(std::span<const Label> labels, int n_categories, Seed seed, const MaceOptions& options = {});

// k / (1 + (k - 1) r): how many independent judges k judges are worth whose errors correlate by r on average.
// errors: [n items × k judges], against human labels. Negative r counts as 0. Fewer than two judges or
// constant errors: k. Source: methods.md 4.7.
struct PanelSize {
  double effective = 0;
  double mean_correlation = 0;
};
PanelSize effective_judges(const Numbers& errors);

}  // namespace sonder::stats
