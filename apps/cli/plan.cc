// sonder init and sonder validate: plans and banks before anything runs.
#include <fmt/format.h>

#include <filesystem>

#include "door.h"
#include "store/bank.h"
#include "store/plan.h"

namespace sonder::cli {
namespace {

int init(const std::string& protocol, const std::string& out) {
  const std::string text = store::commented_plan(protocol);
  if (out.empty()) {
    fmt::print("{}", text);
    return kDone;
  }
  require(!std::filesystem::exists(out), "'" + out + "' is already there and is not overwritten; choose another -o");
  write_file(out, text);
  fmt::print(stderr, "  wrote {}; next: sonder validate {}\n", out, out);
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

int validate_bank(const std::string& folder, const Global& global);

void add_validate(CLI::App& app, const Global& global, Action& action) {
  auto path = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("validate", "every problem of a plan or a bank at once, with line numbers");
  command->add_option("path", *path, "a plan (YAML file) or a bank (folder)")->required();
  command->footer("Example:\n  sonder validate my-study.yaml\n  sonder validate bank/");
  command->callback([=, &global, &action] {
    action = [=, &global] {
      return std::filesystem::is_directory(*path) ? validate_bank(*path, global) : validate_plan(*path, global);
    };
  });
}

}  // namespace sonder::cli
