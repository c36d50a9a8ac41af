#include "events.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "door.h"

namespace sonder::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kPause = 1;  // seconds between two lines of progress

void say(const Json& event) {
  fmt::print("{}\n", event.dump());
  std::fflush(stdout);
}

}  // namespace

void Events::start(const std::string& run, const std::string& plan_hash, std::int64_t kept) {
  say({{"event", "start"},
       {"schema", "sonder.events/1"},
       {"run", run},
       {"plan_hash", plan_hash},
       {"cells_kept", kept}});
}

OnProgress Events::watch() {
  return [this](const Progress& p) {
    if (p.step != step_) {
      step_ = p.step;
      said_ = -1;
      say({{"event", "step"}, {"step", p.step}});
    }
    const double now = seconds_now();
    if (p.total <= 0 || (said_ >= 0 && now - said_ < kPause && p.done < p.total)) return;
    said_ = now;
    say({{"event", "progress"}, {"step", p.step}, {"unit", p.unit}, {"done", p.done}, {"total", p.total}});
  };
}

void Events::stopped(const std::string& run, std::int64_t kept) {
  say({{"event", "stopped"}, {"run", run}, {"cells_kept", kept}});
}

void Events::done(const std::string& run, const study::Findings& findings) {
  Json verdicts = Json::object();
  for (const study::Verdict& v : findings.verdicts)
    verdicts[v.facet] = {{"detect", v.detect}, {"control", v.control}, {"perceive", v.perceive}};
  say({{"event", "done"},
       {"run", run},
       {"sentence", findings.sentence},
       {"verdict", verdicts},
       {"seconds", seconds_now()}});
}

}  // namespace sonder::cli
