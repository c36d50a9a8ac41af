#include "store/bank.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/seed.h"
#include "store/detail/lines.h"
#include "store/detail/words.h"

namespace sonder::store {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json scenario(const std::string& id, const std::string& family, const std::string& split) {
  const bool fit = split == "fit";
  json facets;
  json rephrases;
  for (const char* facet : {"affective", "cognitive"}) {
    const std::string name = std::string(facet) + " " + id;
    facets[facet] = {{"emp", "emp " + name}, {"ladder", json::array()}};
    if (!fit) facets[facet]["ladder"] = {"one " + name, "two " + name, "three " + name, "four " + name};
    rephrases[facet] = fit ? "" : "again " + name;
  }
  return {{"id", id},
          {"family", family},
          {"split", split},
          {"area", "work"},
          {"message", "what " + id + " wrote"},
          {"neu", "neutral " + id},
          {"facets", facets},
          {"rephrase_of_neu", fit ? "" : "neutral again " + id},
          {"rephrase_of_emp", rephrases},
          {"pad", fit ? "" : "neutral and long " + id},
          {"formal", fit ? "formal " + id : ""}};
}

struct Files {
  std::vector<json> scenarios = {scenario("a-1", "a", "fit"), scenario("b-1", "b", "dev"),
                                 scenario("c-1", "c", "test")};
  std::vector<json> unrelated = {{{"text", "What is a mitre joint?"}}};
  std::vector<json> rubrics = {{{"facet", "affective"}, {"text", "How warm?"}},
                               {{"facet", "cognitive"}, {"text", "How exact?"}}};
  std::vector<json> padding = {{{"text", "That is that."}}};

  static std::string lines(const std::vector<json>& values) {
    std::string text;
    for (const json& value : values) text += value.dump() + "\n";
    return text;
  }
  BankText text() const { return {lines(scenarios), lines(unrelated), lines(rubrics), lines(padding)}; }
};

std::string problems_of(const BankText& text) {
  try {
    parse_bank(text, "bank");
  } catch (const BadInput& bad) {
    return bad.what();
  }
  return "";
}
// The problems after something was done to the good bank's files.
std::string after(const std::function<void(Files&)>& change) {
  Files files;
  change(files);
  return problems_of(files.text());
}
// The problems when the first line of the scenarios is this.
std::string first_line(const std::string& line) {
  BankText text = Files().text();
  text.scenarios = line + "\n" + text.scenarios;
  return problems_of(text);
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Bank, EveryFieldArrivesWhereItBelongs) {
  const Bank bank = parse_bank(Files().text(), "my bank");
  EXPECT_EQ(bank.name, "my bank");
  ASSERT_EQ(bank.scenarios.size(), 3U);
  const Scenario& fit = bank.scenarios[0];
  EXPECT_EQ(fit.id, "a-1");
  EXPECT_EQ(fit.split, Split::fit);
  EXPECT_EQ(fit.formal, "formal a-1");
  EXPECT_TRUE(fit.facets.at("affective").ladder.empty());
  const Scenario& test = bank.scenarios[2];
  EXPECT_EQ(test.split, Split::test);
  EXPECT_EQ(test.family, "c");
  EXPECT_EQ(test.area, "work");
  EXPECT_EQ(test.message, "what c-1 wrote");
  EXPECT_EQ(test.neu, "neutral c-1");
  EXPECT_EQ(test.facets.at("cognitive").emp, "emp cognitive c-1");
  EXPECT_EQ(test.facets.at("cognitive").ladder[3], "four cognitive c-1");
  EXPECT_EQ(test.rephrase_of_neu, "neutral again c-1");
  EXPECT_EQ(test.rephrase_of_emp.at("affective"), "again affective c-1");
  EXPECT_EQ(test.pad, "neutral and long c-1");
  EXPECT_EQ(bank.unrelated, std::vector<std::string>{"What is a mitre joint?"});
  EXPECT_EQ(bank.rubrics[1].facet, "cognitive");
  EXPECT_EQ(bank.padding.size(), 1U);
}

TEST(Bank, AFitScenarioMayLeaveOutWhatItDoesNotNeed) {
  EXPECT_EQ(after([](Files& f) {
              f.scenarios[0].erase("pad");
              f.scenarios[0].erase("rephrase_of_neu");
              f.scenarios[0].erase("rephrase_of_emp");
              f.scenarios[0]["facets"]["affective"].erase("ladder");
              f.scenarios[1].erase("formal");
            }),
            "");
}

TEST(Bank, EveryProblemIsFoundAtOnceWithFileAndLine) {
  EXPECT_EQ(
      after([](Files& f) {
        f.scenarios[0]["famliy"] = f.scenarios[0]["family"];
        f.scenarios[0].erase("family");
        f.scenarios[1]["split"] = "train";
        f.scenarios[2]["facets"]["affective"]["ladder"].erase(3);
        f.rubrics[1]["facet"] = "cognitve";
        f.padding[0]["text"] = 3;
      }),
      "scenarios.jsonl:1: 'famliy' is not a key of the line; did you mean 'family'?\n"
      "scenarios.jsonl:1: the key 'family' is missing from the line; expected text that is not empty\n"
      "scenarios.jsonl:2: split: expected one of fit, dev or test, found 'train'\n"
      "scenarios.jsonl:3: facets.affective.ladder: expected 4 levels in a dev or test scenario, found 3\n"
      "rubrics.jsonl:2: facet: expected one of affective or cognitive, found 'cognitve'; did you mean "
      "'cognitive'?\n"
      "padding.jsonl:1: text: expected text that is not empty, found a whole number (put it in quotes when "
      "it is "
      "meant as text)");
}

TEST(Bank, WhatASplitLacksOrMustNotHaveIsNamed) {
  for (const char* key : {"rephrase_of_neu", "pad"}) {
    EXPECT_TRUE(has(after([&](Files& f) { f.scenarios[2][key] = ""; }),
                    std::string(":3: ") + key + ": expected text"));
    EXPECT_TRUE(has(after([&](Files& f) { f.scenarios[0][key] = "x"; }),
                    std::string(":1: ") + key + ": expected nothing"));
  }
  EXPECT_TRUE(has(after([](Files& f) { f.scenarios[0].erase("formal"); }),
                  ":1: formal: expected text in a fit scenario"));
  EXPECT_TRUE(has(after([](Files& f) { f.scenarios[1]["formal"] = "x"; }), ":2: formal: expected nothing"));
  EXPECT_TRUE(has(after([](Files& f) { f.scenarios[1]["rephrase_of_emp"].erase("cognitive"); }),
                  ":2: rephrase_of_emp.cognitive: expected text"));
  EXPECT_TRUE(has(after([](Files& f) { f.scenarios[0]["facets"]["affective"]["ladder"] = {"x"}; }),
                  "expected 0 levels"));
  EXPECT_TRUE(has(after([](Files& f) { f.scenarios[1]["facets"]["affective"]["ladder"][1] = " "; }),
                  "found an empty text"));
  EXPECT_TRUE(has(after([](Files& f) {
                    f.scenarios[1]["facets"]["affective"]["ladder"][1] =
                        f.scenarios[1]["facets"]["affective"]["ladder"][0];
                  }),
                  "item 2 is there twice"));
}

TEST(Bank, IdsAreUniqueAndFamiliesStayInOneSplit) {
  EXPECT_TRUE(has(after([](Files& f) { f.scenarios[2]["id"] = "a-1"; }),
                  ":3: id: 'a-1' is already the id on line 1"));
  EXPECT_TRUE(has(
      after([](Files& f) { f.scenarios[2]["family"] = "a"; }),
      ":3: family: 'a' is a family of the fit split (line 1); scenarios of one family never cross splits"));
  EXPECT_TRUE(
      has(after([](Files& f) { f.scenarios[0]["id"] = "a person's words"; }), "found a text of 16 bytes"));
  EXPECT_EQ(after([](Files& f) { f.scenarios.push_back(scenario("c-2", "c", "test")); }), "");
}

TEST(Bank, AllScenariosHaveTheSameFacets) {
  EXPECT_TRUE(has(after([](Files& f) { f.scenarios[1]["facets"].erase("cognitive"); }),
                  ":2: facets: expected the same facets as on the first line (affective and cognitive), "
                  "found affective"));
  EXPECT_TRUE(
      has(after([](Files& f) { f.scenarios[1]["facets"] = json::object(); }), "expected at least one facet"));
  EXPECT_TRUE(has(after([](Files& f) { f.scenarios[1]["facets"]["relational"] = json::object(); }),
                  "is not a key of facets"));
  EXPECT_EQ(after([](Files& f) {
              for (json& s : f.scenarios) {
                s["facets"].erase("cognitive");
                s["rephrase_of_emp"].erase("cognitive");
              }
            }),
            "");
}

TEST(Bank, LinesThatAreNoJsonAreExplainedWithoutTheirText) {
  const std::map<std::string, std::string> cases = {
      {"", "an empty line"},
      {"  ", "an empty line"},
      {"{", "it ends before it is complete"},
      {R"({"id": "MARKER)", "it ends before it is complete"},
      {R"({"id": "MARKER"} MARKER)", "something stands after the value"},
      {R"({"id": MARKER})", "this is not JSON"},
      {R"({'id': 'MARKER'})", "this is not JSON"},
      {R"({"id": "MARKER",})", "this is not JSON"},
      {R"({"id": "\ud800 MARKER"})", "half of a surrogate pair"},
      {R"({"id": "\udc00 MARKER"})", "half of a surrogate pair"},
      {R"({"id": "\ud800\u0041"})", "half of a surrogate pair"},
      {R"({"id": NaN})", "this is not JSON"},
      {R"({"id": 1e999})", "a number is too large"},
      {R"({"id": "a", "id": "MARKER"})", "the key 'id' is given twice"},
      {R"({"a": 1, "a": {"b": 1, "b": {"c": {"MARKER": [1]}}, "b": [{}]}, "a": [[1]]})",
       "the key 'b' is given twice"},
      {R"({"MARKER in a sentence": 1})", "a text of 20 bytes is not a key"},
      {R"(["MARKER"])", "expected a group of keys, found a list"},
      {R"("MARKER")", "expected a group of keys, found text"},
      {"null", "expected a group of keys, found nothing"},
      {"{\"id\": \"MARKER\tx\"}", "a control character inside a text"},
      {std::string("{\"id\": \"a\0MARKER\"}", 18), "a NUL byte"},
      {"{\"id\": \"MARKER \xFF\"}", "scenarios.jsonl:1:16: not valid UTF-8 at byte 15 of the file"},
      {"{\"id\": \"\xED\xA0\x80\"}", "not valid UTF-8 at byte 8 of the file"},
      {std::string(100000, '['), "nested more than 16 levels deep"},
      {"{\"id\": " + std::string(100000, '['), "nested more than 16 levels deep"},
  };
  for (const auto& [line, reason] : cases) {
    const std::string found = first_line(line);
    EXPECT_TRUE(has(found, reason)) << line.substr(0, 40) << " gave " << found;
    EXPECT_TRUE(has(found, "scenarios.jsonl:1")) << found;
    EXPECT_FALSE(has(found, "MARKER")) << found;
  }
}

TEST(Bank, UnicodeWindowsLinesAndAMarkAreRead) {
  Files files;
  const std::string text = "one\xE2\x80\xA8two\xE2\x80\xA9 \xF0\x9F\x99\x82 \xE4\xB8\x96 caf\xC3\xA9";
  files.scenarios[0]["message"] = text;
  BankText bank = files.text();
  bank.scenarios = "\xEF\xBB\xBF" + bank.scenarios;
  for (std::size_t i = bank.scenarios.find('\n'); i != std::string::npos;
       i = bank.scenarios.find('\n', i + 2))
    bank.scenarios.insert(i, "\r");
  bank.padding.pop_back();  // the last line needs no end
  EXPECT_EQ(parse_bank(bank, "b").scenarios[0].message, text);
  files.scenarios[0]["message"] = "escaped \xF0\x9F\x99\x82";
  bank.scenarios =
      files.scenarios[0].dump(-1, ' ', true) + "\n" + Files::lines({files.scenarios[1], files.scenarios[2]});
  ASSERT_TRUE(has(bank.scenarios, "\\ud83d\\ude42"));
  EXPECT_EQ(parse_bank(bank, "b").scenarios[0].message, "escaped \xF0\x9F\x99\x82");
}

TEST(Bank, ALongLineIsRefusedAndTheRestIsRead) {
  const std::string found = first_line("{\"id\": \"" + std::string(2 << 20, 'x') + "\"}") + "\n" +
                            after([](Files& f) { f.scenarios[1].erase("area"); });
  EXPECT_TRUE(has(found, "scenarios.jsonl:1: the line is longer than 1 MB")) << found;
  EXPECT_TRUE(has(found, "'area' is missing"));
}

// A stream of 64 MB in one line, made while it is read.
class Endless : public std::streambuf {
 public:
  explicit Endless(std::size_t bytes) : left_(bytes), chunk_(1 << 20, 'x') {}

 protected:
  int_type underflow() override {
    if (left_ == 0) return traits_type::eof();
    const std::size_t n = std::min(left_, chunk_.size());
    left_ -= n;
    setg(chunk_.data(), chunk_.data(), chunk_.data() + n);
    return traits_type::to_int_type('x');
  }

 private:
  std::size_t left_;
  std::string chunk_;
};

TEST(LineReader, AHugeLineNeedsNoMoreMemoryThanTheLimit) {
  Endless bytes(64U << 20U);
  std::istream in(&bytes);
  detail::LineReader lines(in, 1000);
  ASSERT_TRUE(lines.next());
  EXPECT_TRUE(lines.too_long());
  EXPECT_LE(lines.line().capacity(), 2000U);
  EXPECT_EQ(lines.read(), 64U << 20U);
  EXPECT_FALSE(lines.next());
}

TEST(Bank, EmptyAndMissingFilesAreNamed) {
  EXPECT_TRUE(has(problems_of({}), "scenarios.jsonl: the file is empty"));
  EXPECT_TRUE(has(problems_of({}), "padding.jsonl: the file is empty"));
  EXPECT_THROW(read_bank("/does/not/exist"), BadInput);
  EXPECT_EQ(to_text(validate_bank("/does/not/exist")),
            "/does/not/exist: expected the folder of a bank, found none");
}

TEST(Bank, AMillionBadLinesGiveAThousandProblems) {
  BankText text = Files().text();
  text.scenarios = std::string(1000000, '\n');
  const std::string found = problems_of(text);
  EXPECT_TRUE(has(found, "… and 902 more")) << found.substr(found.size() - 60);
  EXPECT_LT(found.size(), 10000U);
}

TEST(Bank, AFolderReadsLikeItsTextAndItsHashFollowsEveryByte) {
  std::string pattern = (fs::temp_directory_path() / "sonder-bank-XXXXXX").string();
  const fs::path folder = mkdtemp(pattern.data());
  const BankText text = Files().text();
  const std::map<std::string, std::string> files = {{"scenarios.jsonl", text.scenarios},
                                                    {"unrelated.jsonl", text.unrelated},
                                                    {"rubrics.jsonl", text.rubrics},
                                                    {"padding.jsonl", text.padding}};
  for (const auto& [name, bytes] : files) std::ofstream(folder / name, std::ios::binary) << bytes;
  const Bank bank = read_bank(folder.string());
  EXPECT_EQ(bank.name, folder.filename().string());
  EXPECT_EQ(read_bank(folder.string() + "/").name, bank.name);
  EXPECT_EQ(bank.sha256, parse_bank(text, "x").sha256);
  std::ofstream(folder / "padding.jsonl", std::ios::binary | std::ios::app) << "{\"text\": \"more\"}\n";
  EXPECT_NE(read_bank(folder.string()).sha256, bank.sha256);
  fs::remove(folder / "rubrics.jsonl");
  const std::string found = to_text(validate_bank(folder.string()));
  EXPECT_EQ(found, (folder / "rubrics.jsonl").string() +
                       ": the file does not exist or cannot be read; a bank needs it");
  fs::remove_all(folder);
}

TEST(Bank, DamagedBanksEndInProblemsAndNeverInACrash) {
  const BankText good = Files().text();
  Stream random{Seed(11)};
  const std::string alphabet = "[]{}:,\"\\0123eE.-+ntu\x01\xC3\xA9\xFF\n";
  for (int i = 0; i < 300; ++i) {
    BankText text = good;
    for (std::uint64_t n = 1 + random.below(4); n > 0; --n) {
      const std::size_t at = random.below(text.scenarios.size());
      text.scenarios[at] = alphabet[random.below(alphabet.size())];
    }
    std::ignore = problems_of(text);
  }
}

TEST(Words, Utf8IsCheckedAsTheStandardSays) {
  using detail::find_invalid_utf8;
  for (const char* good : {"", "abc", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                           "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"})
    EXPECT_FALSE(find_invalid_utf8(good).has_value()) << good;
  for (const char* bad :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xC2", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xED\xBF\xBF", "\xE2\x82",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFE", "\xFF"})
    EXPECT_EQ(find_invalid_utf8(std::string("ab") + bad), 2U);
}

}  // namespace
}  // namespace sonder::store
