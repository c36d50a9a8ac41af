#include "report/estimates.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sonder::report {
namespace {

std::vector<stats::Line> sample() {
  stats::Estimate sound{.2346, {.1, .36}, {.12, .34}, .06, .0004, stats::Status::ok, 42, {}};
  stats::Estimate none;
  none.status = stats::Status::refused;
  none.ci95 = {-7, 7};
  none.value = -7;
  none.n_units = 3;
  none.warnings = {"fewer than 6 units"};
  stats::Estimate large{-12345.6, {-20000, .00123}, {-19000, 0}, 1, 1, stats::Status::flagged, 9, {"look"}};
  return {{"mean", sound}, {"flips", none}, {"huge", large}, {"icc", sound, false}};
}

TEST(EstimatesText, ShowsWhatStandsAndSaysWhyWhatDoesNot) {
  const std::string text = estimates_text("three things", sample(), 110);
  EXPECT_NE(text.find("0.235"), std::string::npos) << text;
  EXPECT_NE(text.find("[0.100, 0.360]"), std::string::npos);
  EXPECT_NE(text.find("<.001"), std::string::npos);
  EXPECT_NE(text.find("flips: fewer than 6 units"), std::string::npos);
  EXPECT_EQ(text.find("7.000"), std::string::npos);  // the wide interval of a refusal is no result
  EXPECT_NE(text.find("−1.235e+04"), std::string::npos) << text;
  EXPECT_NE(text.find("0.00123"), std::string::npos);
  const std::string narrow = estimates_text("three things", sample(), 50);
  for (std::size_t at = 0; at < narrow.size();) {
    const std::size_t end = narrow.find('\n', at);
    EXPECT_LE(end - at, 60U);  // bytes; a dash takes three
    at = end + 1;
  }
}

TEST(EstimatesJson, HoldsNullWhereNothingIsKnown) {
  const auto json = nlohmann::json::parse(estimates_json("paired", sample()));
  EXPECT_EQ(json["test"], "paired");
  EXPECT_EQ(json["estimates"][0]["value"], .2346);
  EXPECT_EQ(json["estimates"][0]["n_units"], 42);
  EXPECT_TRUE(json["estimates"][1]["value"].is_null());
  EXPECT_TRUE(json["estimates"][1]["p"].is_null());
  EXPECT_EQ(json["estimates"][1]["warnings"][0], "fewer than 6 units");
  EXPECT_TRUE(json["estimates"][3]["lo95"].is_null());
  EXPECT_EQ(json["estimates"][3]["value"], .2346);
}

}  // namespace
}  // namespace sonder::report
