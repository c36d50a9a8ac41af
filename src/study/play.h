// Replies of all arms to all scenarios, each cell looked up in the ledger before it is written by the model.
#pragma once

#include <string>
#include <vector>

#include "base/measured.h"
#include "study/arms.h"
#include "study/lab.h"

namespace sonder::study {

using Cell = Measured<model::Reply>;

// cells[arm][scenario][repeat].
using Replies = std::vector<std::vector<std::vector<Cell>>>;

// A finished cell is content-addressed by model, prompt, hook, sampler, seed and length, so a rerun is a
// resume and a repeat is its own cell. Arms share random numbers: the seed names scenario and repeat, never
// the arm.
// A reply that could not be computed is Missing with its reason; when more than 1 % of these replies are,
// throws Error(engine) that names the arm with most of them. Error(corrupt) when the model's file is written
// to meanwhile. What was finished before is kept.
Replies play(Lab& lab, const std::vector<Arm>& arms, const std::vector<const store::Scenario*>& scenarios);

std::string to_text(model::Stopped stopped);  // as the ledger and the page have it

// Words of a text, by white space: the length meter's and the length rule's unit.
int count_words(const std::string& text);

}  // namespace sonder::study
