// What the stories are made of: a tiny bank with planted warmth, instruments that see it or do not, and a
// model that also does what a warm prompt asks, so that the positive control can pass.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "instrument/instrument.h"
#include "model/model.h"
#include "model/tiny.h"
#include "store/bank.h"

namespace sonder::stories {

model::TinyOptions planted_options();

// 12 fit, 4 dev, 32 test scenarios; replies of 16 words. `shuffled`: a coin decides which text is called EMP.
store::Bank planted_bank(bool shuffled);

// "warm words": their number in a reply. "echo": the same by another family. "blind": a number made of the
// text's hash.
std::unique_ptr<instrument::Instrument> planted_instrument(const std::string& name);

// Hands everything on to `inner`; a prompt that holds a warm word also pushes along the planted direction.
std::unique_ptr<model::Model> obedient(model::Model& inner, const model::TinyOptions& options);

}  // namespace sonder::stories
