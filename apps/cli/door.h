// What the commands of the program share: options, streams, progress, exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "base/cancel.h"
#include "base/progress.h"

namespace sonder::cli {

enum ExitCode : int { kDone = 0, kCouldNotRun = 1, kBadInput = 2, kGateFailed = 100 };

struct Global {
  bool quiet = false;  // no progress
  bool json = false;   // results as JSON on stdout
};

// A command fills this in; main() runs the one that was named.
using Action = std::function<int()>;

void add_init(CLI::App& app, Action& action);
void add_validate(CLI::App& app, const Global& global, Action& action);
void add_run(CLI::App& app, const Global& global, Action& action);
void add_report(CLI::App& app, const Global& global, Action& action);
void add_model(CLI::App& app, const Global& global, Action& action);
void add_direction(CLI::App& app, const Global& global, Action& action);
void add_simulate(CLI::App& app, const Global& global, Action& action);
void add_export(CLI::App& app, const Global& global, Action& action);
void add_gate(CLI::App& app, const Global& global, Action& action);
void add_manual(CLI::App& app, Action& action);  // completion, man
void add_power(CLI::App& app, const Global& global, Action& action);
void add_stats(CLI::App& app, const Global& global, Action& action);

// Ctrl-C asks to stop: what is finished is kept. A second Ctrl-C ends the program at once.
const Cancel& interrupts();

// One line a step on stderr with the time taken; on a terminal a bar with rate and time left.
class Ticker {
 public:
  explicit Ticker(const Global& global);
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;
  OnProgress watch();
  void finish();  // closes the last line

 private:
  void show(const Progress& progress);
  void close_step();
  bool quiet_;
  bool terminal_;
  Progress now_;
  double began_ = 0;
  double drawn_ = -1;
};

// Refuses a path that is no file or cannot be read, before it is opened: "expected `what`, found …; `hint`".
void require_file(const std::string& path, const std::string& what, const std::string& hint);
void require_run_file(const std::string& path);
// Refuses a place where no file can be made, before any work is done for it.
void require_place(const std::string& path);
// A run's direction as a file that llama.cpp reads too.
int export_direction(const std::string& run, const std::string& facet, const std::string& out,
                     const Global& global);
double seconds_now();                                                // since the program was started
std::string utc_now();                                               // ISO 8601
void write_file(const std::string& path, const std::string& bytes);  // whole or not at all; throws Error(io)
std::string built_in_bank();  // folder of the embedded bank, written to the cache on first use
bool on_terminal(int descriptor);
int terminal_width();

}  // namespace sonder::cli
