#include "report/page.h"

#include <gtest/gtest.h>

#include "report/sample_findings.h"

namespace sonder::report {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

// What a browser sees without running anything: the page less its scripts.
std::string plain(const std::string& html) {
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t open = html.find("<script", at);
    out += html.substr(at, open - at);
    if (open == std::string::npos) return out;
    at = html.find("</script>", open) + 9;
  }
}

TEST(Page, SaysTheVerdictAndItsCoordinatesWithoutJavaScript) {
  const std::string html = plain(page(sample_findings()));
  EXPECT_NE(html.find("<h1 id=\"sentence\">Affective empathy was decodable in this model"),
            std::string::npos);
  EXPECT_LT(html.find("<h1"), html.find("<h2"));
  for (const char* word :
       {"PARTIAL", "UNMEASURABLE", "DECODABLE", "UNTESTED", "SCORES DROP", "blind to degrees",
        "This is not zero", "No people were asked", "1/(5+1) = 0.167", "What the words mean"})
    EXPECT_NE(html.find(word), std::string::npos) << word;
}

TEST(Page, PrintsControlOfScoresAloneAsSuch) {
  study::Findings f = sample_findings();
  f.verdicts[0].control = "CONTROLS";
  EXPECT_NE(page(f).find("CONTROLS SCORES ONLY"), std::string::npos);
  f.verdicts[0].perceive = "PERCEIVED";
  EXPECT_EQ(plain(page(f)).find("CONTROLS SCORES ONLY"), std::string::npos);
}

TEST(Page, OpensNoConnection) {
  const std::string html = page(sample_findings());
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  // Names of XML namespaces, and the home page in d3's licence line: nothing that is ever fetched.
  for (const std::string scheme : {"http://", "https://"})
    for (std::size_t at = html.find(scheme); at != std::string::npos; at = html.find(scheme, at + 1)) {
      const std::string address = html.substr(at, 40);
      EXPECT_TRUE(address.starts_with("http://www.w3.org/") || address.starts_with("https://d3js.org v7"))
          << address;
    }
  EXPECT_EQ(count(plain(html), "src="), 0U);
  EXPECT_EQ(count(plain(html), "@import"), 0U);
}

TEST(Page, LetsNoTextOutOfItsPlace) {
  const std::string calm = page(sample_findings());
  const std::string html = page(hostile_findings());
  EXPECT_EQ(count(html, "<script"), count(calm, "<script"));
  EXPECT_EQ(count(html, "</script>"), count(calm, "</script>"));
  EXPECT_EQ(count(html, "<img"), 0U);
  EXPECT_EQ(count(html, "<!--"), count(calm, "<!--"));
  EXPECT_NE(html.find("\\u003c/script>\\u003cimg"), std::string::npos);
  EXPECT_NE(html.find("&lt;/script&gt;&lt;img"), std::string::npos);
}

// A quarter of the promise of 20 MB for 100,000; the browser test opens the whole.
TEST(Page, StaysSmallWithManyReplies) {
  const study::Findings f = sample_findings(1000);
  ASSERT_EQ(f.replies.size(), 25000U);
  EXPECT_LT(page(f).size(), 5'000'000U);
}

TEST(Page, IsTheSameForTheSameFindings) { EXPECT_EQ(page(sample_findings()), page(sample_findings())); }

TEST(Page, OfEmptyFindingsIsStillAPage) {
  EXPECT_NE(page(study::Findings{}).find("</html>"), std::string::npos);
}

}  // namespace
}  // namespace sonder::report
