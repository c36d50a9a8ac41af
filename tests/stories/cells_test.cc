// A study's cells, and with them its findings, do not depend on the batch, the threads or the order of arms.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "planted.h"
#include "store/ledger.h"
#include "store/plan.h"
#include "study/play.h"
#include "study/steering.h"

namespace sonder::stories {
namespace {

using nlohmann::json;

store::Plan plan_of(int batch) {
  store::Plan plan = store::parse_plan(
      "sonder: 1\nprotocol: steering\nname: cells\nseed: 5\nfacets: [affective]\n"
      "detect: {permutations: 99, random_directions: 20, folds: 4}\n"
      "generate: {n_tokens: 16, temperature: 1, batch: " +
          std::to_string(batch) +
          "}\n"
          "gates: {kl: 5, fluency: 20, kl_prompts: 4, degeneration: 0.5}\n"
          "steer: {layer: 1, doses: [1, 2], negative: [-2], prompt_affective: warm care hug heart, "
          "placebos: {isotropic: 2, variance: 1, shuffled: 1, formality: 1}, random_ablations: 1}\n",
      "cells");
  plan.steer.prompt_affective = "warm care hug heart";
  return plan;
}

struct Way {
  int batch, threads;
  bool backwards;  // arms and scenarios
};

class Cells : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "sonder_cells.gguf";
    write_tiny_model(path_, planted_options());
  }
  // Calls `work(lab)` on a model loaded this way.
  template <class Work>
  auto with_lab(const Way& way, Work work) {
    const auto inner = model::Model::load(path_, {.n_threads = way.threads, .n_slots = way.batch});
    const auto subject = obedient(*inner, planted_options());
    const store::Plan plan = plan_of(way.batch);
    const auto instrument = planted_instrument("warm words");
    std::vector<study::Bench> bench(1);
    bench[0].plan.name = "warm words";
    bench[0].instrument = instrument.get();
    const auto ledger = store::Ledger::open(":memory:");
    const std::string text = store::to_json(plan);
    const store::RunId id = ledger->open_run({text, sha256(text), "{}", "2026-01-01T00:00:00Z"});
    const Cancel cancel;
    study::Lab lab{plan, bank_, *subject, bench, *ledger, id, {}, cancel, [] { return 0.0; }, {}};
    return work(lab);
  }
  std::string path_;
  store::Bank bank_ = planted_bank(false);
};

const std::vector<Way> kWays = {{1, 1, true}, {7, 2, false}, {60, 1, true}, {60, 2, false}};

TEST_F(Cells, AreTheSameBytesInTheLedgerForAnyBatchThreadsAndOrderOfArms) {
  std::vector<study::Arm> arms(4, study::base_arm());
  for (std::size_t a = 1; a < arms.size(); ++a) {
    arms[a].name = "steer " + std::to_string(a);
    arms[a].hook = {{{model::Site{static_cast<int>(a)}, model::EditKind::push,
                      model::planted_direction(planted_options()), 0.4F * static_cast<float>(a)}},
                    a == 2 ? model::Span::all : model::Span::reply};
  }
  const auto entries_of = [&](const Way& way) {
    return with_lab(way, [&](study::Lab& lab) {
      std::vector<study::Arm> ordered = arms;
      auto scenarios = study::scenarios_of(lab, store::Split::test);
      if (way.backwards)
        std::reverse(ordered.begin(), ordered.end()), std::reverse(scenarios.begin(), scenarios.end());
      study::play(lab, ordered, scenarios);
      std::vector<store::Entry> entries = lab.ledger.entries(lab.run, "reply");
      std::sort(entries.begin(), entries.end(), [](const auto& x, const auto& y) { return x.key < y.key; });
      return entries;
    });
  };
  const std::vector<store::Entry> expected = entries_of({7, 1, false});
  ASSERT_EQ(expected.size(), 4U * 32U);
  for (const Way& way : kWays) EXPECT_EQ(entries_of(way), expected) << way.batch << " " << way.threads;
  std::cout << kWays.size() << " ways, " << kWays.size() * expected.size() << " stored cells compared\n";
}

TEST_F(Cells, GiveTheSameFindingsForAnyBatchAndThreads) {
  const auto findings_of = [&](const Way& way) {
    json f = with_lab(
        way, [](study::Lab& lab) { return json::parse(study::as_json(study::run_steering(lab, {}))); });
    f.erase("provenance");
    return f;
  };
  const json expected = findings_of({24, 1, false});
  for (const Way& way : {Way{1, 1, false}, Way{60, 2, false}}) {
    const json got = findings_of(way);
    EXPECT_EQ(got, expected) << json::diff(expected, got).dump().substr(0, 500);
  }
}

}  // namespace
}  // namespace sonder::stories
