// sonder export: a run's cells as rows, its directions as files.
#include <fmt/format.h>

#include "door.h"
#include "report/tables.h"
#include "store/ledger.h"
#include "study/steering.h"

namespace sonder::cli {
namespace {

struct ExportOptions {
  std::string run, out, format, facet;
};

int export_run(const ExportOptions& o, const Global& global) {
  require_run_file(o.run);
  require(o.facet.empty() == (o.format != "gguf"), o.format == "gguf"
                                                       ? "--format gguf needs --facet affective or cognitive"
                                                       : "--facet belongs to --format gguf");
  if (o.format == "gguf") {
    require(!o.out.empty() && o.out != "-", "--format gguf needs -o: a direction is no text");
    return export_direction(o.run, o.facet, o.out, global);
  }
  if (!o.out.empty() && o.out != "-") require_place(o.out);
  const auto ledger = store::Ledger::open_read_only(o.run);
  const study::Findings findings = study::load_findings(*ledger);
  const std::string bytes = o.format == "csv" ? report::cells_csv(findings) : report::cells_jsonl(findings);
  if (o.out.empty() || o.out == "-") {
    fmt::print("{}", bytes);
    return kDone;
  }
  write_file(o.out, bytes);
  if (!global.quiet) fmt::print(stderr, "  wrote {} replies to {}\n", findings.replies.size(), o.out);
  return kDone;
}

}  // namespace

void add_export(CLI::App& app, const Global& global, Action& action) {
  auto o = std::make_shared<ExportOptions>();
  CLI::App* command =
      app.add_subcommand("export", "a run's replies and scores as rows, or its direction as a file");
  command->add_option("run", o->run, "a finished run")->required();
  command->add_option("--format", o->format, "csv, jsonl or gguf")
      ->required()
      ->check(CLI::IsMember({"csv", "jsonl", "gguf"}));
  command->add_option("--facet", o->facet, "gguf: affective or cognitive")
      ->check(CLI::IsMember({"affective", "cognitive"}));
  command->add_option("-o,--output", o->out, "the file to write (default: stdout)");
  command->footer(
      "Example:\n  sonder export quick.sonder --format csv -o cells.csv\n"
      "  sonder stats cells.csv --test clustered --value lexicon/affective --cluster scenario\n"
      "  sonder export quick.sonder --format gguf --facet affective -o affective.gguf");
  command->callback([=, &global, &action] { action = [=, &global] { return export_run(*o, global); }; });
}

}  // namespace sonder::cli
