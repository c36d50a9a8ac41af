// What a protocol is handed: built by main(), borrowed for one run. The study starts nothing and prints
// nothing.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/progress.h"
#include "instrument/instrument.h"
#include "model/model.h"
#include "store/bank.h"
#include "store/ledger.h"
#include "store/plan.h"
#include "study/findings.h"

namespace sonder::study {

// An instrument and how the plan wants it used.
struct Bench {
  store::InstrumentPlan plan;
  instrument::Instrument* instrument = nullptr;
};

struct Lab {
  const store::Plan& plan;
  const store::Bank& bank;
  model::Model& subject;      // the model under test
  std::vector<Bench>& bench;  // in the plan's order
  store::Ledger& ledger;
  store::RunId run;
  OnProgress progress;  // may be empty
  const Cancel& cancel;
  std::function<double()> seconds;  // since the run was started by this process
  std::vector<StepTime> times;

  void step(const std::string& name) {  // closes the step before it
    const double now = seconds();
    if (!times.empty()) times.back().seconds += now;
    times.push_back({name, -now});
    if (progress) progress({name, "", 0, 0});
  }
  void finish() {
    if (!times.empty()) times.back().seconds += seconds();
  }
  OnProgress counted(const std::string& unit) const {  // a progress of the current step
    if (!progress) return {};
    const std::string name = times.empty() ? std::string() : times.back().step;
    return [this, name, unit](const Progress& p) { progress({name, unit, p.done, p.total}); };
  }
};

// The scenarios of a split, in the bank's order; test is cut to plan.n_test.
std::vector<const store::Scenario*> scenarios_of(const Lab& lab, store::Split split);

// Pointers to what a plan's words mean.
model::Template form_of(const std::string& form);
model::Span span_of(const std::string& span);

// The person's message as a prompt for the model under test, tokens ready for a reply. An empty `system`
// leaves the template's own default.
std::vector<model::Token> prompt_of(const Lab& lab, const std::string& message, const std::string& system);

// Prompt and a given reply, to be read.
model::Passage passage_of(const Lab& lab, const std::string& message, const std::string& system,
                          const std::string& reply);

std::string key_of(std::initializer_list<std::string> parts);  // SHA-256 of the parts, unambiguously joined

}  // namespace sonder::study
