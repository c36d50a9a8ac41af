// sonder run: a plan in, a verdict out.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/hash.h"
#include "door.h"
#include "events.h"
#include "instrument/instrument.h"
#include "model/catalogue.h"
#include "model/endpoint.h"
#include "report/summary.h"
#include "store/bank.h"
#include "store/fork.h"
#include "store/ledger.h"
#include "store/plan.h"
#include "store/resume.h"
#include "study/steering.h"

namespace sonder::cli {
namespace {

using nlohmann::json;

struct RunOptions {
  std::string plan;
  std::string out;
  std::string fork;  // a run file to take valid cells from
  int threads = 0;
};

std::string machine_text() {
  utsname name{};
  uname(&name);
  return fmt::format("{} {} {}, {} cores", name.sysname, name.release, name.machine,
                     std::thread::hardware_concurrency());
}

// Models by path, each loaded once: the judge may be the model under test.
class Models {
 public:
  explicit Models(model::Options options) : options_(options) {}
  model::Model& get(const std::string& name) {
    auto& slot = loaded_[model::resolve(name)];
    if (!slot) slot = model::Model::load(model::resolve(name), options_);
    return *slot;
  }

 private:
  model::Options options_;
  std::map<std::string, std::unique_ptr<model::Model>> loaded_;
};

std::vector<instrument::Example> examples_of(const store::Bank& bank) {
  std::vector<instrument::Example> examples;
  int scenario = 0;
  for (const store::Scenario& s : bank.scenarios) {
    if (s.split != store::Split::fit) continue;
    examples.push_back({scenario, s.message, s.neu, 0, 0});
    for (const auto& [facet, texts] : s.facets)
      examples.push_back({scenario, s.message, texts.emp, facet == "affective" ? 1.0 : 0.0,
                          facet == "cognitive" ? 1.0 : 0.0});
    ++scenario;
  }
  return examples;
}

std::string rubric_of(const store::Bank& bank, const std::string& facet) {
  for (const store::Rubric& r : bank.rubrics)
    if (r.facet == facet) return r.text;
  throw Error(ErrorKind::bad_input,
              "the bank has no rubric for the facet '" + facet + "', which the judge needs");
}

// Endpoints, each opened once; they outlive the judges that ask them.
class Endpoints {
 public:
  explicit Endpoints(std::uint64_t seed) : seed_(Seed(seed).child("endpoints")) {}
  model::Endpoint& get(const store::InstrumentPlan& wanted) {
    model::EndpointOptions o;
    o.url = wanted.endpoint;
    o.key_env = wanted.key_env;
    if (!wanted.key_env.empty())
      o.key = std::getenv(wanted.key_env.c_str());  // check_models saw that it is set
    o.concurrency = wanted.concurrency;
    o.timeout = wanted.timeout;
    o.tokens = wanted.token_budget;
    opened_.push_back(model::Endpoint::open(o, seed_.child(opened_.size())));
    return *opened_.back();
  }

 private:
  Seed seed_;
  std::vector<std::unique_ptr<model::Endpoint>> opened_;
};

std::unique_ptr<instrument::Instrument> build(const store::InstrumentPlan& wanted, const store::Bank& bank,
                                              Models& models, Endpoints& endpoints, const Cancel& cancel) {
  if (wanted.name == "lexicon") return instrument::lexicon();
  if (wanted.name == "length") return instrument::length();
  if (wanted.name == "embedding") {
    const std::vector<instrument::Example> examples = examples_of(bank);
    return instrument::embedding(models.get(wanted.model), examples, cancel);
  }
  if (!wanted.endpoint.empty())
    return instrument::remote_judge(endpoints.get(wanted),
                                    {wanted.endpoint, wanted.model, rubric_of(bank, "affective"),
                                     rubric_of(bank, "cognitive"), wanted.samples});
  return instrument::judge(
      models.get(wanted.model),
      {rubric_of(bank, "affective"), rubric_of(bank, "cognitive"), study::form_of(wanted.form)});
}

study::Provenance provenance_of(const store::Plan& plan, const std::string& plan_json,
                                const store::Bank& bank, const model::Card& card, int threads) {
  study::Provenance p;
  p.started = utc_now();
  p.sonder_version = SONDER_VERSION;
  p.llama_version = SONDER_LLAMA_BUILD;
  p.compiler = fmt::format("g++ {}", __VERSION__);
  p.machine = machine_text();
  p.threads = threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
  p.model_name = plan.model;
  p.model_sha256 = card.sha256;
  p.model_architecture = card.architecture;
  p.model_format = card.format;
  p.n_layers = card.n_layers;
  p.n_embd = card.n_embd;
  p.bank_name = bank.name;
  p.bank_sha256 = bank.sha256;
  p.plan = plan_json;
  p.plan_hash = sha256(plan_json);
  return p;
}

// What the bank must hold for this plan: asked before any model is loaded.
void check_bank(const store::Plan& plan, const store::Bank& bank) {
  const auto count = [&](store::Split split) {
    return std::count_if(bank.scenarios.begin(), bank.scenarios.end(),
                         [&](const store::Scenario& s) { return s.split == split; });
  };
  const auto dev = count(store::Split::dev);
  const auto test = count(store::Split::test);
  require(
      dev >= 2 && test >= 6,
      fmt::format("the bank '{}' has {} dev and {} test scenarios; a steering study needs at least 2 and 6",
                  plan.bank, dev, test));
  for (const std::string& facet : plan.facets)
    require(bank.scenarios.front().facets.contains(facet),
            fmt::format("the bank '{}' has no texts for the facet '{}'; name the bank's own under 'facets'",
                        plan.bank, facet));
  for (const store::InstrumentPlan& wanted : plan.instruments)
    if (wanted.name == "judge") rubric_of(bank, "affective"), rubric_of(bank, "cognitive");
}

// Every model is there: asked of all before the first is loaded.
void check_models(const store::Plan& plan) {
  model::resolve(plan.model);
  for (const store::InstrumentPlan& wanted : plan.instruments) {
    if (!wanted.model.empty() && wanted.endpoint.empty()) model::resolve(wanted.model);
    require(
        wanted.key_env.empty() || std::getenv(wanted.key_env.c_str()) != nullptr,
        "the environment variable '" + wanted.key_env + "', which the plan names under key_env, is not set");
  }
}

// What is known of this start. Before the model is loaded its hash is not.
store::RunHeader header_of(const std::string& plan_json, const store::Bank& bank,
                           const std::string& model_sha256) {
  json parts = {{"sonder", SONDER_VERSION},
                {"llama.cpp", SONDER_LLAMA_BUILD},
                {"bank", bank.sha256},
                {"machine", machine_text()}};
  if (!model_sha256.empty()) parts["model"] = model_sha256;
  return {plan_json, sha256(plan_json), parts.dump(), utc_now()};
}

// A file that is there already must be this plan's run, begun with the same parts.
void check_run_there(const std::string& out, const store::RunHeader& now) {
  std::error_code ignored;
  if (!std::filesystem::exists(out, ignored) || std::filesystem::file_size(out, ignored) == 0) return;
  require_file(out, "a run file", "choose another -o");
  const auto before = store::Ledger::open_read_only(out)->find_header();
  if (before) store::require_same_run(out, *before, now);
}

// One writer a run file. The lock lies in the cache, not beside the run, and goes with the process.
class OnlyWriter {
 public:
  explicit OnlyWriter(const std::string& out) {
    namespace fs = std::filesystem;
    const fs::path folder = fs::path(model::models_dir()).parent_path() / "locks";
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    const fs::path file =
        folder / (sha256(fs::weakly_canonical(fs::absolute(out)).string()).substr(0, 16) + ".lock");
    descriptor_ = open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor_ >= 0 && flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      close(descriptor_);
      throw Error(ErrorKind::io, "another run is writing '" + out + "'; wait for it, or choose another -o");
    }
  }
  ~OnlyWriter() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OnlyWriter(const OnlyWriter&) = delete;
  OnlyWriter& operator=(const OnlyWriter&) = delete;

 private:
  int descriptor_ = -1;
};

// The run file, and the one it takes valid cells from, if any.
store::Forked open_ledger(const RunOptions& options, const std::string& out, const store::RunHeader& now) {
  if (options.fork.empty()) return {store::Ledger::open(out), [] { return std::int64_t{0}; }};
  auto from = store::Ledger::open_read_only(options.fork);
  return store::fork(store::Ledger::open(out), std::move(from), options.fork, now, study::cell_kinds());
}

void check_fork(const RunOptions& options, const std::string& out) {
  if (options.fork.empty()) return;
  require_run_file(options.fork);
  std::error_code ignored;
  require(!std::filesystem::equivalent(options.fork, out, ignored),
          "--fork: the new run cannot be the one that it takes cells from; name another file with -o");
}

std::int64_t cells_kept(const store::Ledger& ledger, store::RunId id) {
  std::int64_t kept = 0;
  for (const std::string& kind : study::cell_kinds()) kept += ledger.count(id, kind);
  return kept;
}

std::string how_to_go_on(const RunOptions& options, const std::string& out, const store::Ledger& ledger,
                         store::RunId id) {
  return fmt::format("stopped on request; {} cells are kept in {}. To go on: sonder run {} -o {}",
                     cells_kept(ledger, id), out, options.plan, out);
}

int run(const RunOptions& options, const Global& global) {
  const store::Plan plan = store::read_plan(options.plan);
  const store::Bank bank = store::read_bank(plan.bank == "built-in" ? built_in_bank() : plan.bank);
  const std::string out =
      options.out.empty() ? std::filesystem::path(options.plan).stem().string() + ".sonder" : options.out;
  require_place(out);
  std::error_code ignored;
  require(!std::filesystem::exists(out, ignored) || std::filesystem::is_regular_file(out, ignored),
          "'" + out + "' is a device or a pipe, which cannot keep a run; name a file to write");
  check_fork(options, out);
  check_bank(plan, bank);
  const OnlyWriter lock(out);
  const std::string plan_json = store::to_json(plan);
  check_run_there(out, header_of(plan_json, bank, ""));
  check_models(plan);
  const Cancel& cancel = interrupts();
  Ticker ticker(global);
  Events events;
  const OnProgress progress = global.json ? events.watch() : ticker.watch();
  if (progress) progress({"load the models", "", 0, 0});

  Models models({options.threads, plan.generate.batch, 0});
  model::Model& subject = models.get(plan.model);
  require(!subject.card().is_encoder,
          "'" + plan.model + "' is an encoder: it can score texts, not write them; name a generator");
  Endpoints endpoints(plan.seed);
  std::vector<std::unique_ptr<instrument::Instrument>> instruments;
  std::vector<study::Bench> bench;
  for (const store::InstrumentPlan& wanted : plan.instruments) {
    instruments.push_back(build(wanted, bank, models, endpoints, cancel));
    bench.push_back({wanted, instruments.back().get()});
  }

  study::Provenance provenance = provenance_of(plan, plan_json, bank, subject.card(), options.threads);
  const store::RunHeader header = header_of(plan_json, bank, subject.card().sha256);
  const store::Forked opened = open_ledger(options, out, header);
  const auto& ledger = opened.ledger;
  const store::RunId id = ledger->open_run(header);

  if (global.json) events.start(out, header.plan_hash, cells_kept(*ledger, id));
  const double began = seconds_now();
  study::Lab lab{
      plan, bank, subject, bench, *ledger, id, progress, cancel, [began] { return seconds_now() - began; },
      {}};
  study::Findings findings;
  try {
    findings = study::run_steering(lab, std::move(provenance));
  } catch (const Error& stopped) {
    if (stopped.kind() != ErrorKind::cancelled) throw;
    ticker.finish();
    if (global.json) events.stopped(out, cells_kept(*ledger, id));
    throw Error(ErrorKind::cancelled, how_to_go_on(options, out, *ledger, id));
  }
  ticker.finish();
  if (global.json)
    events.done(out, findings);
  else
    fmt::print("{}", report::text_summary(findings, std::min(terminal_width(), 100)));
  if (!global.quiet && !global.json) {
    if (!options.fork.empty())
      fmt::print(stderr, "  taken over from {}: {} cells\n", options.fork, opened.reused());
    fmt::print(stderr, "  run file: {}\n", out);
  }
  return kDone;
}

}  // namespace

void add_run(CLI::App& app, const Global& global, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "carry out a plan; run it again to go on where it stopped");
  command->add_option("plan", options->plan, "the plan, a YAML file")->required();
  command->add_option("-o,--output", options->out, "the run file (default: the plan's name with .sonder)");
  command->add_option("--fork", options->fork, "an older run: take over every cell that is still valid");
  command
      ->add_option("--threads", options->threads,
                   "cores to use (default: all); the result does not depend on it")
      ->check(CLI::Range(1, 1024));
  command->footer(
      "Example:\n  sonder run examples/quick.yaml -o quick.sonder\n"
      "  sonder run changed.yaml --fork quick.sonder -o changed.sonder\n"
      "--json prints events, one a line (docs/events.md); `sonder report RUN --json` the findings.\n"
      "Ctrl-C finishes the batch at hand and keeps it; the same command goes on.");
  command->callback(
      [options, &global, &action] { action = [options, &global] { return run(*options, global); }; });
}

}  // namespace sonder::cli
