// sonder gate: what a script requires of a finished run.
#include "report/gate.h"

#include <fmt/format.h>

#include "door.h"
#include "store/ledger.h"
#include "study/steering.h"

namespace sonder::cli {
namespace {

struct GateOptions {
  std::string run, junit;
  std::vector<std::string> requirements;
};

void print(const report::GateCase& one) {
  fmt::print("{}  {}\n", one.gated.passed() ? "passed" : "FAILED", one.requirement);
  if (one.gated.passed()) return;
  for (const report::Clause& clause : one.gated.clauses)
    fmt::print("        {} {}: found {}\n",
               clause.truth == report::Truth::yes  ? "holds  "
               : clause.truth == report::Truth::no ? "fails  "
                                                   : "unknown",
               clause.text, clause.found);
}

int gate(const GateOptions& options, const Global& global) {
  require_run_file(options.run);
  if (!options.junit.empty()) require_place(options.junit);
  const auto ledger = store::Ledger::open_read_only(options.run);
  const study::Findings findings = study::load_findings(*ledger);
  const std::string json = study::as_json(findings);
  std::vector<report::GateCase> cases;
  bool passed = true;
  for (const std::string& requirement : options.requirements) {
    cases.push_back({requirement, report::gate(requirement, json)});
    passed = passed && cases.back().gated.passed();
  }
  if (!options.junit.empty()) write_file(options.junit, report::junit(findings.name, cases));
  if (global.json)
    fmt::print("{}", report::gate_json(cases));
  else if (!global.quiet)
    for (const auto& one : cases) print(one);
  return passed ? kDone : kGateFailed;
}

}  // namespace

void add_gate(CLI::App& app, const Global& global, Action& action) {
  auto options = std::make_shared<GateOptions>();
  CLI::App* command = app.add_subcommand("gate", "does a finished run meet a requirement? exit 100 if not");
  command->add_option("run", options->run, "a finished run")->required();
  command->add_option("--require", options->requirements, "what must hold; may be given several times")
      ->required();
  command->add_option("--junit", options->junit, "also write the result for continuous integration");
  command->footer(
      "Example:\n  sonder gate quick.sonder --require \"verdict.affective.control == 'CONTROLS'\"\n"
      "  sonder gate quick.sonder --require \"effects[kind=steer,chosen=true].lo95 > 0.1\" --junit gate.xml\n"
      "What is missing never passes. docs/gate.md has the language; `sonder report RUN --json` the names.");
  command->callback([=, &global, &action] { action = [=, &global] { return gate(*options, global); }; });
}

}  // namespace sonder::cli
