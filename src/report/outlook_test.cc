#include "report/outlook.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sonder::report {
namespace {

Forecast sample() {
  Forecast f;
  f.title = "a <plan>";
  f.sentence = "32 scenarios & no more.";
  f.runs = 100;
  for (const double theta : {0.0, .25}) {
    study::Outlook row;
    row.assumed.theta = theta;
    row.operating.share = {{"UNMEASURABLE", .25}, {"PARTIAL", .748}, {"REVERSED", .002}};
    row.operating.controls_level = .5;
    f.outlooks.push_back(row);
  }
  return f;
}

TEST(Forecast, TextShowsEveryWordAndNeverTurnsAShareIntoNothing) {
  const std::string text = forecast_text(sample(), 120);
  EXPECT_NE(text.find(".25"), std::string::npos);
  EXPECT_NE(text.find("<.01"), std::string::npos) << text;  // REVERSED
  EXPECT_NE(text.find(".50"), std::string::npos);           // CONTROLS-level
  EXPECT_EQ(text.find("trivial"), std::string::npos);  // never said: no column
  EXPECT_NE(text.find("step (here 0.00)"), std::string::npos) << text;
  EXPECT_EQ(text.find("Scenarios needed"), std::string::npos);
  Forecast power = sample();
  power.n_scenarios = 32;
  power.needed = {{"NO_EFFECT_EQUIVALENT", 0, .1, .3, 78},
                  {"NO_EFFECT_EQUIVALENT", 0, .1, .45, 174},
                  {"CONTROLS", .7, .5, .3, 32},
                  {"CONTROLS", .7, .5, .45, 54}};
  power.smallest = {{.3, .15}, {.45, .23}};
  power.pilots = {{"lexicon", "affective", "steer affective +2", .4, 12}};
  const std::string sizes = forecast_text(power, 120);
  for (const char* word : {"78       174", "32       54", "0.15     0.23", "steer affective +2", "±0.10"})
    EXPECT_NE(sizes.find(word), std::string::npos) << word << sizes;
}

TEST(Forecast, JsonHoldsEveryNumberInFull) {
  const auto json = nlohmann::json::parse(forecast_json(sample()));
  EXPECT_EQ(json["outlooks"].size(), 2U);
  EXPECT_EQ(json["outlooks"][1]["theta"], .25);
  EXPECT_NEAR(json["outlooks"][0]["share"]["PARTIAL"].get<double>(), .248, 1e-12);
  EXPECT_FALSE(json.contains("needed"));
}

TEST(Forecast, PageIsWholeEscapedAndWithoutScript) {
  const std::string page = forecast_page(sample());
  EXPECT_NE(page.find("a &lt;plan&gt;"), std::string::npos);
  EXPECT_NE(page.find("32 scenarios &amp; no more."), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
  std::size_t figures = 0;
  for (std::size_t at = page.find("<figure"); at != std::string::npos; at = page.find("<figure", at + 1))
    ++figures;
  EXPECT_EQ(figures, 1U);  // two rows that differ in theta alone share one chart
}

}  // namespace
}  // namespace sonder::report
