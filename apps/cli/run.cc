// sonder run: a plan in, a verdict out.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/hash.h"
#include "door.h"
#include "instrument/instrument.h"
#include "model/catalogue.h"
#include "report/summary.h"
#include "store/bank.h"
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

std::unique_ptr<instrument::Instrument> build(const store::InstrumentPlan& wanted, const store::Bank& bank,
                                              Models& models, const Cancel& cancel) {
  if (wanted.name == "lexicon") return instrument::lexicon();
  if (wanted.name == "length") return instrument::length();
  if (wanted.name == "embedding") {
    const std::vector<instrument::Example> examples = examples_of(bank);
    return instrument::embedding(models.get(wanted.model), examples, cancel);
  }
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
  for (const store::InstrumentPlan& wanted : plan.instruments)
    if (!wanted.model.empty()) model::resolve(wanted.model);
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

int run(const RunOptions& options, const Global& global) {
  const store::Plan plan = store::read_plan(options.plan);
  const store::Bank bank = store::read_bank(plan.bank == "built-in" ? built_in_bank() : plan.bank);
  const std::string out =
      options.out.empty() ? std::filesystem::path(options.plan).stem().string() + ".sonder" : options.out;
  require_place(out);
  std::error_code ignored;
  require(!std::filesystem::exists(out, ignored) || std::filesystem::is_regular_file(out, ignored),
          "'" + out + "' is a device or a pipe, which cannot keep a run; name a file to write");
  check_bank(plan, bank);
  const OnlyWriter lock(out);
  const std::string plan_json = store::to_json(plan);
  check_run_there(out, header_of(plan_json, bank, ""));
  check_models(plan);
  const Cancel& cancel = interrupts();
  Ticker ticker(global);
  const OnProgress progress = ticker.watch();
  if (progress) progress({"load the models", "", 0, 0});

  Models models({options.threads, plan.generate.batch, 0});
  model::Model& subject = models.get(plan.model);
  require(!subject.card().is_encoder,
          "'" + plan.model + "' is an encoder: it can score texts, not write them; name a generator");
  std::vector<std::unique_ptr<instrument::Instrument>> instruments;
  std::vector<study::Bench> bench;
  for (const store::InstrumentPlan& wanted : plan.instruments) {
    instruments.push_back(build(wanted, bank, models, cancel));
    bench.push_back({wanted, instruments.back().get()});
  }

  study::Provenance provenance = provenance_of(plan, plan_json, bank, subject.card(), options.threads);
  const auto ledger = store::Ledger::open(out);
  const store::RunId id = ledger->open_run(header_of(plan_json, bank, subject.card().sha256));

  const double began = seconds_now();
  study::Lab lab{
      plan, bank, subject, bench, *ledger, id, progress, cancel, [began] { return seconds_now() - began; },
      {}};
  const study::Findings findings = study::run_steering(lab, std::move(provenance));
  ticker.finish();
  if (global.json)
    fmt::print("{}\n", study::as_json(findings));
  else
    fmt::print("{}", report::text_summary(findings, std::min(terminal_width(), 100)));
  if (!global.quiet && !global.json) fmt::print(stderr, "  run file: {}\n", out);
  return kDone;
}

}  // namespace

void add_run(CLI::App& app, const Global& global, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "carry out a plan; run it again to go on where it stopped");
  command->add_option("plan", options->plan, "the plan, a YAML file")->required();
  command->add_option("-o,--output", options->out, "the run file (default: the plan's name with .sonder)");
  command
      ->add_option("--threads", options->threads,
                   "cores to use (default: all); the result does not depend on it")
      ->check(CLI::Range(1, 1024));
  command->footer(
      "Example:\n  sonder run examples/quick.yaml -o quick.sonder\n"
      "Ctrl-C finishes the batch at hand and keeps it; the same command goes on.");
  command->callback(
      [options, &global, &action] { action = [options, &global] { return run(*options, global); }; });
}

}  // namespace sonder::cli
