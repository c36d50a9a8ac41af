#include "report/tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/sample_findings.h"
#include "store/csv.h"

namespace sonder::report {
namespace {

study::Findings sample() {
  study::Findings f;
  f.scenarios = {{"s1", "test", "loss, and more", "a message", "", {}}};
  f.replies = {{"s1", "base", 0, "He said \"yes\",\nand left.", "limit", {{"lexicon/affective", 0.25}}},
               {"s1", "steer +1", 1, "plain", "end_of_turn", {{"judge/affective", -1e-7}}},
               {"gone", "base", 0, "", "limit", {}}};
  return f;
}

TEST(Cells, AsCsvReadBackWhole) {
  const store::Csv csv = store::parse_csv(cells_csv(sample()), "cells.csv");
  EXPECT_EQ(csv.columns(), (std::vector<std::string>{"scenario", "split", "area", "arm", "repeat", "stopped",
                                                     "judge/affective", "lexicon/affective", "text"}));
  EXPECT_EQ(csv.n_rows(), 3U);
  EXPECT_EQ(csv.numbers("judge/affective")[1], -1e-7);
  EXPECT_FALSE(csv.numbers("judge/affective")[0].has_value());
  EXPECT_EQ(csv.numbers("lexicon/affective")[0], .25);
  EXPECT_EQ(csv.labels("arm").names, (std::vector<std::string>{"base", "steer +1"}));
  EXPECT_NE(cells_csv(sample()).find("\"He said \"\"yes\"\",\nand left.\""), std::string::npos);
}

TEST(Cells, AsJsonLinesHoldNullForWhatIsMissing) {
  std::istringstream lines(cells_jsonl(sample()));
  std::vector<nlohmann::json> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["text"], "He said \"yes\",\nand left.");
  EXPECT_EQ(rows[0]["area"], "loss, and more");
  EXPECT_TRUE(rows[0]["scores"]["judge/affective"].is_null());
  EXPECT_EQ(rows[1]["scores"]["judge/affective"], -1e-7);
  EXPECT_FALSE(rows[2].contains("area"));
}

TEST(Markdown, HoldsTheVerdictAndNoPrivateText) {
  const study::Findings f = sample_findings();
  const std::string text = markdown(f);
  EXPECT_NE(text.find("**" + f.sentence + "**"), std::string::npos);
  for (const auto& v : f.verdicts)
    EXPECT_NE(text.find("| " + v.facet + " | " + v.detect), std::string::npos) << text;
  for (const auto& c : f.certificates) EXPECT_NE(text.find("| " + c.instrument + " |"), std::string::npos);
  for (const auto& s : f.scenarios) EXPECT_EQ(text.find(s.message), std::string::npos);
  for (const auto& r : f.replies) EXPECT_TRUE(r.text.size() < 20 || text.find(r.text) == std::string::npos);
  std::size_t columns = 0;  // every row of a table has as many cells as its head
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("|")) {
      columns = 0;
      continue;
    }
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i)
      bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
    if (columns == 0) columns = bars;
    EXPECT_EQ(bars, columns) << line;
  }
}

}  // namespace
}  // namespace sonder::report
