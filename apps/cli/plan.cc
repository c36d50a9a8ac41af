// sonder init and sonder validate: plans and banks before anything runs.
#include "store/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "door.h"
#include "latent/direction.h"
#include "store/bank.h"
#include "store/bank_checks.h"
#include "store/ledger.h"
#include "study/steering.h"

namespace sonder::cli {
namespace {

int init(const std::string& protocol, const std::string& out) {
  const std::string text = store::commented_plan(protocol);
  if (out.empty()) {
    fmt::print("{}", text);
    return kDone;
  }
  require(!std::filesystem::exists(out),
          "'" + out + "' is already there and is not overwritten; choose another -o");
  require_place(out);
  write_file(out, text);
  fmt::print(stderr, "  wrote {}; next: sonder validate {}\n", out, out);
  return kDone;
}

// The first bytes of a file: what kind it is.
bool begins_with(const std::string& path, const std::string& magic) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(magic.size(), '\0');
  return file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())) && bytes == magic;
}

// Every entry is read once: each is compared with the hash that it was stored with.
int validate_run(const std::string& path, const Global& global) {
  const auto ledger = store::Ledger::open_read_only(path);
  const auto header = ledger->find_header();
  require(header.has_value(), "'" + path + "' holds no run yet; `sonder run` begins one");
  constexpr store::RunId kRun{1};  // a file holds one run
  std::size_t cells = 0;
  for (const std::string& kind : study::cell_kinds()) cells += ledger->entries(kRun, kind).size();
  for (const char* kind : {"direction", "finding"}) ledger->entries(kRun, kind);
  const bool finished = ledger->count(kRun, "finding") > 0;
  if (global.json)
    fmt::print("{{\"cells\": {}, \"finished\": {}, \"plan_hash\": \"{}\"}}\n", cells, finished,
               header->plan_hash);
  else
    fmt::print("{}: a sound run, {} cells, {}, plan {}\n", path, cells,
               finished ? "finished" : "not finished: `sonder run` with its plan goes on",
               header->plan_hash.substr(0, 12));
  return kDone;
}

int validate_direction(const std::string& path, const Global& global) {
  const latent::DirectionFile file = latent::read_directions(path);
  if (global.json)
    fmt::print("{{\"directions\": {}, \"model_sha256\": \"{}\"}}\n", file.directions.size(),
               file.model_sha256);
  else
    fmt::print(
        "{}: a sound direction file, {} of {}; `sonder direction show` has more\n", path,
        file.directions.size() == 1 ? "one direction" : fmt::format("{} directions", file.directions.size()),
        file.model_name);
  return kDone;
}

int validate_plan(const std::string& path, const Global& global) {
  const store::Plan plan = store::read_plan(path);
  if (global.json)
    fmt::print("{}\n", store::to_json(plan));
  else
    fmt::print("{}: a sound plan for the protocol '{}' on {}\n", path, plan.protocol, plan.model);
  return kDone;
}

// Which surface features could give a kind or a level away, and the problems of the design.
int validate_bank(const std::string& folder, const Global& global) {
  require(std::filesystem::exists(std::filesystem::path(folder) / "scenarios.jsonl"),
          "expected a plan (a YAML file) or a bank (a folder with scenarios.jsonl), found the folder '" +
              folder + "' without one");
  const store::Bank bank = store::read_bank(folder);
  const store::Surface surface = store::surface(bank);
  const std::vector<store::Problem> problems = store::bank_checks(bank);
  if (!global.quiet && !global.json) {
    fmt::print("{:<28}{:>4}{:>9}{:>11}{:>9}{:>7}{:>7}{:>7}   {}\n", "kind", "n", "tokens", "sentences",
               "commas", "?", "I", "you", "first word");
    for (const store::SurfaceRow& r : surface.rows)
      fmt::print("{:<28}{:>4}{:>9.1f}{:>11.2f}{:>9.2f}{:>7.2f}{:>7.2f}{:>7.2f}   {} {:.0f} %\n", r.kind, r.n,
                 r.tokens, r.sentences, r.commas, r.questions, r.i_words, r.you_words, r.first_word,
                 100 * r.first_share);
    const auto worst =
        std::max_element(surface.separations.begin(), surface.separations.end(),
                         [](const store::Separation& a, const store::Separation& b) {
                           return std::abs(a.concordance - 0.5) < std::abs(b.concordance - 0.5);
                         });
    if (worst != surface.separations.end())
      fmt::print("most telling surface feature: {} from {} ({}), concordance {:.2f}\n", worst->feature,
                 worst->pair, worst->facet, worst->concordance);
  }
  if (!problems.empty()) throw store::BadInput(problems);
  fmt::print("{}: {} scenarios, no problem found, sha256 {}\n", folder, bank.scenarios.size(),
             bank.sha256.substr(0, 12));
  return kDone;
}

int validate_file(const std::string& path, const Global& global) {
  if (begins_with(path, "SQLite format 3")) return validate_run(path, global);
  if (begins_with(path, "GGUF")) return validate_direction(path, global);
  return validate_plan(path, global);
}

}  // namespace

void add_init(CLI::App& app, Action& action) {
  auto protocol = std::make_shared<std::string>();
  auto out = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("init", "a commented plan to start from");
  command->add_option("protocol", *protocol, "steering")->required()->check(CLI::IsMember({"steering"}));
  command->add_option("-o,--output", *out, "the file to write (default: stdout)");
  command->footer("Example:\n  sonder init steering -o my-study.yaml");
  command->callback([=, &action] { action = [=] { return init(*protocol, *out); }; });
}

void add_validate(CLI::App& app, const Global& global, Action& action) {
  auto path = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "validate", "every problem of a plan or a bank at once; is a run or a direction sound?");
  command->add_option("path", *path, "a plan (YAML file), a bank (folder), a run or a direction")->required();
  command->footer(
      "Example:\n  sonder validate my-study.yaml\n  sonder validate bank/\n  sonder validate my.sonder");
  command->callback([=, &global, &action] {
    action = [=, &global] {
      return std::filesystem::is_directory(*path) ? validate_bank(*path, global)
                                                  : validate_file(*path, global);
    };
  });
}

}  // namespace sonder::cli
