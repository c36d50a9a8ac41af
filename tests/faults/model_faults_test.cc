// What a whole study says to a model that fails it. docs/faults-model.md lists the sentences.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "latent/direction.h"
#include "planted.h"
#include "store/ledger.h"
#include "store/plan.h"
#include "study/play.h"
#include "study/steering.h"

namespace sonder::faults {
namespace {

using nlohmann::json;

const char* kPlan =
    "sonder: 1\nprotocol: steering\nname: faults\nseed: 5\nfacets: [affective]\n"
    "detect: {permutations: 99, random_directions: 20, folds: 4}\n"
    "generate: {n_tokens: 16, temperature: 1, batch: 24}\n"
    "gates: {kl: 5, fluency: 20, kl_prompts: 4, degeneration: 0.5}\n"
    "verdict: {missing: 0.05}\n"
    "steer: {layer: 1, doses: [1, 2], negative: [-2], prompt_affective: warm care hug heart, "
    "placebos: {isotropic: 2, variance: 1, shuffled: 1, formality: 1}, random_ablations: 1}\n";

// Hands everything on to a planted model, save replies for which `drops` is true: those are Missing.
class Dropping final : public model::Model {
 public:
  using Drops = std::function<bool(std::size_t i, std::size_t n, const model::Request& request)>;
  Dropping(model::Model& inner, Drops drops) : inner_(inner), drops_(std::move(drops)) {}
  const model::Card& card() const override { return inner_.card(); }
  std::string render(std::span<const model::Message> turns, model::Template form) const override {
    return inner_.render(turns, form);
  }
  std::vector<model::Token> tokenise(const std::string& text) const override { return inner_.tokenise(text); }
  std::vector<model::Token> tokenise_plain(const std::string& text) const override {
    return inner_.tokenise_plain(text);
  }
  std::string detokenise(std::span<const model::Token> tokens) const override {
    return inner_.detokenise(tokens);
  }
  void reply(std::span<const model::Request> requests, const OnReply& done, const Cancel& cancel) override {
    const auto handed_on = [&](std::size_t i, Measured<model::Reply> reply) {
      if (drops_(i, requests.size(), requests[i])) reply = Missing{model::kNotFinite};
      done(i, std::move(reply));
    };
    inner_.reply(requests, handed_on, cancel);
  }
  void read(std::span<const model::Passage> passages, const model::Hook& hook, const model::Want& want,
            const OnReading& done, const Cancel& cancel) override {
    inner_.read(passages, hook, want, done, cancel);
  }
  std::vector<model::Choices> choose(std::span<const model::Passage> passages,
                                     std::span<const std::string> answers, const Cancel& cancel) override {
    return inner_.choose(passages, answers, cancel);
  }
  Rows embed(std::span<const std::string> texts, const Cancel& cancel) override {
    return inner_.embed(texts, cancel);
  }
  model::Counts counts() const override { return inner_.counts(); }

 private:
  model::Model& inner_;
  Drops drops_;
};

class ModelFaults : public testing::Test {
 protected:
  std::string path() const {
    return testing::TempDir() + "sonder_faults_" +
           testing::UnitTest::GetInstance()->current_test_info()->name() + ".gguf";
  }
  std::unique_ptr<model::Model> planted(const std::function<void(model::TinyOptions&)>& spoil = {},
                                        model::Options how = {.n_threads = 1, .n_slots = 24}) {
    model::TinyOptions options = stories::planted_options();
    if (spoil) spoil(options);
    write_tiny_model(path(), options);
    return model::Model::load(path(), how);
  }

  // A study of the planted bank by two word counters, in a ledger of its own.
  json run(model::Model& subject) { return json::parse(study::as_json(run_steering(subject))); }
  study::Findings run_steering(model::Model& subject) {
    study::Lab lab = lab_of(subject);
    return study::run_steering(lab, {});
  }
  study::Lab lab_of(model::Model& subject) {
    instruments_.clear();
    bench_.clear();
    for (const char* name : {"warm words", "echo"}) {
      instruments_.push_back(stories::planted_instrument(name));
      store::InstrumentPlan wanted;
      wanted.name = name;
      bench_.push_back({wanted, instruments_.back().get()});
    }
    return {plan_, bank_, subject, bench_, *ledger_, id_, {}, cancel_, [] { return 0.0; }, {}};
  }

  void SetUp() override {
    plan_ = store::parse_plan(kPlan, "faults");
    plan_.steer.prompt_affective = "warm care hug heart";
    bank_ = stories::planted_bank(false);
    new_ledger();
  }
  void new_ledger() {
    ledger_ = store::Ledger::open(":memory:");
    const std::string text = store::to_json(plan_);
    id_ = ledger_->open_run({text, sha256(text), "{}", "2026-01-01T00:00:00Z"});
  }

  // Kind and sentence of the Error that `work` ends in.
  static std::pair<ErrorKind, std::string> said(const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      return {error.kind(), error.what()};
    }
    return {ErrorKind::bug, "nothing was thrown"};
  }
  static void expect_says(const std::pair<ErrorKind, std::string>& got, ErrorKind kind,
                          const std::string& words) {
    EXPECT_EQ(got.first, kind) << got.second;
    EXPECT_NE(got.second.find(words), std::string::npos) << got.second << "\nlacks: " << words;
  }

  store::Plan plan_;
  store::Bank bank_;
  std::unique_ptr<store::Ledger> ledger_;
  store::RunId id_{1};
  std::vector<std::unique_ptr<instrument::Instrument>> instruments_;
  std::vector<study::Bench> bench_;
  Cancel cancel_;
};

TEST_F(ModelFaults, AHealthyModelIsHeldToNoneOfThem) {
  const auto inner = planted();
  const auto subject = stories::obedient(*inner, stories::planted_options());
  const json f = run(*subject);
  EXPECT_NE(f["verdict"]["affective"]["control"], "RUN_INVALID") << f["sentence"];
  EXPECT_EQ(f["counts"]["replies missing"], 0);
}

TEST_F(ModelFaults, LayersThatTheModelLacksAreNamed) {
  const auto subject = planted();
  plan_.detect.layers = {1, 9};
  expect_says(said([&] { run(*subject); }), ErrorKind::bad_input,
              "detect.layers names layer 9; this model has layers 0 to 3");
  plan_.detect.layers.clear();
  plan_.steer.layer = 4;
  expect_says(said([&] { run(*subject); }), ErrorKind::bad_input,
              "steer.layer is 4; this model has layers 0 to 3");
  EXPECT_EQ(subject->counts().passes, 0);
}

TEST_F(ModelFaults, AContextTooSmallForAPromptIsRefusedBeforeTheRunWithTheNumberNeeded) {
  const auto whole = planted();
  bank_.scenarios[20].message += " the report needs the table and the office shows the plan for the day";
  std::size_t needed = 0;
  {
    const study::Lab lab = lab_of(*whole);
    needed = study::prompt_of(lab, bank_.scenarios[20].message, plan_.steer.prompt_affective).size() + 16;
  }
  const std::string number = std::to_string(needed);
  const auto small =
      model::Model::load(path(), {.n_threads = 1, .n_slots = 24, .n_ctx = static_cast<int>(needed) - 1});
  expect_says(said([&] { run(*small); }), ErrorKind::bad_input,
              "the longest text needs " + number + " tokens (scenario '" + bank_.scenarios[20].id +
                  "' in the arm 'prompt affective', with a reply of 16), but the model holds " +
                  std::to_string(needed - 1));
  EXPECT_EQ(small->counts().passes, 0);
  for (const char* kind : {"reply", "reading", "score"}) EXPECT_EQ(ledger_->count(id_, kind), 0);

  const auto enough =
      model::Model::load(path(), {.n_threads = 1, .n_slots = 24, .n_ctx = static_cast<int>(needed)});
  EXPECT_NO_THROW(run(*enough));
}

TEST_F(ModelFaults, AModelWhoseHashChangedSinceTheRunBeganIsRefusedWithBothHashes) {
  const std::string first = planted()->card().sha256;
  const std::string second = planted([](model::TinyOptions& o) { o.seed = Seed(2); })->card().sha256;
  const std::string text = store::to_json(plan_);
  const auto header = [&](const std::string& hash) {
    return store::RunHeader{text, sha256(text), json{{"model", hash}}.dump(), "2026-01-01T00:00:00Z"};
  };
  const auto ledger = store::Ledger::open(":memory:");
  ledger->open_run(header(first));
  EXPECT_NO_THROW(ledger->open_run(header(first)));
  const auto got = said([&] { ledger->open_run(header(second)); });
  expect_says(got, ErrorKind::bad_input, "was begun with the model with sha256 " + first.substr(0, 12));
  expect_says(got, ErrorKind::bad_input, "and this is the model with sha256 " + second.substr(0, 12));
}

TEST_F(ModelFaults, AModelFileThatIsWrittenToDuringTheRunStopsItAndKeepsNothingOfIt) {
  const auto subject = planted();
  study::Lab lab = lab_of(*subject);
  const auto scenarios = study::scenarios_of(lab, store::Split::test);
  study::play(lab, {study::base_arm()}, scenarios);
  const auto n = ledger_->count(id_, "reply");
  EXPECT_EQ(n, static_cast<std::int64_t>(scenarios.size()));
  std::fstream(path(), std::ios::binary | std::ios::in | std::ios::out).write("GGUf", 4);
  study::Arm other = study::base_arm();
  other.system = "the plan";
  expect_says(said([&] { study::play(lab, {other}, scenarios); }), ErrorKind::corrupt,
              "was changed while it was in use: its sha256 was " + subject->card().sha256);
  EXPECT_EQ(ledger_->count(id_, "reply"), n);
}

// 120 scenarios, of which the first n hold a word that this model cannot compute.
std::vector<store::Scenario> with_broken(const store::Bank& bank, std::size_t n) {
  std::vector<store::Scenario> scenarios;
  for (std::size_t i = 0; i < 120; ++i) {
    scenarios.push_back(bank.scenarios[i % bank.scenarios.size()]);
    scenarios.back().id = "s" + std::to_string(i);
    scenarios.back().message = i < n ? "the form was" : "the plan was";
  }
  return scenarios;
}

TEST_F(ModelFaults, LogitsThatAreNotFiniteMakeACellMissingAndMoreThanOnePercentOfThemStopTheRun) {
  const auto subject = planted([](model::TinyOptions& o) { o.broken_word = "form", o.mean_words = 4; });
  study::Lab lab = lab_of(*subject);
  const auto play = [&](const std::vector<store::Scenario>& scenarios) {
    std::vector<const store::Scenario*> pointers;
    for (const store::Scenario& s : scenarios) pointers.push_back(&s);
    return study::play(lab, {study::base_arm()}, pointers)[0];
  };
  const auto one = with_broken(bank_, 1);
  plan_.generate.n_tokens = 1;  // so that no reply goes on from a broken word of its own
  const auto cells = play(one);
  EXPECT_FALSE(cells[0][0].has_value());
  EXPECT_EQ(cells[0][0].reason(), "the model's logits were not finite");
  for (std::size_t s = 1; s < cells.size(); ++s) EXPECT_TRUE(cells[s][0].has_value()) << s;
  const auto computed = subject->counts().passes;
  EXPECT_EQ(play(one), cells) << "kept in the ledger with its reason";
  EXPECT_EQ(subject->counts().passes, computed);

  new_ledger();
  study::Lab fresh = lab_of(*subject);
  const auto two = with_broken(bank_, 2);
  std::vector<const store::Scenario*> pointers;
  for (const store::Scenario& s : two) pointers.push_back(&s);
  const auto again = [&] { study::play(fresh, {study::base_arm()}, pointers); };
  const char* sentence =
      "2 of 120 replies could not be computed, 2 of them in the arm 'base': the model's logits were not "
      "finite. "
      "More than 1 % stops the run; check the model's file";
  expect_says(said(again), ErrorKind::engine, sentence);
  const auto before = subject->counts().passes;
  expect_says(said(again), ErrorKind::engine, sentence);  // and taken up again it stops at once
  EXPECT_EQ(subject->counts().passes, before);
}

TEST_F(ModelFaults, AStudyOnAModelThatCannotReadAMessageStops) {
  const auto subject = planted([](model::TinyOptions& o) { o.broken_word = "form"; });
  for (store::Scenario& s : bank_.scenarios) s.message += " form";
  expect_says(said([&] { run(*subject); }), ErrorKind::engine,
              "the model computed a number that is not finite");
}

TEST_F(ModelFaults, MoreThanFivePercentMissingInOneArmIsRunInvalid) {
  const auto inner = planted();
  const auto obedient = stories::obedient(*inner, stories::planted_options());
  const auto dropping = [&](std::size_t n_dropped) {
    return Dropping(*obedient, [n_dropped](std::size_t i, std::size_t n, const model::Request& request) {
      const std::size_t n_arms = n / 32;  // of the steered call on 32 test scenarios; scenario by scenario
      return n_arms > 3 && !request.hook.empty() && i % n_arms == 0 && i / n_arms < n_dropped;
    });
  };
  Dropping three = dropping(3);
  json f = run(three);
  EXPECT_EQ(f["verdict"]["affective"]["control"], "RUN_INVALID") << f["sentence"];
  const std::string sentence = f["sentence"];
  EXPECT_NE(sentence.find("the run is invalid"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("(9 % missing)"), std::string::npos) << sentence;
  EXPECT_EQ(f["counts"]["replies missing"], 3);

  new_ledger();
  Dropping one = dropping(1);  // 3 %
  f = run(one);
  EXPECT_NE(f["verdict"]["affective"]["control"], "RUN_INVALID") << f["sentence"];
  EXPECT_EQ(f["counts"]["replies missing"], 1);
}

TEST_F(ModelFaults, AModelThatAlwaysSaysNothingIsRunInvalid) {
  const auto subject = planted([](model::TinyOptions& o) { o.mean_words = 1e-9; });
  const json f = run(*subject);
  EXPECT_EQ(f["verdict"]["affective"]["control"], "RUN_INVALID") << f["sentence"];
  EXPECT_NE(f["sentence"].get<std::string>().find("the unsteered model says nothing in 100 % of its replies"),
            std::string::npos)
      << f["sentence"];
  // All but those of the arm that is base with padding.
  EXPECT_EQ(f["counts"]["replies empty"].get<int>(), f["counts"]["replies"].get<int>() - 32);
}

TEST_F(ModelFaults, AModelThatNeverEndsIsCutAtTheLimitAndCounted) {
  const auto inner = planted([](model::TinyOptions& o) { o.mean_words = 1e12; });
  const auto subject = stories::obedient(*inner, stories::planted_options());
  const json f = run(*subject);
  EXPECT_EQ(f["counts"]["replies cut at the limit"], f["counts"]["replies"]);
  EXPECT_NE(f["verdict"]["affective"]["control"], "RUN_INVALID") << f["sentence"];
  for (const auto& reply : f["replies"]) EXPECT_EQ(reply["stopped"], "limit");
}

TEST_F(ModelFaults, ADirectionOfAnotherModelWidthOrLayerIsRefused) {
  const auto subject = planted();
  const model::Card& card = subject->card();
  latent::DirectionFile file;
  latent::Direction d;
  d.unit.assign(64, 0.125F);
  d.layer = 1;
  file.directions = {d};
  file.model_sha256 = card.sha256;
  EXPECT_NO_THROW(latent::require_fits(file, card));
  const auto fits = [&] { latent::require_fits(file, card); };
  file.directions[0].layer = 4;
  expect_says(said(fits), ErrorKind::bad_input, "a direction is at layer 4, but the model's last layer is 3");
  file.directions[0] = d;
  file.directions[0].unit.assign(32, 0.1F);
  expect_says(said(fits), ErrorKind::bad_input,
              "these directions are 32 wide, but the model's residual stream is 64");
  file.model_sha256 = sha256("another");
  expect_says(
      said(fits), ErrorKind::bad_input,
      "fitted on the model with sha256 " + sha256("another") + ", but the model loaded has " + card.sha256);
}

}  // namespace
}  // namespace sonder::faults
