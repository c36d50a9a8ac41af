#include "report/summary.h"

#include <gtest/gtest.h>

#include <sstream>

#include "report/detail/columns.h"
#include "report/detail/encode.h"
#include "report/detail/numbers.h"
#include "report/sample_findings.h"

namespace sonder::report {
namespace {

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, detail::columns(line));
  return most;
}

TEST(Summary, SaysTheVerdictTheCoordinatesAndTheMainShifts) {
  const std::string text = text_summary(sample_findings(), 100, "out/quick.html");
  EXPECT_EQ(text.find("\n  Affective empathy was decodable"), 0U);
  for (const char* part :
       {"affective  ● DECODABLE  ◐ PARTIAL       ◇ UNTESTED\n",
        "cognitive  ● DECODABLE  ◇ UNMEASURABLE  ◇ UNTESTED\n", "judge (affective) NO_ANCHOR",
        "steer affective +4", "prompt affective", "the same less placebos", "out/quick.html\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("steer affective +6"), std::string::npos) << "only the chosen dose";
  EXPECT_EQ(text.find("steer cognitive +4"), std::string::npos) << "no shift of an uncertified facet";
}

TEST(Summary, FitsTheTerminal) {
  for (const int width : {40, 60, 80, 200})
    EXPECT_LE(widest(text_summary(sample_findings(), width)), static_cast<std::size_t>(width)) << width;
  EXPECT_EQ(text_summary(sample_findings(), 1), text_summary(sample_findings(), 40));
}

TEST(Summary, OfEmptyFindingsIsShortAndWhole) { EXPECT_LT(text_summary(study::Findings{}, 80).size(), 200U); }

TEST(Columns, WrapAtSpacesAndNeverLoseAWord) {
  EXPECT_EQ(detail::wrap("one two three", 7, 0), "one two\nthree\n");
  EXPECT_EQ(detail::wrap("one two three", 7, 2, 1), "  one\n   two\n   three\n");
  EXPECT_EQ(detail::wrap("", 7), "");
  EXPECT_EQ(detail::columns("θ ±½"), 4U);
}

TEST(Numbers, ReadWithATrueMinusAndNeverAsMinusZero) {
  EXPECT_EQ(detail::number(-0.001, 2), "0.00");
  EXPECT_EQ(detail::number(-0.236, 2), "−0.24");
  EXPECT_EQ(detail::signed_number(0.2, 1), "+0.2");
  EXPECT_EQ(detail::signed_number(0.0, 1), "0.0");
  study::Figure none;
  none.missing = "no reply";
  EXPECT_EQ(detail::with_interval(none, 2), "missing: no reply");
}

TEST(Encode, Base64AgreesWithRfc4648) {
  const std::pair<const char*, const char*> known[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, coded] : known) EXPECT_EQ(detail::base64(plain), coded);
  EXPECT_EQ(detail::base64("\xff\xfe\xfd"), "//79");
}

TEST(Encode, AScriptsHashIsWhatAPolicyExpects) {
  // The example of the Content Security Policy specification, level 3: alert('Hello, world.');
  EXPECT_EQ(detail::csp_hash("alert('Hello, world.');"),
            "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='");
}

TEST(Encode, ATemplateFillsEachSlotOnceAndRefusesAnUnknownOne) {
  EXPECT_EQ(detail::fill("a{{x}}b{{y}}", {{"x", "{{y}}"}, {"y", "2"}}), "a{{y}}b2");
  EXPECT_ANY_THROW(detail::fill("a{{z}}", {{"x", "1"}}));
  EXPECT_ANY_THROW(detail::fill("a{{x", {{"x", "1"}}));
}

}  // namespace
}  // namespace sonder::report
