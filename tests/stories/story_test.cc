// Runs every *.story of this folder. See README.md for the format.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "base/hash.h"
#include "planted.h"
#include "store/ledger.h"
#include "store/plan.h"
#include "study/steering.h"

namespace sonder::stories {
namespace {

using nlohmann::json;

struct Story {
  std::string file, name, bank = "warm";
  std::vector<std::string> instruments, plan, expect;
};

Story read_story(const std::filesystem::path& path) {
  Story story;
  story.file = path.stem().string();
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    const auto space = line.find(' ');
    const std::string key = line.substr(0, space);
    const std::string rest = line.substr(std::min(line.find_first_not_of(' ', space), line.size()));
    if (key == "#") {
      if (rest.starts_with("name: ")) story.name = rest.substr(6);
    } else if (key == "bank") {
      story.bank = rest;
    } else if (key == "plan") {
      story.plan.push_back(rest);
    } else if (key == "expect") {
      story.expect.push_back(rest);
    } else if (key == "instruments") {
      std::istringstream names(rest);
      for (std::string name; std::getline(names, name, ',');) {
        name.erase(0, name.find_first_not_of(' '));
        story.instruments.push_back(name);
      }
    } else {
      ADD_FAILURE() << path << ": a line begins with '" << key
                    << "'; expected bank, instruments, plan or expect";
    }
  }
  return story;
}

store::Plan plan_of(const Story& story) {
  std::string yaml =
      "sonder: 1\nprotocol: steering\nname: story\nseed: 5\nfacets: [affective]\n"
      "detect: {permutations: 199, random_directions: 100, folds: 4}\n"
      "generate: {n_tokens: 16, temperature: 1, batch: 24}\n"
      "gates: {kl: 5, fluency: 20, kl_prompts: 4, degeneration: 0.5}\n";
  bool steer = false;
  for (const std::string& line : story.plan) {
    yaml += line + "\n";
    steer = steer || line.starts_with("steer:");
  }
  if (!steer)
    yaml +=
        "steer: {layer: 1, doses: [1, 2], negative: [-2], prompt_affective: warm care hug heart, "
        "placebos: {isotropic: 2, variance: 1, shuffled: 1, formality: 1}, random_ablations: 1}\n";
  store::Plan plan = store::parse_plan(yaml, story.file);
  if (steer) plan.steer.prompt_affective = "warm care hug heart";
  return plan;
}

// Enters "detection.affective.p" or "effects[arm=base;instrument=echo].lo95".
json at(const json& whole, const std::string& path) {
  json here = whole;
  std::string rest = path;
  while (!rest.empty()) {
    std::size_t end = 0;
    int depth = 0;
    while (end < rest.size() && (depth > 0 || rest[end] != '.')) {
      depth += rest[end] == '[' ? 1 : rest[end] == ']' ? -1 : 0;
      ++end;
    }
    std::string step = rest.substr(0, end);
    rest = end < rest.size() ? rest.substr(end + 1) : "";
    std::string filter;
    if (const auto open = step.find('['); open != std::string::npos) {
      filter = step.substr(open + 1, step.size() - open - 2);
      step = step.substr(0, open);
    }
    here = here.at(step);
    if (filter.empty()) continue;
    json found;
    for (const json& one : here) {
      bool all = true;
      std::istringstream pairs(filter);
      for (std::string pair; std::getline(pairs, pair, ';');) {
        const auto equals = pair.find('=');
        all = all && one.at(pair.substr(0, equals)) == pair.substr(equals + 1);
      }
      if (all) found = one;
    }
    if (found.is_null()) throw Error(ErrorKind::bad_input, "nothing fits [" + filter + "]");
    here = found;
  }
  return here;
}

void check(const json& findings, const std::string& line) {
  static const std::regex form(R"(^(.+?)\s+(=|!=|>=|<=|>|<|contains)\s+(.+)$)");
  std::smatch m;
  ASSERT_TRUE(std::regex_match(line, m, form)) << line;
  const json value = at(findings, m[1]);
  const std::string op = m[2];
  const std::string wanted = m[3];
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  bool holds = false;
  if (op == "=") {
    holds = text == wanted;
  } else if (op == "!=") {
    holds = text != wanted;
  } else if (op == "contains") {
    std::istringstream words(wanted);
    for (std::string word; std::getline(words, word, '|');) holds = holds || text == word;
  } else if (value.is_number()) {
    const double x = value.get<double>();
    const double y = std::stod(wanted);
    holds = op == ">=" ? x >= y : op == "<=" ? x <= y : op == ">" ? x > y : x < y;
  }
  EXPECT_TRUE(holds) << "expected " << line << ", found " << text;
}

class Stories : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Stories, Holds) {
  const Story story = read_story(GetParam());
  ASSERT_FALSE(story.expect.empty()) << "a story that expects nothing cannot fail";
  SCOPED_TRACE(story.name);
  const std::string folder = testing::TempDir();
  const std::string model_path = folder + "sonder_story_" + story.file + ".gguf";
  const std::string run_path = folder + "sonder_story_" + story.file + ".sonder";
  std::filesystem::remove(run_path);
  write_tiny_model(model_path, planted_options());
  const auto inner = model::Model::load(model_path, {.n_threads = 1, .n_slots = 24});
  const auto subject = obedient(*inner, planted_options());

  const store::Plan plan = plan_of(story);
  const store::Bank bank = planted_bank(story.bank == "shuffled");
  std::vector<std::unique_ptr<instrument::Instrument>> instruments;
  std::vector<study::Bench> bench;
  for (std::string name : story.instruments) {
    store::InstrumentPlan wanted;
    if (const auto always = name.find(" always"); always != std::string::npos) {
      name.erase(always);
      wanted.when = "always";
    }
    wanted.name = name;
    instruments.push_back(planted_instrument(name));
    bench.push_back({wanted, instruments.back().get()});
  }
  const auto ledger = store::Ledger::open(run_path);
  const std::string plan_json = store::to_json(plan);
  const store::RunId id = ledger->open_run({plan_json, sha256(plan_json), "{}", "2026-01-01T00:00:00Z"});
  const Cancel cancel;
  study::Lab lab{plan, bank, *subject, bench, *ledger, id, {}, cancel, [] { return 0.0; }, {}};
  const study::Findings findings = study::run_steering(lab, {});
  const json whole = json::parse(study::as_json(findings));
  std::ofstream(folder + "sonder_story_" + story.file + ".json")
      << whole.dump(1);  // to look at when it fails
  for (const std::string& line : story.expect) check(whole, line);
}

std::vector<std::filesystem::path> all_stories() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(SONDER_ROOT "/tests/stories"))
    if (entry.path().extension() == ".story") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

INSTANTIATE_TEST_SUITE_P(All, Stories, testing::ValuesIn(all_stories()),
                         [](const auto& one) { return one.param.stem().string(); });

}  // namespace
}  // namespace sonder::stories
