#include "store/plan.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "base/seed.h"

namespace sonder::store {
namespace {

// The problems of a plan, one a line; "" when it is good.
std::string problems_of(const std::string& yaml) {
  try {
    parse_plan(yaml, "plan.yaml");
  } catch (const BadInput& bad) {
    return bad.what();
  }
  return "";
}

// A good plan with one line more.
std::string with(const std::string& line) { return problems_of("sonder: 1\n" + line + "\n"); }

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string root(const std::string& path) { return std::string(SONDER_ROOT) + "/" + path; }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Plan, AFileWithNothingButItsFormatIsTheDefaultPlan) {
  EXPECT_EQ(parse_plan("sonder: 1\n", "p"), Plan{});
}

TEST(Plan, TheCommentedPlanIsTheDefaultPlanAndShowsEveryKey) {
  const std::string yaml = commented_plan("steering");
  EXPECT_EQ(parse_plan(yaml, "p"), Plan{});
  const auto keys = nlohmann::json::parse(to_json(Plan{})).flatten();
  for (const auto& [key, value] : keys.items()) {
    const std::string name = key.substr(key.find_last_of('/') + 1);
    EXPECT_TRUE(std::isdigit(static_cast<unsigned char>(name[0])) != 0 || has(yaml, name + ":")) << name;
  }
  EXPECT_THROW(commented_plan("fidelity"), Error);
}

TEST(Plan, TheSchemaOnDiskIsTheSchemaOfTheTable) {
  const std::string path = root("schema/plan.schema.json");
  // SONDER_WRITE=1 store_test --gtest_filter='Plan.TheSchema*' writes it anew.
  if (std::getenv("SONDER_WRITE") != nullptr) std::ofstream(path, std::ios::binary) << plan_schema();
  EXPECT_EQ(text_of(path), plan_schema()) << "run with SONDER_WRITE=1 to write the schema anew";
}

TEST(Plan, TheSchemaNamesTheSameKeysAndDefaultsAsTheJson) {
  const auto schema = nlohmann::json::parse(plan_schema());
  const auto plan = nlohmann::json::parse(to_json(Plan{}));
  for (const auto& [key, value] : plan.items()) {
    const auto& described = schema.at("properties").at(key);
    EXPECT_FALSE(described.at("description").get<std::string>().empty());
    if (value.is_object()) {
      for (const auto& [inner, default_value] : value.items()) {
        const auto& field = described.at("properties").at(inner);
        EXPECT_TRUE(default_value.is_object() || field.at("default") == default_value) << key << "." << inner;
      }
      EXPECT_EQ(described.at("properties").size(), value.size());
    } else if (key != "sonder") {
      EXPECT_EQ(described.at("default"), value) << key;
    }
  }
  EXPECT_EQ(schema.at("properties").size(), plan.size());
}

TEST(Plan, TheExamplesAreGoodPlans) {
  const Plan quick = read_plan(root("examples/quick.yaml"));
  EXPECT_EQ(quick.steer.doses.size(), 3U);
  EXPECT_GE(quick.steer.negative.size(), 1U);
  EXPECT_GE(quick.steer.placebos.total(), 5);
  EXPECT_TRUE(quick.steer.ablate);
  ASSERT_EQ(quick.instruments.size(), 4U);
  EXPECT_EQ(quick.instruments[2].name, "judge");
  EXPECT_NO_THROW(read_plan(root("tests/stories/default_model.yaml")));
  const Plan full = read_plan(root("examples/full.yaml"));
  EXPECT_GE(full.steer.placebos.total(), 99);
  EXPECT_EQ(full.generate.repeats, 3);
  EXPECT_EQ(full.detect.permutations, 999);
}

TEST(Plan, JsonHoldsEveryFieldInOrderAndReadsBackTheSame) {
  Plan plan;
  plan.name = "Grüße, 世界 \"quoted\" \\ \n line \xE2\x80\xA8 sep";
  plan.seed = std::numeric_limits<std::uint64_t>::max();
  plan.steer.doses = {0.1, 1.0 / 3.0, 6};
  plan.steer.dose = 0.1;
  plan.steer.layer = 12;
  plan.steer.ablate = false;
  plan.detect.layers = {0, 12, 29};
  plan.instruments = {{"length"}, {"judge", "a.gguf", "chat", "always", 3}};
  const std::string json = to_json(plan);
  EXPECT_EQ(json.rfind(R"({"sonder":1,"protocol":"steering","name":)", 0), 0U);
  EXPECT_TRUE(has(json, R"("doses":[0.1,0.3333333333333333,6])"));
  EXPECT_EQ(plan_from_json(json), plan);
  EXPECT_EQ(to_json(plan_from_json(json)), json);
}

TEST(Plan, RandomPlansSurviveJson) {
  Stream random{Seed(20260101)};
  for (int i = 0; i < 50; ++i) {
    Plan plan;
    plan.seed = (static_cast<std::uint64_t>(random()) << 32U) | random();
    plan.steer.doses = {random.uniform() + 1e-9, 1 + std::exp(10 * random.uniform())};
    plan.steer.negative = {-1e5 * random.uniform() - 1e-12};
    plan.generate.temperature = 100 * random.uniform();
    plan.verdict.delta = 0.01 + 0.4 * random.uniform();
    plan.detect.folds = 2 + static_cast<int>(random.below(99));
    plan.system = std::string(random.below(50), 'x');
    EXPECT_EQ(plan_from_json(to_json(plan)), plan);
  }
}

TEST(Plan, AStoredPlanOfAnOlderVersionKeepsDefaultsForNewKeys) {
  EXPECT_EQ(plan_from_json(R"({"sonder":1,"seed":7})").seed, 7U);
  EXPECT_THROW(plan_from_json(R"({"sonder":1,"seeds":7})"), BadInput);
  EXPECT_THROW(plan_from_json(R"({"sonder":1,"seed":7,"seed":7})"), BadInput);
  EXPECT_THROW(plan_from_json("{"), BadInput);
  EXPECT_THROW(plan_from_json(""), BadInput);
}

TEST(Plan, EveryProblemIsFoundAtOnceWithItsPlace) {
  const std::string found = problems_of(
      "sonder: 1\n"
      "modle: x\n"
      "steer:\n"
      "  dosis: [2, 4]\n"
      "  unit: gapp\n"
      "detect: {folds: 1}\n");
  EXPECT_EQ(
      found,
      "plan.yaml:2:1: 'modle' is not a key of the plan; did you mean 'model'?\n"
      "plan.yaml:4:3: 'dosis' is not a key of steer; did you mean 'doses'?\n"
      "plan.yaml:5:9: steer.unit: expected one of gap, norm, sd or kl, found 'gapp'; did you mean 'gap'?\n"
      "plan.yaml:6:17: detect.folds: expected a whole number from 2 to 100, found 1");
}

TEST(Plan, AnUnknownKeyNamesTheNearestKnownOneOrItsHome) {
  EXPECT_TRUE(has(with("doses: [1]"), "'doses' is not a key of the plan; did you mean 'steer.doses'?"));
  EXPECT_TRUE(has(with("xylophone: 1"), "its keys are sonder, protocol, name"));
  EXPECT_TRUE(has(with("gates: {kl_prompt: 1}"), "did you mean 'kl_prompts'?"));
}

TEST(Plan, RangesAreKept) {
  for (const char* line : {"steer: {doses: [4, 2]}",
                           "steer: {doses: [2, 2]}",
                           "steer: {doses: [0, 2]}",
                           "steer: {doses: []}",
                           "steer: {negative: [1]}",
                           "steer: {negative: [0]}",
                           "detect: {folds: 1}",
                           "generate: {temperature: -0.1}",
                           "generate: {top_p: 0}",
                           "generate: {top_p: 1.01}",
                           "generate: {min_p: 1}",
                           "generate: {n_tokens: 0}",
                           "steer: {placebos: {isotropic: -1}}",
                           "steer: {placebos: {formality: 2}}",
                           "n_test: -1",
                           "seed: -1",
                           "facets: []",
                           "facets: [affective, affective]",
                           "facets: [relational]",
                           "instruments: []",
                           "detect: {layers: [3, 3]}",
                           "detect: {methods: [pca]}",
                           "verdict: {delta: 0}",
                           "verdict: {detect_p: 1}",
                           "protocol: audit",
                           "model: \"\"",
                           "gates: {fluency: 0.9}"}) {
    EXPECT_NE(with(line), "") << line;
  }
  for (const char* line :
       {"steer: {doses: [0.5]}", "steer: {negative: []}", "generate: {top_p: 1, temperature: 0}",
        "detect: {folds: 2, layers: [0, 5]}\nsteer: {ablate: false}", "facets: [cognitive]",
        "seed: 18446744073709551615"}) {
    EXPECT_EQ(with(line), "") << line;
  }
}

TEST(Plan, KeysThatOnlyMakeSenseTogetherAreComparedWithEachOther) {
  EXPECT_TRUE(
      has(with("steer: {doses: [2, 4], dose: 3}"), "steer.dose: expected one of steer.doses, found 3"));
  EXPECT_TRUE(has(with("detect: {layers: [3, 5]}\nsteer: {layer: 4, ablate: false}"),
                  "steer.layer: expected one of detect.layers, found 4"));
  EXPECT_TRUE(has(with("detect: {layers: [3, 5]}\nsteer: {layer: 5, ablate: true}"),
                  "steer.ablate: expected false where detect.layers names some"));
  EXPECT_FALSE(has(with("detect: {layers: [3, 5]}\nsteer: {layer: 5, ablate: false}"), "detect.layers"));
  EXPECT_TRUE(has(with("steer: {placebos: {isotropic: 0, variance: 0, shuffled: 0, formality: 0}}"),
                  "expected at least one placebo"));
  EXPECT_TRUE(
      has(with("detect: {permutations: 98}"), "plan.yaml:2:10: detect.permutations: expected at least 99"));
  EXPECT_EQ(with("detect: {permutations: 99}"), "");
  EXPECT_TRUE(has(with("verdict: {tau: 0.1}"), "verdict.tau: expected more than verdict.delta"));
}

TEST(Plan, FewerScenariosThanItsOwnGateCanEverPassAreRefusedWithTheNumberNeeded) {
  const std::string few = problems_of("sonder: 1\nfacets: [affective]\nn_test: 28\n");
  EXPECT_TRUE(has(few, "plan.yaml:3:1: n_test: expected 0 (all) or at least 29, found 28")) << few;
  EXPECT_TRUE(has(few, "shows a share of at least 0.89, and gates.anchor_concordance asks for 0.9")) << few;
  EXPECT_EQ(with("n_test: 29"), "") << ".05^(1/29) = .9019, .05^(1/28) = .8985";
  EXPECT_TRUE(has(with("n_test: 58\ngates: {anchor_concordance: 0.95}"), "at least 59, found 58"));
  EXPECT_EQ(with("n_test: 59\ngates: {anchor_concordance: 0.95}"), "");
  EXPECT_EQ(with("n_test: 6\ngates: {anchor_concordance: 0.6}"), "") << ".05^(1/6) = .607";
  EXPECT_TRUE(has(with("n_test: 6\ngates: {anchor_concordance: 0.6, within_concordance: 0.8}"),
                  "gates.within_concordance asks for 0.8"));
  EXPECT_TRUE(has(with("n_test: 5\ngates: {anchor_concordance: 0.5, within_concordance: 0.5}"),
                  "n_test: expected 0 (all) or at least 6, found 5"));
}

TEST(Plan, AnInstrumentsOwnLimitIsComparedWithTheGateTooAndAllAreNamedAtOnce) {
  const std::string said = problems_of(
      "sonder: 1\nn_test: 10\nsteer: {dose: 3}\ninstruments:\n"
      "  - {name: lexicon, scenarios: 12}\n  - {name: length, scenarios: 2}\n");
  EXPECT_TRUE(has(said, "plan.yaml:2:1: n_test: expected 0 (all) or at least 29, found 10")) << said;
  EXPECT_TRUE(has(said, "plan.yaml:3:9: steer.dose: expected one of steer.doses, found 3")) << said;
  EXPECT_TRUE(has(said, "instruments[0].scenarios: expected 0 (all) or at least 29, found 12")) << said;
  EXPECT_FALSE(has(said, "instruments[1]")) << "length is a control and is never certified";
  EXPECT_EQ(with("instruments: [{name: lexicon, scenarios: 29}]"), "");
  EXPECT_EQ(with("n_test: 8\ninstruments: [{name: length}]"), "");
}

TEST(Plan, AStoredPlanIsReadThoughARuleThatJoinsKeysIsNewerThanIt) {
  EXPECT_EQ(plan_from_json(R"({"sonder":1,"n_test":6})").n_test, 6);
  EXPECT_THROW(plan_from_json(R"({"sonder":1,"n_test":-6})"), BadInput);
}

TEST(Plan, InstrumentsNeedWhatTheyUseAndNothingElse) {
  EXPECT_TRUE(
      has(with("instruments: [{name: judge}]"), "instruments[0].model: expected the model of the judge"));
  EXPECT_TRUE(has(with("instruments: [{name: lexicon, model: x}]"), "because lexicon uses no model"));
  EXPECT_TRUE(has(with("instruments: [{name: embedding, model: x, form: chat}]"), "only a judge is asked"));
  EXPECT_TRUE(has(with("instruments: [{name: length}, {name: length}]"),
                  "instruments[1]: the same instrument as instruments[0]"));
  EXPECT_TRUE(has(with("instruments: [{name: lexicn}]"), "did you mean 'lexicon'?"));
  EXPECT_TRUE(has(with("instruments: [{model: x}]"), "the key 'name' is missing from instruments[0]"));
  EXPECT_EQ(with("instruments: [{name: judge, model: a}, {name: judge, model: b}]"), "");
}

TEST(Plan, OnlyTrueAndFalseAreBooleansAndNoIsAText) {
  EXPECT_TRUE(has(with("steer: {ablate: no}"), "steer.ablate: expected true or false, found text"));
  EXPECT_TRUE(has(with("steer: {ablate: \"true\"}"), "expected true or false, found text"));
  EXPECT_EQ(parse_plan("sonder: 1\nsteer: {ablate: false}\nname: no\nsystem: on\n", "p").name, "no");
  EXPECT_TRUE(has(with("name: true"), "name: expected text, found true or false (put it in quotes"));
  EXPECT_TRUE(has(with("name: 12"), "name: expected text, found a whole number (put it in quotes"));
  EXPECT_TRUE(has(with("name:"), "name: expected text, found nothing (write \"\" for an empty text)"));
}

TEST(Plan, NumbersWithTwoReadingsAreRefused) {
  for (const char* number : {"010", "-010", "0o10", "0x1F", "00", "0777"})
    EXPECT_TRUE(has(with(std::string("n_test: ") + number), "can be read as octal")) << number;
  for (const char* number : {".nan", ".NaN", ".inf", "-.inf", "+.INF"})
    EXPECT_TRUE(has(with(std::string("gates: {kl: ") + number + "}"), "infinity or NaN")) << number;
  EXPECT_TRUE(has(with("gates: {kl: 1e999}"), "outside the range that can be stored"));
  EXPECT_TRUE(has(with("gates: {kl: nan}"), "found text"));
  EXPECT_TRUE(has(with("n_test: 1_000"), "found text"));
  EXPECT_TRUE(has(with("n_test: 4.0"), "found a decimal number"));
  EXPECT_TRUE(has(with("n_test: 1e2"), "found a decimal number"));
  EXPECT_TRUE(has(with("n_test: 99999999999"), "outside the range that can be stored"));
  EXPECT_TRUE(has(with("seed: 18446744073709551616"), "outside the range that can be stored"));
  EXPECT_TRUE(has(with("n_test: \"4\""), "found text"));
  EXPECT_EQ(parse_plan("sonder: 1\nn_test: +40\ngates: {kl: 2.5E-1}\n", "p").n_test, 40);
  EXPECT_EQ(parse_plan("sonder: 1\nname: \"010\"\n", "p").name, "010");
  EXPECT_EQ(to_json(parse_plan("sonder: 1\ngenerate: {min_p: -0.0}\n", "p")), to_json(Plan{}));
}

TEST(Plan, WhatYamlHidesIsRefused) {
  EXPECT_TRUE(
      has(with("seed: 1\nseed: 2"), "plan.yaml:3:1: the key 'seed' is given twice; the first is on line 2"));
  const std::string nested =
      with("steer: {}\nsteer: {doses: [1], doses: {a: 1, a: {b: 1, b: [1]}, a: 2}, unit: gap}");
  EXPECT_TRUE(has(nested, "'steer' is given twice")) << "a repeated key inside the value of a repeated key";
  EXPECT_TRUE(has(nested, "'b' is given twice"));
  EXPECT_TRUE(has(with("seed: &a 1"), "anchors"));
  EXPECT_TRUE(has(with("seed: *a"), "aliases"));
  EXPECT_TRUE(has(with("seed: &a 1\nn_test: *a"), "aliases"));
  EXPECT_TRUE(has(with("seed: !!int 1"), "tags"));
  EXPECT_TRUE(has(with("steer: !x {}"), "tags"));
  EXPECT_TRUE(has(with("<<: {seed: 1}"), "is not a key"));
  EXPECT_TRUE(has(with("? [a]\n: 1"), "where a key is expected"));
  EXPECT_TRUE(has(with("---\nseed: 2"), "a second document"));
  EXPECT_TRUE(has(problems_of("%YAML 1.1\n---\nsonder: 1\n"), "directives"));
}

TEST(Plan, BytesThatAreNoPlanAreRefusedWithTheirPlace) {
  EXPECT_TRUE(has(problems_of(""), "the file is empty"));
  EXPECT_TRUE(has(problems_of("\n \n"), "the file is empty"));
  EXPECT_TRUE(has(problems_of("# only a comment\n"), "found nothing"));
  EXPECT_TRUE(has(problems_of("hello"), "expected a group of keys, found text"));
  EXPECT_TRUE(has(problems_of("- sonder: 1"), "expected a group of keys, found a list"));
  EXPECT_TRUE(has(problems_of("name: x"), "the key 'sonder' is missing from the plan"));
  EXPECT_TRUE(has(problems_of("sonder: 2\nnew_key: 1"), "has format 2, and this program reads format 1"));
  EXPECT_TRUE(has(with("steer:\n\tdoses: [1]"), "plan.yaml:3:1: a tab in the indentation"));
  EXPECT_TRUE(has(with("name: \"\xFF\""), "plan.yaml:2:8: not valid UTF-8 at byte 17"));
  EXPECT_TRUE(has(with("name: \"\xED\xA0\x80\""), "not valid UTF-8"));
  EXPECT_TRUE(has(with(std::string("name: \"a\0b\"", 11)), "plan.yaml:2:9: a NUL byte"));
  EXPECT_TRUE(has(with("name: \"a\x01\""), "a control character"));
  EXPECT_TRUE(has(with("name: a\rseed: 2"), "a carriage return alone"));
  EXPECT_TRUE(has(problems_of(std::string("\xFF\xFEs\0o\0", 6)), "found UTF-16"));
  EXPECT_TRUE(has(problems_of(std::string((1 << 20) + 1, ' ')), "larger than 1 MB"));
  EXPECT_THROW(read_plan("/does/not/exist.yaml"), BadInput);
  EXPECT_THROW(read_plan("/"), BadInput);
}

TEST(Plan, AMarkAndWindowsLinesAreRead) {
  EXPECT_EQ(parse_plan("\xEF\xBB\xBFsonder: 1\r\nname: \"a\"\r\nseed: 3\r\n", "p").seed, 3U);
  EXPECT_TRUE(has(problems_of("\xEF\xBB\xBFsonder: 1\r\nsead: 3\r\n"), "plan.yaml:2:1: 'sead'"));
}

TEST(Plan, TextsKeepEveryCharacter) {
  const Plan plan = parse_plan(
      "sonder: 1\nname: \"\xE2\x80\xA8 \xF0\x9F\x99\x82 \\u00e9\"\nsystem: |\n  one\n  two\n", "p");
  EXPECT_EQ(plan.name, "\xE2\x80\xA8 \xF0\x9F\x99\x82 \xC3\xA9");
  EXPECT_EQ(plan.system, "one\ntwo\n");
}

TEST(Plan, BrokenYamlIsExplained) {
  EXPECT_TRUE(has(with("name: a: b"), "plan.yaml:2:8: a colon cannot stand here"));
  EXPECT_TRUE(has(with("name: \"abc"), "a quote is not closed"));
  EXPECT_TRUE(has(with("facets: [affective"), "is not closed"));
  EXPECT_TRUE(has(with("name \"x\""), "plan.yaml:2:1: expected a key, a colon, a space and a value"));
  EXPECT_TRUE(has(with("seed:3"), "expected a key, a colon, a space and a value"));
  EXPECT_TRUE(has(with("name: 'abc\nseed: 1"), "a quote is not closed"));
  EXPECT_TRUE(has(problems_of("sonder: 1\nname: \"abc"), "a quote is not closed"));
  EXPECT_TRUE(has(with("    seed: 3"), "plan.yaml:2"));
}

// Each takes 1 MB or as much as is needed to go deep; none may take long, use the stack up, or crash.
TEST(Plan, HostileFilesAreRefusedQuickly) {
  const auto repeat = [](const std::string& part, std::size_t bytes) {
    std::string text;
    while (text.size() + part.size() < bytes) text += part;
    return text;
  };
  constexpr std::size_t kBytes = 20000;  // enough that a quadratic parser shows in the time
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& text :
       {repeat("[", kBytes),         repeat("{", kBytes),
        repeat("- ", kBytes),        repeat("? ", kBytes),
        repeat("{a: ", kBytes),      repeat("[[]", kBytes),
        repeat("&a ", kBytes),       repeat("!", kBytes),
        repeat("'", kBytes),         repeat("\"\\", kBytes),
        repeat("a: 1\n", kBytes),    repeat("---\n", kBytes),
        repeat("\r\n", kBytes),      repeat("#", kBytes),
        repeat("a\n\n", kBytes),     repeat(": ", kBytes),
        repeat("a:\n a:\n", kBytes), repeat("|\n", kBytes),
        repeat(", ", kBytes),        "sonder: 1\nname: " + repeat("x y\n ", kBytes)}) {
    std::ignore = problems_of(text);
    std::ignore = problems_of("sonder: 1\nx: " + text);
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(taken.count(), 30.0);  // under sanitizers on a busy machine; it takes under a second
}

TEST(Plan, NoMessageRepeatsWhatAPersonWrote) {
  const std::string secret = "MARKER my sister never called me back";
  for (const std::string& line :
       {"steer: {unit: \"" + secret + "\"}", "\"" + secret + "\": 1", "n_test: \"" + secret + "\"",
        "instruments: [\"" + secret + "\"]", "instruments: [{name: \"" + secret + "\"}]",
        "system: " + secret + ": x", "system: \"" + secret + "\\q\"", "seed: *" + secret, "seed: !" + secret,
        "facets: " + secret, "seed: [" + secret}) {
    const std::string found = with(line);
    EXPECT_NE(found, "") << line;
    EXPECT_FALSE(has(found, "MARKER")) << found;
    EXPECT_FALSE(has(found, "sister")) << found;
  }
}

TEST(Plan, DamagedPlansEndInAProblemAndNeverInACrash) {
  const std::string good = text_of(root("examples/quick.yaml"));
  Stream random{Seed(7)};
  const std::string alphabet = "[]{}:,#&*!|>'\"%@`-? \n\t0a~\\\xC3\xA9\xFF";
  for (int i = 0; i < 400; ++i) {
    std::string text = good;
    for (std::uint64_t n = 1 + random.below(4); n > 0; --n) {
      const std::size_t at = random.below(text.size());
      const char letter = alphabet[random.below(alphabet.size())];
      if (random.coin()) {
        text[at] = letter;
      } else if (random.coin()) {
        text.insert(at, 1, letter);
      } else {
        text.erase(at, 1 + random.below(8));
      }
    }
    std::ignore = problems_of(text);  // any other exception than BadInput fails the test
  }
}

TEST(PlanDifferences, NameEachKeyThatChangedWithBothValues) {
  Plan before;
  Plan after = before;
  after.steer.doses = {2, 4};
  after.instruments[2].model = "other.gguf";
  after.instruments.pop_back();
  after.system = std::string(500, 's');
  const auto lines = plan_differences(to_json(before), to_json(after));
  EXPECT_EQ(lines,
            (std::vector<std::string>{"instruments[2].model: \"smollm2-135m\" → \"other.gguf\"",
                                      "instruments[3]: \"length\" → absent", "steer.doses: [2,4,6] → [2,4]",
                                      "system: \"\" → a text of 500 bytes"}));
  EXPECT_TRUE(plan_differences(to_json(before), to_json(before)).empty());
  EXPECT_THROW(plan_differences("{", "{}"), Error);
}

}  // namespace
}  // namespace sonder::store
