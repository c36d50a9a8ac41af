#include "store/resume.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "store/detail/words.h"
#include "store/plan.h"

namespace sonder::store {
namespace {

using nlohmann::json;

struct Kept {
  const char* key;   // in the provenance
  const char* name;  // in a sentence
  bool is_hash;      // of an input; the others are the program
};
constexpr Kept kKept[] = {{"sonder", "Sonder", false},
                          {"llama.cpp", "llama.cpp", false},
                          {"model", "the model with sha256", true},
                          {"bank", "the bank with sha256", true}};

std::string value_of(const json& provenance, const char* key) {
  if (!provenance.is_object() || !provenance.contains(key) || !provenance[key].is_string()) return "";
  return provenance[key].get<std::string>();
}

std::string shown(const Kept& kept, const std::string& value) {
  if (value.empty()) return std::string(kept.name) + " (not noted)";
  return std::string(kept.name) + " " + (kept.is_hash ? value.substr(0, 12) : value);
}

std::string plan_change(const RunHeader& before, const RunHeader& now) {
  constexpr std::size_t kShown = 5;
  const std::vector<std::string> lines = plan_differences(before.plan, now.plan);
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), kShown); ++i) text += (i > 0 ? "; " : "") + lines[i];
  if (lines.size() > kShown) text += "; and " + std::to_string(lines.size() - kShown) + " more";
  return text;
}

struct Difference {
  std::vector<std::string> then, now;
};

// What both note differently; of the program alone or of everything.
Difference difference(const RunHeader& before, const RunHeader& now, bool program_alone) {
  const json old_parts = json::parse(before.provenance, nullptr, false);
  const json new_parts = json::parse(now.provenance, nullptr, false);
  Difference found;
  for (const Kept& kept : kKept) {
    if (program_alone && kept.is_hash) continue;
    const std::string value = value_of(new_parts, kept.key);
    if (value.empty() || value == value_of(old_parts, kept.key)) continue;
    found.then.push_back(shown(kept, value_of(old_parts, kept.key)));
    found.now.push_back(shown(kept, value));
  }
  return found;
}

}  // namespace

void require_same_run(const std::string& path, const RunHeader& before, const RunHeader& now) {
  if (before.plan_hash != now.plan_hash)
    throw Error(ErrorKind::bad_input,
                path + " holds the run of another plan (" + plan_change(before, now) +
                    "); choose another file with -o, with `--fork " + path +
                    "` to take over every cell that is still valid, or go back to the plan of this run");
  const Difference found = difference(before, now, false);
  require(found.then.empty(),
          path + " was begun with " + detail::joined(found.then, "and") + ", and this is " +
              detail::joined(found.now, "and") +
              "; one run does not mix them: start a new run with another -o (`sonder report " + path +
              "` still shows it if it is finished)");
}

void require_same_program(const std::string& path, const RunHeader& before, const RunHeader& now) {
  const Difference found = difference(before, now, true);
  require(found.then.empty(), path + " was made with " + detail::joined(found.then, "and") +
                                  ", and this is " + detail::joined(found.now, "and") +
                                  "; its cells are not taken over: run without --fork");
}

}  // namespace sonder::store
