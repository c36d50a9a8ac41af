// The program. Here the parts are built and failures become exit codes and one sentence.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/nearest.h"
#include "door.h"

namespace {

using namespace sonder::cli;  // NOLINT(google-build-using-namespace): this file is the door

constexpr const char* kLost =
    "the results could not be written to stdout: is it closed, or is there no room on its disk?";

// 2 asks for another input, be it wrong, missing or damaged; 1 says that the world did not play along.
int exit_code(sonder::ErrorKind kind) {
  return kind == sonder::ErrorKind::bad_input || kind == sonder::ErrorKind::corrupt ? kBadInput
                                                                                    : kCouldNotRun;
}

// The first word that should name a command and does not, with the one that was meant and those there are.
std::string wrong_command(CLI::App& app, int argc, char** argv) {
  CLI::App* at = &app;
  std::string path = "sonder";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("-")) continue;
    std::vector<std::string> known;
    CLI::App* named = nullptr;
    for (CLI::App* command : at->get_subcommands([](CLI::App*) { return true; })) {
      known.push_back(command->get_name());
      if (known.back() == word) named = command;
    }
    if (known.empty()) return "";
    if (named == nullptr) {
      const auto meant = sonder::nearest(word, known);
      return fmt::format("there is no command '{} {}'{}; there are {}; `{} --help` explains them", path, word,
                         meant ? "; did you mean '" + *meant + "'?" : "", fmt::join(known, ", "), path);
    }
    at = named;
    path += " " + word;
  }
  return "";
}

int run_program(int argc, char** argv) {
  CLI::App app{
      "Sonder: a laboratory for empathy in language models. It answers with a verdict, never a bare number."};
  app.set_version_flag("--version", std::string("sonder ") + SONDER_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  app.footer(
      "Example:\n  sonder run examples/quick.yaml -o quick.sonder && sonder report quick.sonder -o "
      "quick.html\n"
      "Exit codes: 0 done, 1 could not run, 2 bad input (wrong, missing or damaged), 100 gate failed.");
  Global global;
  app.add_flag("--quiet,-q", global.quiet, "no progress, results only");
  app.add_flag("--json", global.json, "results as JSON");
  Action action;
  add_init(app, action);
  add_validate(app, global, action);
  add_run(app, global, action);
  add_report(app, global, action);
  add_export(app, global, action);
  add_gate(app, global, action);
  add_model(app, global, action);
  add_direction(app, global, action);
  add_simulate(app, global, action);
  add_power(app, global, action);
  add_stats(app, global, action);
  add_manual(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::ParseError& wrong) {
    const std::string unknown = wrong_command(app, argc, argv);
    if (unknown.empty())
      app.exit(wrong);
    else
      fmt::print(stderr, "sonder: {}\n", unknown);
    return kBadInput;
  }
  return action();
}

}  // namespace

// llama.cpp's threads wait for each other by spinning. On a machine that does anything else besides, that
// makes two threads slower than one, by up to ten times. libgomp reads this setting when it is loaded, so
// begin again with it.
void wait_politely(char** argv) {
  if (std::getenv("GOMP_SPINCOUNT") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  setenv("GOMP_SPINCOUNT", "1000", 1);
  execv("/proc/self/exe", argv);  // comes back only where there is no /proc: then go on as we are
}

int main(int argc, char** argv) {
  wait_politely(argv);
  try {
    const int code = run_program(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw sonder::Error(sonder::ErrorKind::io, kLost);
    return code;
  } catch (const sonder::Error& error) {
    fmt::print(stderr, "\nsonder: {}\n", error.what());
    return exit_code(error.kind());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "\nsonder: not enough memory\n");
    return kCouldNotRun;
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) {  // {fmt} throws when stdout takes no more
      fmt::print(stderr, "\nsonder: {}\n", kLost);
      return kCouldNotRun;
    }
    fmt::print(stderr, "\nsonder: unexpected: {}\n", error.what());
    return kCouldNotRun;
  }
}
