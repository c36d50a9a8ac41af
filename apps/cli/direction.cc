// sonder direction: what a direction file says, and the directions of a finished run as files.
#include "latent/direction.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "door.h"
#include "store/ledger.h"
#include "study/inside.h"
#include "study/steering.h"

namespace sonder::cli {
namespace {

struct DirectionOptions {
  std::string file, facet, out;
};

int show(const std::string& path, const Global& global) {
  require_file(path, "a direction file", "'sonder direction export' makes one from a run");
  const latent::DirectionFile file = latent::read_directions(path);
  if (global.json) {
    nlohmann::json rows = nlohmann::json::array();
    for (const latent::Direction& d : file.directions)
      rows.push_back({{"facet", d.facet},
                      {"method", d.method},
                      {"layer", d.layer},
                      {"width", d.unit.size()},
                      {"class_gap", d.class_gap},
                      {"median_norm", d.median_norm},
                      {"sd_neutral", d.sd_neutral}});
    fmt::print("{}\n", nlohmann::json{{"model", file.model_name},
                                      {"model_sha256", file.model_sha256},
                                      {"bank_sha256", file.bank_sha256},
                                      {"operation", file.operation},
                                      {"hook", file.hook},
                                      {"auroc", file.auroc},
                                      {"concordance", file.concordance},
                                      {"directions", rows}}
                           .dump(2));
    return kDone;
  }
  const auto row = [](const char* what, const std::string& value) { fmt::print("{:<14}{}\n", what, value); };
  row("model", file.model_name);
  row("model sha256", file.model_sha256);
  row("bank sha256", file.bank_sha256);
  row("operation", file.operation + ", on the " + file.hook);
  row("held-out", fmt::format("AUROC {:.3f}, concordance {:.3f}", file.auroc, file.concordance));
  for (const latent::Direction& d : file.directions)
    row("direction",
        fmt::format(
            "{}, {}, layer {} (0-based), width {}; 1 gap = {:.3g}, median norm {:.3g}, neutral SD {:.3g}",
            d.facet, d.method, d.layer, d.unit.size(), d.class_gap, d.median_norm, d.sd_neutral));
  return kDone;
}

}  // namespace

int export_direction(const std::string& run, const std::string& facet, const std::string& out,
                     const Global& global) {
  require_run_file(run);
  require_place(out);
  const auto ledger = store::Ledger::open_read_only(run);
  const study::Findings findings = study::load_findings(*ledger);
  const auto body = ledger->find(store::RunId{1}, "direction", facet);
  require(body.has_value(), "this run has no direction for the facet '" + facet + "'");
  latent::DirectionFile file;
  file.directions = {study::direction_from_json(*body)};
  file.model_name = findings.provenance.model_name;
  file.model_sha256 = findings.provenance.model_sha256;
  file.bank_sha256 = findings.provenance.bank_sha256;
  for (const study::Detection& d : findings.detections)
    if (d.facet == facet) file.auroc = d.auroc, file.concordance = d.concordance.value;
  latent::write_directions(out, file);
  if (!global.quiet)
    fmt::print(stderr,
               "  wrote {}; llama.cpp reads it with --control-vector-scaled {}:A, where A is the dose in "
               "class gaps\n",
               out, out);
  return kDone;
}

void add_direction(CLI::App& app, const Global& global, Action& action) {
  CLI::App* command = app.add_subcommand("direction", "show and export directions");
  command->require_subcommand(1);
  command->footer("Example:\n  sonder direction export quick.sonder --facet affective -o affective.gguf");
  auto options = std::make_shared<DirectionOptions>();
  CLI::App* shows = command->add_subcommand("show", "what a direction file says of itself");
  shows->add_option("file", options->file, "a direction file (GGUF)")->required();
  shows->footer("Example:\n  sonder direction show affective.gguf");
  shows->callback([=, &global, &action] { action = [=, &global] { return show(options->file, global); }; });
  CLI::App* exports =
      command->add_subcommand("export", "a run's direction as a file that llama.cpp reads too");
  exports->add_option("run", options->file, "a finished run")->required();
  exports->add_option("--facet", options->facet, "affective or cognitive")
      ->required()
      ->check(CLI::IsMember({"affective", "cognitive"}));
  exports->add_option("-o,--output", options->out, "the file to write")->required();
  exports->footer("Example:\n  sonder direction export quick.sonder --facet affective -o affective.gguf");
  exports->callback([=, &global, &action] {
    action = [=, &global] { return export_direction(options->file, options->facet, options->out, global); };
  });
}

}  // namespace sonder::cli
