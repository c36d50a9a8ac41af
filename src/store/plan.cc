#include "store/plan.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/address.h"
#include "store/detail/plan_form.h"
#include "store/detail/words.h"

namespace sonder::store {
namespace {

using detail::Field;
using detail::FormReader;
using detail::Node;

constexpr std::size_t kLargest = 1U << 20U;  // a plan of 1 MB is not a plan

// An address that can be asked, and keys that belong to one.
void check_endpoint(const InstrumentPlan& one, const std::string& path, FormReader& reader) {
  if (one.endpoint.empty()) {
    InstrumentPlan local = one;
    local.key_env.clear();
    local.remote = false;
    local.samples = InstrumentPlan{}.samples;
    local.concurrency = InstrumentPlan{}.concurrency;
    local.timeout = InstrumentPlan{}.timeout;
    local.token_budget = 0;
    if (!(local == one))
      reader.report(path,
                    "key_env, remote, samples, concurrency, timeout and token_budget belong to a judge with "
                    "an endpoint; remove them, or name one");
    return;
  }
  if (one.name != "judge") {
    reader.report(path + ".endpoint", "expected nothing, because only a judge is asked; remove the key");
    return;
  }
  const Measured<Address> address = read_address(one.endpoint);
  if (!address)
    reader.report(path + ".endpoint", address.reason());
  else if (!address->loopback && !one.remote)
    reader.report(
        path + ".endpoint",
        "names another machine, to which people's texts would go; say `remote: true` beside it if they may");
  else if (!address->loopback && !address->secure)
    reader.report(path + ".endpoint",
                  "expected https for another machine, found http, which anyone on the way can read");
}

void check_instruments(const Plan& plan, FormReader& reader) {
  for (std::size_t i = 0; i < plan.instruments.size(); ++i) {
    const InstrumentPlan& one = plan.instruments[i];
    const std::string path = "instruments[" + std::to_string(i) + "]";
    const bool uses_model = one.name == "embedding" || one.name == "judge";
    if (uses_model && one.model.empty())
      reader.report(path + ".model", "expected the model of the " + one.name +
                                         ": a known name or the path of a GGUF "
                                         "file, found nothing");
    if (!uses_model && !one.name.empty() && !one.model.empty())
      reader.report(path + ".model",
                    "expected nothing, because " + one.name + " uses no model; remove the key");
    if (one.name != "judge" && !one.name.empty() && one.form != InstrumentPlan{}.form)
      reader.report(path + ".form", "expected nothing, because only a judge is asked; remove the key");
    check_endpoint(one, path, reader);
    for (std::size_t j = 0; j < i; ++j) {
      const InstrumentPlan& other = plan.instruments[j];
      if (!one.name.empty() && one.name == other.name && one.model == other.model && one.form == other.form &&
          one.endpoint == other.endpoint)
        reader.report(path,
                      "the same instrument as instruments[" + std::to_string(j) + "]; remove one of them");
    }
  }
}

// How many scenarios a share of `threshold` needs so that an instrument which puts all of them in the right
// order can show it: the exact lower bound is then .05^(1/n). Source: stats::concordance, methods.md 4.5.
int scenarios_for(double threshold) {
  return static_cast<int>(std::min(1e9, std::ceil(std::log(0.05) / std::log(threshold) - 1e-9)));
}

void check_scenarios(const Plan& plan, FormReader& reader) {
  constexpr int kLeastTest = 6;  // below, the study itself refuses
  const bool anchor = plan.gates.anchor_concordance >= plan.gates.within_concordance;
  const double threshold = anchor ? plan.gates.anchor_concordance : plan.gates.within_concordance;
  const int needed = scenarios_for(threshold);
  const auto limit = [&](const std::string& path, int n) {
    if (n <= 0 || n >= needed) return;
    const double bound = std::floor(100 * std::pow(0.05, 1.0 / n)) / 100;
    reader.report(path, "expected 0 (all) or at least " + std::to_string(needed) + ", found " +
                            std::to_string(n) + ": an instrument that puts all " + std::to_string(n) +
                            " in the right order shows a share of at least " + detail::number_text(bound) +
                            ", and gates." + (anchor ? "anchor" : "within") + "_concordance asks for " +
                            detail::number_text(threshold) + "; use more scenarios, or lower that gate");
  };
  bool any = false;
  for (std::size_t i = 0; i < plan.instruments.size(); ++i) {
    const InstrumentPlan& one = plan.instruments[i];
    if (one.name == "length") continue;  // a control, never certified
    any = true;
    limit("instruments[" + std::to_string(i) + "].scenarios", one.scenarios);
  }
  if (any && plan.n_test < needed) return limit("n_test", plan.n_test);
  if (plan.n_test > 0 && plan.n_test < kLeastTest)
    reader.report("n_test", "expected 0 (all) or at least " + std::to_string(kLeastTest) + ", found " +
                                std::to_string(plan.n_test));
}

// Rules that join two keys: each would make a study that cannot give the answer it asks for.
void check_together(const Plan& plan, FormReader& reader) {
  const SteerPlan& steer = plan.steer;
  if (steer.dose && std::find(steer.doses.begin(), steer.doses.end(), *steer.dose) == steer.doses.end())
    reader.report("steer.dose", "expected one of steer.doses, found " + detail::number_text(*steer.dose));
  const std::vector<int>& layers = plan.detect.layers;
  if (steer.layer && !layers.empty() && std::find(layers.begin(), layers.end(), *steer.layer) == layers.end())
    reader.report("steer.layer", "expected one of detect.layers, found " + std::to_string(*steer.layer) +
                                     "; a direction is fitted where the texts were read");
  if (!layers.empty() && steer.ablate)
    reader.report("steer.ablate",
                  "expected false where detect.layers names some: ablation works at every layer");
  if (steer.placebos.total() == 0)
    reader.report("steer.placebos",
                  "expected at least one placebo; without it any push of that size could be the cause");
  const double least_p = 1.0 / (plan.detect.permutations + 1);
  if (least_p > plan.verdict.detect_p)
    reader.report("detect.permutations", "expected at least " +
                                             detail::number_text(std::ceil(1.0 / plan.verdict.detect_p) - 1) +
                                             ", because with " + std::to_string(plan.detect.permutations) +
                                             " no p can be as small as verdict.detect_p");
  if (plan.verdict.tau <= plan.verdict.delta)
    reader.report("verdict.tau",
                  "expected more than verdict.delta, found " + detail::number_text(plan.verdict.tau));
  check_scenarios(plan, reader);
  check_instruments(plan, reader);
}

// `together`: also the rules that join keys. A stored plan was run, and stays readable when such a rule is
// new.
Plan plan_of(const Node& node, const std::string& file, std::vector<Problem>& problems, bool together) {
  Plan plan;
  int format = detail::kPlanFormat;
  FormReader reader(file, "the plan", problems);
  const std::vector<Field> table = detail::fields(plan, format);
  const Node* version = node.find("sonder");
  if (version != nullptr && version->kind == Node::Kind::whole && version->text.size() < 9 &&
      std::stoi(version->text) > detail::kPlanFormat) {
    problems.push_back({file, version->place.line, version->place.column,
                        "the plan has format " + version->text + ", and this program reads format " +
                            std::to_string(detail::kPlanFormat) + "; a newer Sonder is needed"});
    return plan;
  }
  const std::size_t before = problems.size();
  reader.read(node, table);
  if (together && problems.size() == before) check_together(plan, reader);
  return plan;
}

[[noreturn]] void refuse(const std::string& file, const std::string& message, int line = 0, int column = 0) {
  throw BadInput({{file, line, column, message}});
}

struct LineColumn {
  int line = 1;
  int column = 1;
};
LineColumn place_at(const std::string& text, std::size_t offset) {
  const auto begin = text.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(offset);
  const auto lines = std::count(begin, end, '\n');
  const std::size_t last = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  const std::size_t start = last == std::string::npos ? 0 : last + 1;
  return {static_cast<int>(lines) + 1, static_cast<int>(offset - start) + 1};
}

// The text as yaml-cpp may see it: UTF-8 without a byte order mark, lines that end with \n.
std::string cleaned(const std::string& yaml, const std::string& file) {
  if (yaml.size() > kLargest) refuse(file, "larger than 1 MB; a plan has a few kilobytes");
  if (yaml.rfind("\xFF\xFE", 0) == 0 || yaml.rfind("\xFE\xFF", 0) == 0)
    refuse(file, "expected UTF-8, found UTF-16; save the file as UTF-8", 1, 1);
  if (const auto bad = detail::find_invalid_utf8(yaml)) {
    const LineColumn at = place_at(yaml, *bad);
    refuse(file, "not valid UTF-8 at byte " + std::to_string(*bad), at.line, at.column);
  }
  std::string text;
  text.reserve(yaml.size());
  for (std::size_t i = yaml.starts_with("\xEF\xBB\xBF") ? 3 : 0; i < yaml.size(); ++i) {
    if (yaml[i] != '\r' || i + 1 == yaml.size() || yaml[i + 1] != '\n') text += yaml[i];
  }
  const std::size_t carriage = text.find('\r');
  const auto control = carriage != std::string::npos ? carriage : detail::find_control(text);
  if (control) {
    const LineColumn at = place_at(text, *control);
    const char c = text[*control];
    refuse(file,
           c == '\0'   ? "a NUL byte; a plan is text"
           : c == '\r' ? "a carriage return alone does not end a line; save the file with \\n or \\r\\n"
                       : "a control character; a plan is text",
           at.line, at.column);
  }
  if (text.find_first_not_of(" \t\n") == std::string::npos)
    refuse(file, "the file is empty; `sonder init steering` prints a plan to start from");
  return text;
}

std::string shown(const nlohmann::json& value) {
  constexpr std::size_t kMost = 60;
  if (value.is_string() && value.get_ref<const std::string&>().size() > kMost)
    return "a text of " + std::to_string(value.get_ref<const std::string&>().size()) + " bytes";
  if (value.is_object() && value.contains("name") && value["name"].is_string()) return shown(value["name"]);
  std::string text = value.dump();
  if (text.size() <= kMost) return text;
  return value.is_array() ? "a list of " + std::to_string(value.size())
                          : "a group of " + std::to_string(value.size());
}

void compare(const std::string& path, const nlohmann::json* before, const nlohmann::json* after,
             std::vector<std::string>& lines) {
  if (before != nullptr && after != nullptr && *before == *after) return;
  const auto both = [&](auto kind) {
    return before != nullptr && after != nullptr && kind(*before) && kind(*after);
  };
  if (both([](const auto& value) { return value.is_object(); })) {
    for (const auto& [key, value] : before->items()) {
      const auto other = after->find(key);
      compare(detail::join_path(path, key), &value, other == after->end() ? nullptr : &*other, lines);
    }
    for (const auto& [key, value] : after->items()) {
      if (!before->contains(key)) compare(detail::join_path(path, key), nullptr, &value, lines);
    }
  } else if (both([](const auto& value) {
               return value.is_array() && !value.empty() && value[0].is_object();
             })) {
    for (std::size_t i = 0; i < std::max(before->size(), after->size()); ++i)
      compare(path + "[" + std::to_string(i) + "]", i < before->size() ? &(*before)[i] : nullptr,
              i < after->size() ? &(*after)[i] : nullptr, lines);
  } else {
    lines.push_back(path + ": " + (before == nullptr ? "absent" : shown(*before)) + " → " +
                    (after == nullptr ? "absent" : shown(*after)));
  }
}

}  // namespace

Plan parse_plan(const std::string& yaml, const std::string& file_name) {
  std::vector<Problem> problems;
  Plan plan;
  if (const auto node = detail::parse_yaml(cleaned(yaml, file_name), file_name, problems))
    plan = plan_of(*node, file_name, problems, true);
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  if (!problems.empty()) throw BadInput(std::move(problems));
  return plan;
}

Plan read_plan(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) refuse(path, "there is no such file");
  if (std::filesystem::is_directory(status)) refuse(path, "expected a plan, found a folder");
  std::ifstream in(path, std::ios::binary);
  std::string text(kLargest + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (!in.eof() && in.fail())) refuse(path, "the file cannot be read");
  text.resize(static_cast<std::size_t>(in.gcount()));
  return parse_plan(text, path);
}

std::string to_json(const Plan& plan) {
  Plan copy = plan;  // a table points into the object it describes, and may write there
  int format = detail::kPlanFormat;
  return detail::form_json(detail::fields(copy, format));
}

Plan plan_from_json(const std::string& json) {
  std::vector<Problem> problems;
  Plan plan;
  if (const auto node = detail::parse_json(json, "stored plan", 0, problems))
    plan = plan_of(*node, "stored plan", problems, false);
  if (!problems.empty()) throw BadInput(std::move(problems));
  return plan;
}

std::string plan_schema() {
  Plan plan;
  int format = detail::kPlanFormat;
  return detail::form_schema(detail::fields(plan, format), "urn:sonder:plan:" + std::to_string(format),
                             "Plan of a Sonder study");
}

std::string commented_plan(const std::string& protocol) {
  Plan plan;
  require(protocol == plan.protocol,
          "expected a protocol that has a plan (steering), found " + detail::in_quotes(protocol));
  int format = detail::kPlanFormat;
  return "# A plan: everything that decides the result, written down before anything is known.\n"
         "# Each key stands here with its default; what you remove keeps it. Check with `sonder "
         "validate`.\n\n" +
         detail::form_yaml(detail::fields(plan, format));
}

std::vector<std::string> plan_differences(const std::string& before, const std::string& after) {
  using nlohmann::json;
  const json a = json::parse(before, nullptr, false);
  const json b = json::parse(after, nullptr, false);
  require(!a.is_discarded() && !b.is_discarded(), "a plan to compare is not JSON");
  std::vector<std::string> lines;
  compare("", &a, &b, lines);
  return lines;
}

}  // namespace sonder::store
