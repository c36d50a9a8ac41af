// Labels sorted by item, with items and annotators made dense: what both EM models walk over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stats/annotators.h"

namespace sonder::stats::detail {

struct Vote {
  std::uint32_t annotator = 0, category = 0;
};

struct Votes {
  std::vector<int> items, annotators;  // their numbers, rising
  std::vector<Vote> votes;             // by item
  std::vector<std::size_t> start{0};   // item i holds votes start[i]..start[i+1]
  std::size_t k = 0;

  std::span<const Vote> of(std::size_t item) const {
    return std::span(votes).subspan(start[item], start[item + 1] - start[item]);
  }
};

// Throws Error(bad_input) for a negative number or a category outside 0..K-1.
Votes gather(std::span<const Label> labels, int n_categories);

// The votes' items and annotators into a model; no label: undefined, with a warning.
void begin(LabelModel& model, const Votes& votes);

// Adds a warning that flags the model.
void flag(LabelModel& model, const char* why);

// Vote shares [n_items × K].
Numbers vote_shares(const Votes& votes);

// Turns log weights into probabilities in place and returns the log of their sum.
double normalise(std::span<double> log_weights);

}  // namespace sonder::stats::detail
