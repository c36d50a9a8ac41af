// sonder simulate and sonder power: what a design will probably say, before anything is run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "door.h"
#include "report/outlook.h"
#include "store/bank.h"
#include "store/ledger.h"
#include "store/plan.h"
#include "study/steering.h"

namespace sonder::cli {
namespace {

struct Simulated {
  std::vector<int> n = {60, 180};
  std::vector<double> steps = {0, .10}, thetas = {0, .25, .7};
  double effect_sd = .45, gap_sd = .35, ladder_sd = .35, delta = .10, tau = .50;
  int runs = 3000;
  std::uint64_t seed = 45;
  std::string out;
};

struct Powered {
  std::string plan, pilot, out;
  std::vector<double> sds = {.30, .45, .60};
  double step = .10, power = .80;
  int runs = 1000;
};

constexpr double kLargest = 10;  // natural gaps: beyond that a typing error is likelier

void require_range(const std::vector<double>& values, const std::string& what, double low, bool open) {
  for (const double v : values)
    require(std::isfinite(v) && (open ? v > low : v >= low) && v <= kLargest,
            fmt::format("{}: expected {} {} and at most {} natural gaps, found {}", what,
                        open ? "more than" : "at least", low, kLargest, v));
}

void require_limits(double delta, double tau) {
  require(delta > 0 && tau > delta && tau <= kLargest,
          fmt::format("--delta and --tau: expected 0 < delta < tau <= {}, found delta {} and tau {}",
                      kLargest, delta, tau));
}

void require_runs(int runs) {
  require(runs >= 10 && runs <= 1'000'000,
          fmt::format("--runs: expected 10 to 1000000 simulated studies, found {}", runs));
}

int deliver(const report::Forecast& forecast, const std::string& out, const Global& global) {
  if (!out.empty()) write_file(out, report::forecast_page(forecast));
  fmt::print("{}", global.json ? report::forecast_json(forecast)
                               : report::forecast_text(forecast, std::min(terminal_width(), 110)));
  if (!out.empty() && !global.quiet) fmt::print(stderr, "  wrote {}\n", out);
  return kDone;
}

std::vector<study::Outlook> watched(const std::vector<study::Assumed>& designs, const study::Limits& limits,
                                    std::uint64_t seed, int runs, const Global& global) {
  Ticker ticker(global);
  auto found = study::outlooks(designs, limits, Seed(seed), runs, ticker.watch(), interrupts());
  ticker.finish();
  return found;
}

int simulate(const Simulated& o, const Global& global) {
  for (const int n : o.n)
    require(n >= 2 && n <= 100'000, fmt::format("--G: expected 2 to 100000 scenarios, found {}", n));
  require_range(o.steps, "--step", 0, false);
  require_range({o.effect_sd, o.gap_sd, o.ladder_sd}, "--effect-sd, --gap-sd and --ladder-sd", 0, false);
  require_range(o.thetas, "--theta", -kLargest, false);
  require_limits(o.delta, o.tau);
  require_runs(o.runs);
  if (!o.out.empty()) require_place(o.out);
  std::vector<study::Assumed> designs;
  for (const int n : o.n)
    for (const double step : o.steps)
      for (const double theta : o.thetas)
        designs.push_back({n, theta, step, o.effect_sd, o.gap_sd, o.ladder_sd});
  report::Forecast f;
  f.title = "operating characteristics";
  f.sentence = "How often the verdict says each word when the truth is known.";
  f.limits.delta = o.delta;
  f.limits.tau = o.tau;
  f.runs = o.runs;
  f.seed = o.seed;
  f.outlooks = watched(designs, f.limits, o.seed, o.runs, global);
  return deliver(f, o.out, global);
}

int test_scenarios(const store::Plan& plan) {
  const store::Bank bank = store::read_bank(plan.bank == "built-in" ? built_in_bank() : plan.bank);
  const auto n = static_cast<int>(std::count_if(bank.scenarios.begin(), bank.scenarios.end(),
                                                [](const auto& s) { return s.split == store::Split::test; }));
  return plan.n_test > 0 ? std::min(n, plan.n_test) : n;
}

std::vector<study::Pilot> pilot_of(const std::string& path) {
  require_run_file(path);
  const auto ledger = store::Ledger::open_read_only(path);
  auto pilots = study::pilot_spreads(study::load_findings(*ledger));
  std::erase_if(pilots, [](const study::Pilot& p) { return !(p.sd > 0 && p.sd <= kLargest); });
  require(!pilots.empty(), "'" + path +
                               "' holds no instrument with an interval at a positive dose, so it tells no "
                               "spread; give one with --sd");
  return pilots;
}

// The plan's delta and those of methods.md 4.5, ascending.
std::vector<double> deltas_of(double delta) {
  std::vector<double> out = {delta};
  for (const double other : {.10, .15, .20})
    if (std::abs(other - delta) > 1e-9) out.push_back(other);
  std::sort(out.begin(), out.end());
  return out;
}

std::string in_words(const report::Forecast& f, const std::string& name) {
  const study::Needed* none = nullptr;
  for (const study::Needed& n : f.needed)
    if (n.word == "NO_EFFECT_EQUIVALENT" && n.bound == f.limits.delta &&
        n.sd == f.outlooks[0].assumed.effect_sd)
      none = &n;
  return fmt::format(
      "{}: {} test scenarios. To show that a shift is smaller than {:.2f} takes {} when "
      "scenarios differ by an SD of {:.2f}{}",
      name, f.n_scenarios, f.limits.delta, none->n, none->sd,
      f.n_scenarios >= none->n ? "." : ": this plan can find an effect, not exclude one.");
}

int power(const Powered& o, const Global& global) {
  require_range(o.sds, "--sd", 0, true);
  require_range({o.step}, "--step", 0, false);
  require(o.power > .05 && o.power < 1,
          fmt::format("--power: expected between .05 and 1, found {}", o.power));
  require_runs(o.runs);
  if (!o.out.empty()) require_place(o.out);
  require_file(o.plan, "a plan", "`sonder init steering -o my.yaml` writes one");
  const store::Plan plan = store::read_plan(o.plan);
  report::Forecast f;
  f.title = plan.name.empty() ? o.plan : plan.name;
  f.limits.delta = plan.verdict.delta;
  f.limits.tau = plan.verdict.tau;
  f.runs = o.runs;
  f.seed = plan.seed;
  f.power = o.power;
  f.n_scenarios = test_scenarios(plan);
  std::vector<double> sds = o.sds;
  if (!o.pilot.empty()) {
    f.pilots = pilot_of(o.pilot);
    sds.clear();
    for (const study::Pilot& p : f.pilots) sds.push_back(p.sd);
  }
  std::sort(sds.begin(), sds.end());
  sds.erase(std::unique(sds.begin(), sds.end()), sds.end());
  const study::Assumed assumed;
  const stats::Goal goal{f.limits.alpha, o.power};
  f.needed = study::scenarios_needed(sds, assumed.gap_sd, deltas_of(f.limits.delta), f.limits, goal);
  for (const double sd : sds) f.smallest.push_back({sd, stats::mde_t(sd, std::max(f.n_scenarios, 2), goal)});
  const double middle = sds[(sds.size() - 1) / 2];
  std::vector<int> sizes = {std::max(f.n_scenarios, 2)};
  for (const study::Needed& n : f.needed)
    if (n.word == "NO_EFFECT_EQUIVALENT" && n.bound == f.limits.delta && n.sd == middle && n.n != sizes[0])
      sizes.push_back(std::max(n.n, 2));
  std::vector<study::Assumed> designs;
  for (const int n : sizes)
    for (const double theta : {0.0, f.limits.delta, .25, f.limits.tau, f.limits.tau + .2})
      designs.push_back({n, theta, o.step, middle, assumed.gap_sd, assumed.ladder_sd});
  f.outlooks = watched(designs, f.limits, plan.seed, o.runs, global);
  f.sentence = in_words(f, f.title);
  return deliver(f, o.out, global);
}

}  // namespace

void add_simulate(CLI::App& app, const Global& global, Action& action) {
  auto o = std::make_shared<Simulated>();
  CLI::App* command =
      app.add_subcommand("simulate", "how often the verdict says each word when the truth is known");
  command->add_option("--G", o->n, "scenarios")->delimiter(',')->capture_default_str();
  command->add_option("--step", o->steps, "what the instrument sees between two levels; 0 is blind")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--theta", o->thetas, "true shifts")->delimiter(',')->capture_default_str();
  command->add_option("--delta", o->delta, "smallest shift worth claiming")->capture_default_str();
  command->add_option("--tau", o->tau, "from here on: controls")->capture_default_str();
  command->add_option("--effect-sd", o->effect_sd, "SD of the scenarios' shifts")->capture_default_str();
  command->add_option("--gap-sd", o->gap_sd, "SD of the scenarios' natural gaps")->capture_default_str();
  command->add_option("--ladder-sd", o->ladder_sd, "noise of the graded replies' scores")
      ->capture_default_str();
  command->add_option("--runs", o->runs, "simulated studies a row")->capture_default_str();
  command->add_option("--seed", o->seed, "")->capture_default_str();
  command->add_option("-o,--output", o->out, "also write a page with the charts");
  command->footer(
      "All in natural gaps: 1 is the distance from neutral to fully empathic replies.\n"
      "Example:\n  sonder simulate --G 60,180 --theta 0,.1,.25 -o simulated.html");
  command->callback([=, &global, &action] { action = [=, &global] { return simulate(*o, global); }; });
}

void add_power(CLI::App& app, const Global& global, Action& action) {
  auto o = std::make_shared<Powered>();
  CLI::App* command =
      app.add_subcommand("power", "the scenarios that a plan needs, and what it will probably say");
  command->add_option("plan", o->plan, "the plan")->required();
  auto* sd = command->add_option("--sd", o->sds, "SD of the scenarios' shifts, natural gaps")
                 ->delimiter(',')
                 ->capture_default_str();
  command->add_option("--pilot", o->pilot, "a finished run to take the spread from instead")->excludes(sd);
  command->add_option("--step", o->step, "what the instrument sees between two levels of graded replies")
      ->capture_default_str();
  command->add_option("--power", o->power, "probability of finding what is there")->capture_default_str();
  command->add_option("--runs", o->runs, "simulated studies a row")->capture_default_str();
  command->add_option("-o,--output", o->out, "also write a page with the charts");
  command->footer(
      "Example:\n  sonder power examples/full.yaml\n  sonder power my.yaml --pilot pilot.sonder -o "
      "power.html");
  command->callback([=, &global, &action] { action = [=, &global] { return power(*o, global); }; });
}

}  // namespace sonder::cli
