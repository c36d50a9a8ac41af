#include "study/findings.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace sonder::study {
namespace {

using Json = nlohmann::ordered_json;

Findings filled() {
  Findings f;
  f.name = "quick";
  f.sentence = "A sentence with “quotes”, a </script>, a \\ and 心.";
  f.verdicts = {
      {"cognitive", "DECODABLE", "UNMEASURABLE", {"INSENSITIVE_WITHIN", "NO_ANCHOR"}, "UNTESTED", "–", "h1"},
      {"affective", "LEXICAL_ONLY", "PARTIAL", {}, "UNTESTED", "", "h2"}};
  Detection d;
  d.facet = "affective";
  d.layer = 16;
  d.method = "lda";
  d.auroc = 0.1 + 0.2;
  d.concordance = Figure{0.87, 0.8, 0.93, 0.81, 0.92, ""};
  d.held_out.missing = "no test split";
  d.p = 0.005;
  d.sweep = {{0, "dom", 0.7, 0.71}, {1, "lda", 0.8, 1.0 / 3.0}};
  d.baselines = {{"length", 0.55, 0.56, Figure{0.3, -1e-300, 5e300, 0, 1, ""}}};
  d.nulls = {{"isotropic", 0.54, 0.61, 0.66, 1000}};
  f.detections = {d};
  f.certificates = {{"judge",
                     "judge",
                     "cognitive",
                     false,
                     false,
                     {{"V2", "within-class ordering", false, true, "C_w .51", "INSENSITIVE_WITHIN"}},
                     {{0, 0, 0.02}, {5, 1, 0.03}},
                     1.4,
                     "points",
                     32,
                     0.01}};
  f.effects = {{"affective", "steer affective +4", "steer", "affective", 4, "embedding",
                Figure{0.23, 0.09, 0.37, 0.11, 0.35, ""}, 0.31, -1.5, "POSITIVE", true},
               {"cognitive", "base", "base", "", 0, "judge",
                Figure{0, 0, 0, 0, 0, "the judge failed its certificate"}, 0, 0, "", false}};
  f.side_effects = {{"steer affective +6", "steer", "affective", 6, 0.19,
                     Figure{0, 0, 0, 0, 0, "no reply was long enough"}, 0.031, 0.0, 0.71, false,
                     "KL above 0.10"}};
  f.manipulations = {{"steer affective +4", 45.2, 45.19, 2e-4, 0.04}};
  f.placebos = {{"affective", "embedding", Figure{0.2, 0.02, 0.38, 0.05, 0.35, ""}, 1.0 / 6.0, 5}};
  f.lengths = {{"affective", "lexicon", Figure{0.2, -1, 1, -0.5, 0.5, ""}, Figure{0, 0, 0, 0, 0, "m"},
                Figure{0.19, -1, 1, -0.5, 0.5, ""}, -0.001, true, "fires"}};
  f.chosen_dose = {{"affective", 4.0}};
  f.delta = 0.1;
  f.tau = 0.5;
  f.scenarios = {{"s01",
                  "test",
                  "work",
                  "line one\nline two\t\u2028",
                  "neu",
                  {{"affective", "emp 🙂"}, {"cognitive", ""}}}};
  f.replies = {
      {"s01", "base", 2, "I'm", "limit", {{"embedding/affective", -0.0}, {"lexicon/affective", 1e-7}}},
      {"s01", "base", 1, "", "end_of_turn", {}}};
  f.counts = {{"replies", 9007199254740993}, {"missing", 0}, {"a count", -1}};
  f.provenance.started = "2026-11-30T22:00:00Z";
  f.provenance.threads = 2;
  f.provenance.n_layers = 30;
  f.provenance.plan = "{\"seed\":1,\"doses\":[2,4,6]}";
  f.provenance.times = {{"detect", 12.25}, {"steer", 1e-9}};
  return f;
}

TEST(Findings, ComeBackFromJsonFieldByField) {
  const Findings f = filled();
  EXPECT_EQ(findings_from_json(as_json(f)), f);
  EXPECT_EQ(findings_from_json(as_json(Findings{})), Findings{});
  EXPECT_EQ(as_json(findings_from_json(as_json(f))), as_json(f));
}

TEST(Findings, AreUnequalWhenAnyLeafDiffers) {
  const Json whole = Json::parse(as_json(filled()));
  const Json flat = whole.flatten();
  int changed = 0;
  for (const auto& [pointer, leaf] : flat.items()) {
    if (pointer == "/schema" || leaf.is_null() || leaf.is_object() || leaf.is_array()) continue;
    Json other = whole;
    Json& place = other[Json::json_pointer(pointer)];
    if (leaf.is_string()) place = leaf.get<std::string>() + "x";
    if (leaf.is_boolean()) place = !leaf.get<bool>();
    if (leaf.is_number_integer()) place = leaf.get<std::int64_t>() + 1;
    if (leaf.is_number_float()) place = leaf.get<double>() + 1.0;
    if (leaf.is_number_float() && leaf.get<double>() > 1e100) place = 1.0;
    EXPECT_FALSE(findings_from_json(other.dump()) == filled()) << pointer;
    ++changed;
  }
  EXPECT_GT(changed, 150);
}

TEST(Findings, KeepTheOrderOfFacetsAndCounts) {
  const Json json = Json::parse(as_json(filled()));
  EXPECT_EQ(json["verdict"].begin().key(), "cognitive");
  EXPECT_EQ(json["counts"].begin().key(), "replies");
}

TEST(Findings, HaveTheKeysThatOtherProgramsRead) {
  const Json json = Json::parse(as_json(filled()));
  for (const char* key : {"verdict", "instruments", "effects", "detection", "counts", "provenance"})
    EXPECT_TRUE(json.contains(key)) << key;
  for (const char* key : {"detect", "control", "perceive", "headline", "reasons", "ablation"})
    EXPECT_TRUE(json["verdict"]["affective"].contains(key)) << key;
  for (const char* key : {"name", "facet", "gates", "certified"})
    EXPECT_TRUE(json["instruments"][0].contains(key)) << key;
  for (const char* key : {"arm", "dose", "instrument", "theta", "lo95", "hi95"})
    EXPECT_TRUE(json["effects"][0].contains(key)) << key;
  for (const char* key : {"layer", "method", "auroc", "concordance", "p"})
    EXPECT_TRUE(json["detection"][0].contains(key)) << key;
  EXPECT_DOUBLE_EQ(json["detection"][0]["concordance_lo95"].get<double>(), 0.8);
  EXPECT_EQ(json["counts"]["missing"], 0);
}

TEST(Findings, SayWhyANumberIsMissing) {
  const Json json = Json::parse(as_json(filled()));
  EXPECT_TRUE(json["effects"][1]["theta"].is_null());
  EXPECT_EQ(json["effects"][1]["missing"], "the judge failed its certificate");
  EXPECT_FALSE(json["effects"][1].contains("lo95"));
  EXPECT_FALSE(json["effects"][0].contains("missing"));
  EXPECT_EQ(json["detection"][0]["held_out_missing"], "no test split");
}

TEST(Findings, RefuseANumberThatIsNotFiniteAndNameItsPlace) {
  Findings f = filled();
  f.effects[1].raw = std::numeric_limits<double>::quiet_NaN();
  try {
    as_json(f);
    FAIL() << "a NaN was written";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bug);
    EXPECT_NE(std::string(error.what()).find("findings.effects[1].raw"), std::string::npos) << error.what();
  }
}

TEST(Findings, RefuseTwoVerdictsOfOneFacet) {
  Findings f = filled();
  f.verdicts[1].facet = "cognitive";
  EXPECT_THROW(as_json(f), Error);
}

TEST(Findings, RefuseWhatAsJsonDidNotWriteAndNameThePlace) {
  const auto complaint = [](const std::string& text) -> std::string {
    try {
      findings_from_json(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::corrupt);
      return error.what();
    }
    return "";
  };
  EXPECT_NE(complaint("{\"a\""), "");
  EXPECT_NE(complaint("[]"), "");
  EXPECT_NE(complaint("{}").find("schema"), std::string::npos);
  Json json = Json::parse(as_json(filled()));
  json["effects"][0]["dose"] = "4";
  EXPECT_NE(complaint(json.dump()).find("findings.effects[0].dose"), std::string::npos);
  json = Json::parse(as_json(filled()));
  json["provenance"].erase("plan");
  EXPECT_NE(complaint(json.dump()).find("findings.provenance.plan"), std::string::npos);
  json = Json::parse(as_json(filled()));
  json["provenance"]["threads"] = 1e12;
  EXPECT_NE(complaint(json.dump()), "");
  json = Json::parse(as_json(filled()));
  json["verdict"]["affective"]["reasons"] = Json::array({1});
  EXPECT_NE(complaint(json.dump()).find("reasons[0]"), std::string::npos);
}

TEST(Findings, ReplaceBytesThatAreNoText) {
  Findings f;
  f.sentence = "cut \xE2\x82";
  EXPECT_EQ(findings_from_json(as_json(f)).sentence, "cut \uFFFD");
}

}  // namespace
}  // namespace sonder::study
