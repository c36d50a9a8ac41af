// sonder report: a finished run as one page, or as JSON.
#include <fmt/format.h>

#include "door.h"
#include "report/page.h"
#include "report/summary.h"
#include "report/tables.h"
#include "store/ledger.h"
#include "study/steering.h"

namespace sonder::cli {
namespace {

struct ReportOptions {
  std::string run, out, format = "html";
};

int write_report(const ReportOptions& options, const Global& global) {
  require_run_file(options.run);
  if (!options.out.empty() && options.out != "-") require_place(options.out);
  const auto ledger = store::Ledger::open_read_only(options.run);
  const study::Findings findings = study::load_findings(*ledger);
  const std::string format = global.json ? "json" : options.format;
  std::string bytes;
  if (format == "json")
    bytes = study::as_json(findings) + "\n";
  else if (format == "md")
    bytes = report::markdown(findings);
  else if (format == "text")
    bytes = report::text_summary(findings, std::min(terminal_width(), 100));
  else
    bytes = report::page(findings);
  if (options.out.empty() || options.out == "-") {
    fmt::print("{}", bytes);
    return kDone;
  }
  write_file(options.out, bytes);
  if (!global.quiet) fmt::print(stderr, "  wrote {}\n", options.out);
  return kDone;
}

}  // namespace

void add_report(CLI::App& app, const Global& global, Action& action) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "a finished run as one self-contained page");
  command->add_option("run", options->run, "the run file")->required();
  command->add_option("-o,--output", options->out, "the file to write (default: stdout)");
  command->add_option("--format", options->format, "html, md, json or text")
      ->check(CLI::IsMember({"html", "md", "json", "text"}));
  command->footer(
      "Example:\n  sonder report quick.sonder -o quick.html\n  sonder report quick.sonder --format json | "
      "less");
  command->callback(
      [=, &global, &action] { action = [=, &global] { return write_report(*options, global); }; });
}

}  // namespace sonder::cli
