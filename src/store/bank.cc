#include "store/bank.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "base/hash.h"
#include "store/bank_checks.h"
#include "store/detail/form.h"
#include "store/detail/lines.h"
#include "store/detail/words.h"

namespace sonder::store {
namespace {

using detail::Field;
using detail::FormReader;
using detail::Group;
using detail::LineReader;
using detail::Node;
using detail::Rule;

constexpr std::size_t kLongestLine = 1U << 20U;
constexpr std::uint64_t kLargestFile = 256U << 20U;
constexpr std::size_t kMostProblems =
    1000;  // of one file: a wrong file can have one in each of a million lines
constexpr std::size_t kLevels = 4;
const std::vector<std::string> kFacets = {"affective", "cognitive"};

using OnLine = std::function<void(const Node&, FormReader&, int line)>;

// Calls `on_line` for each line that is a JSON object.
void read_lines(std::istream& in, const std::string& file, std::vector<Problem>& problems,
                const OnLine& on_line) {
  LineReader lines(in, kLongestLine);
  const std::size_t before = problems.size();
  while (lines.next()) {
    const auto add = [&](std::size_t column, const std::string& message) {
      problems.push_back({file, lines.number(), static_cast<int>(column), message});
    };
    if (problems.size() - before > kMostProblems)
      return add(0, "too many problems; the rest of the file was not read");
    if (lines.read() > kLargestFile) return add(0, "the file is larger than 256 MB; the rest was not read");
    const std::string& line = lines.line();
    if (lines.too_long()) {
      add(0, "the line is longer than 1 MB; a scenario has a few kilobytes");
    } else if (const auto bad = detail::find_invalid_utf8(line)) {
      add(*bad + 1, "not valid UTF-8 at byte " + std::to_string(lines.offset() + *bad) + " of the file");
    } else if (const auto control = detail::find_control(line)) {
      add(*control + 1, line[*control] == '\0' ? "a NUL byte; the file is text"
                                               : "a control character; write it as \\u00XX");
    } else if (line.find_first_not_of(" \t\r") == std::string::npos) {
      add(0, "an empty line; each line holds one value");
    } else if (const auto node = detail::parse_json(line, file, lines.number(), problems)) {
      FormReader reader(file, "the line", problems);
      on_line(*node, reader, lines.number());
    }
  }
  if (lines.failed()) problems.push_back({file, 0, 0, "reading failed before the end of the file"});
  if (lines.number() == 0) problems.push_back({file, 0, 0, "the file is empty"});
}

// A scenario on its way in: the table needs a fixed place for each key.
struct Draft {
  Scenario scenario;
  std::string split;
  std::map<std::string, FacetTexts> facets = {{"affective", {}}, {"cognitive", {}}};
  std::map<std::string, std::string> rephrase_of_emp = {{"affective", ""}, {"cognitive", ""}};
};

std::vector<Field> fields(Draft& d) {
  const Rule text = {.filled = true, .required = true};
  Group facets;
  Group rephrases;
  for (const std::string& facet : kFacets) {
    FacetTexts& texts = d.facets.at(facet);
    facets.fields.push_back({facet,
                             Group{{{"emp", &texts.emp, "the fully empathic reply", text},
                                    {"ladder",
                                     &texts.ladder,
                                     "graded supportive replies, low to high",
                                     {.distinct = true, .filled = true}}}},
                             "the replies of this facet"});
    rephrases.fields.push_back({facet, &d.rephrase_of_emp.at(facet), "the empathic reply in other words"});
  }
  Scenario& s = d.scenario;
  return {
      {"id", &s.id, "a unique name", text},
      {"family", &s.family, "scenarios of one family never cross splits", text},
      {"split", &d.split, "what it is used for", {.choices = {"fit", "dev", "test"}, .required = true}},
      {"area", &s.area, "life area", text},
      {"message", &s.message, "what the person wrote", text},
      {"neu", &s.neu, "the neutral reply", text},
      {"facets", std::move(facets), "replies by facet", {.required = true}},
      {"rephrase_of_neu", &s.rephrase_of_neu, "the neutral reply in other words"},
      {"rephrase_of_emp", std::move(rephrases), "the empathic replies in other words, by facet"},
      {"pad", &s.pad, "the neutral reply, lengthened without content"},
      {"formal", &s.formal, "the neutral reply in a formal register"},
  };
}

bool good_id(const std::string& id) { return detail::in_quotes(id)[0] == '\''; }

// What a scenario must have, and must not have, because of its split.
void check_split(const Scenario& s, FormReader& reader) {
  const bool fit = s.split == Split::fit;
  const std::string split = fit ? "a fit scenario" : "a dev or test scenario";
  const auto text = [&](const std::string& path, const std::string& value, bool wanted) {
    if (wanted && value.empty()) reader.report(path, "expected text in " + split + ", found nothing");
    if (!wanted && !value.empty())
      reader.report(path, "expected nothing in " + split + ", found text; it would not be used");
  };
  text("rephrase_of_neu", s.rephrase_of_neu, !fit);
  text("pad", s.pad, !fit);
  text("formal", s.formal, fit);
  for (const auto& [facet, texts] : s.facets) {
    const std::size_t wanted = fit ? 0 : kLevels;
    if (texts.ladder.size() != wanted)
      reader.report("facets." + facet + ".ladder", "expected " + std::to_string(wanted) + " levels in " +
                                                       split + ", found " +
                                                       std::to_string(texts.ladder.size()));
    text("rephrase_of_emp." + facet, s.rephrase_of_emp.at(facet), !fit);
  }
}

class ScenarioReader {
 public:
  explicit ScenarioReader(std::vector<Problem>& problems) : problems_(problems) {}

  void operator()(const Node& node, FormReader& reader, int line) {
    Draft draft;
    const std::size_t before = problems_.size();
    reader.read(node, fields(draft));
    Scenario& s = draft.scenario;
    for (const std::string& facet : kFacets) {
      if (!reader.places().contains("facets." + facet)) continue;
      s.facets[facet] = std::move(draft.facets.at(facet));
      s.rephrase_of_emp[facet] = std::move(draft.rephrase_of_emp.at(facet));
    }
    s.split = draft.split == "fit" ? Split::fit : draft.split == "dev" ? Split::dev : Split::test;
    if (problems_.size() == before) check_split(s, reader);
    check_others(s, draft.split, reader, line);
    scenarios_.push_back(std::move(s));
  }
  std::vector<Scenario> take() { return std::move(scenarios_); }

 private:
  void check_others(const Scenario& s, const std::string& split, FormReader& reader, int line) {
    if (!s.id.empty() && !good_id(s.id))
      reader.report(
          "id", "expected at most 40 letters, digits, '.', '-' and '_', found " + detail::in_quotes(s.id));
    const auto [id, new_id] = ids_.emplace(s.id, line);
    if (!s.id.empty() && !new_id)
      reader.report("id",
                    detail::in_quotes(s.id) + " is already the id on line " + std::to_string(id->second));
    const auto [family, new_family] = families_.emplace(s.family, std::pair(split, line));
    if (!s.family.empty() && !split.empty() && !new_family && family->second.first != split)
      reader.report("family", detail::in_quotes(s.family) + " is a family of the " + family->second.first +
                                  " split (line " + std::to_string(family->second.second) +
                                  "); scenarios of one family never cross splits");
    std::vector<std::string> facets;
    facets.reserve(s.facets.size());
    for (const auto& [facet, texts] : s.facets) facets.push_back(facet);
    if (facets.empty() && reader.places().contains("facets"))
      reader.report("facets", "expected at least one facet, found none");
    if (facets_.empty()) facets_ = facets;
    if (!facets.empty() && facets != facets_)
      reader.report("facets", "expected the same facets as on the first line (" +
                                  detail::joined(facets_, "and") + "), found " +
                                  detail::joined(facets, "and"));
  }

  std::vector<Problem>& problems_;
  std::vector<Scenario> scenarios_;
  std::map<std::string, int> ids_;
  std::map<std::string, std::pair<std::string, int>> families_;
  std::vector<std::string> facets_;
};

void read_texts(std::istream& in, const std::string& file, std::vector<Problem>& problems,
                std::vector<std::string>& texts) {
  read_lines(in, file, problems, [&](const Node& node, FormReader& reader, int /*line*/) {
    std::string text;
    reader.read(node, std::vector<Field>{{"text", &text, "a text", {.filled = true, .required = true}}});
    texts.push_back(std::move(text));
  });
}

void read_rubrics(std::istream& in, const std::string& file, std::vector<Problem>& problems,
                  std::vector<Rubric>& rubrics) {
  read_lines(in, file, problems, [&](const Node& node, FormReader& reader, int /*line*/) {
    Rubric rubric;
    reader.read(node,
                std::vector<Field>{
                    {"facet", &rubric.facet, "what it asks for", {.choices = kFacets, .required = true}},
                    {"text", &rubric.text, "the instructions", {.filled = true, .required = true}}});
    rubrics.push_back(std::move(rubric));
  });
}

// Calls `read` once for each of the four files, in the order that the hash has.
using ReadFile = std::function<void(const std::string& name,
                                    const std::function<void(std::istream&, const std::string&)>&)>;
Bank read_all(const std::string& name, std::vector<Problem>& problems, const ReadFile& read) {
  Bank bank;
  bank.name = name;
  ScenarioReader scenarios(problems);
  read("scenarios.jsonl", [&](std::istream& in, const std::string& file) {
    read_lines(in, file, problems, std::ref(scenarios));
  });
  bank.scenarios = scenarios.take();
  read("unrelated.jsonl",
       [&](std::istream& in, const std::string& file) { read_texts(in, file, problems, bank.unrelated); });
  read("rubrics.jsonl",
       [&](std::istream& in, const std::string& file) { read_rubrics(in, file, problems, bank.rubrics); });
  read("padding.jsonl",
       [&](std::istream& in, const std::string& file) { read_texts(in, file, problems, bank.padding); });
  return bank;
}

Bank read_folder(const std::string& folder, std::vector<Problem>& problems) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    problems.push_back({folder, 0, 0, "expected the folder of a bank, found none"});
    return {};
  }
  std::string hashes;
  const fs::path path(folder);
  const std::string name = (path.has_filename() ? path : path.parent_path()).filename().string();
  Bank bank = read_all(name, problems, [&](const std::string& file, const auto& take) {
    const std::string full = (path / file).string();
    std::ifstream in(full, std::ios::binary);
    if (!fs::is_regular_file(full, error) || !in) {
      problems.push_back({full, 0, 0, "the file does not exist or cannot be read; a bank needs it"});
      return;
    }
    const std::size_t before = problems.size();
    take(in, full);
    if (problems.size() == before) hashes += file + " " + sha256_file(full) + "\n";
  });
  bank.sha256 = sha256(hashes);
  return bank;
}

}  // namespace

Bank read_bank(const std::string& folder) {
  std::vector<Problem> problems;
  Bank bank = read_folder(folder, problems);
  if (!problems.empty()) throw BadInput(std::move(problems));
  return bank;
}

Bank parse_bank(const BankText& text, const std::string& name) {
  std::vector<Problem> problems;
  std::string hashes;
  const std::map<std::string, const std::string*> files = {{"scenarios.jsonl", &text.scenarios},
                                                           {"unrelated.jsonl", &text.unrelated},
                                                           {"rubrics.jsonl", &text.rubrics},
                                                           {"padding.jsonl", &text.padding}};
  Bank bank = read_all(name, problems, [&](const std::string& file, const auto& take) {
    std::istringstream in(*files.at(file));
    take(in, file);
    hashes += file + " " + sha256(*files.at(file)) + "\n";
  });
  bank.sha256 = sha256(hashes);
  if (!problems.empty()) throw BadInput(std::move(problems));
  return bank;
}

std::vector<Problem> validate_bank(const std::string& folder) {
  std::vector<Problem> problems;
  const Bank bank = read_folder(folder, problems);
  if (!problems.empty()) return problems;
  problems = bank_checks(bank);
  for (Problem& problem : problems) problem.file = (std::filesystem::path(folder) / problem.file).string();
  return problems;
}

}  // namespace sonder::store
