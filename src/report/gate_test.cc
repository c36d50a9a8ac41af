#include "report/gate.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace sonder::report {
namespace {

const std::string kFindings = R"({
  "name": "a study", "delta": 0.1,
  "verdict": {"affective": {"control": "PARTIAL", "detect": "DECODABLE"}, "cognitive": {"control": "UNMEASURABLE"}},
  "instruments": [{"name": "lexicon", "facet": "affective", "certified": true},
                  {"name": "judge", "facet": "affective", "certified": false}],
  "effects": [{"facet": "affective", "kind": "steer", "chosen": true, "dose": 2.0, "theta": 0.4, "lo95": 0.2},
              {"facet": "affective", "kind": "steer", "chosen": false, "dose": 1.0, "theta": 0.05, "lo95": -0.1},
              {"facet": "cognitive", "kind": "steer", "chosen": true, "dose": 2.0, "theta": null, "theta_missing": "no gap", "lo95": null}],
  "chosen_dose": {}, "empty": [],
  "sentence": "a sentence that is longer than forty characters, so it is not shown",
  "replies": [{"text": "secret"}], "scenarios": [{"message": "secret"}]
})";

Truth truth(const std::string& requirement) { return gate(requirement, kFindings).truth; }

std::string said(const std::string& requirement) {
  try {
    gate(requirement, kFindings);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "nothing was refused";
}

TEST(Gate, ComparesWordsNumbersAndTruths) {
  for (const char* holds :
       {"verdict.affective.control == 'PARTIAL'", "verdict.affective.control != \"CONTROLS\"", "delta <= 0.1",
        "delta >= 1e-1", "delta < .2", "delta > -1", "instruments[name=lexicon].certified",
        "instruments[name=lexicon, facet=affective].certified == true",
        "instruments[name=judge].certified == false", "not instruments[name=judge].certified",
        "effects[facet=affective,chosen=true].lo95 > 0.1", "(delta > 1 or delta < 1) and not (delta > 1)",
        "effects[dose=2.0,facet=affective].theta > .3"})
    EXPECT_EQ(truth(holds), Truth::yes) << holds;
  for (const char* fails :
       {"verdict.affective.control == 'CONTROLS'", "delta > .1", "delta < 1 and delta > 1",
        "instruments.certified", "effects[facet=affective].lo95 > 0"})
    EXPECT_EQ(truth(fails), Truth::no) << fails;
}

TEST(Gate, NeverPassesWhatIsMissing) {
  for (const char* unknown :
       {"effects[facet=cognitive].theta > 0", "effects[facet=cognitive].theta <= 0",
        "not effects[facet=cognitive].theta > 0", "effects[facet=cognitive].theta != 3",
        "effects[chosen=true].theta > 0", "delta < 1 and effects[facet=cognitive].theta > 0",
        "delta > 1 or effects[facet=cognitive].theta > 0"}) {
    EXPECT_EQ(truth(unknown), Truth::unknown) << unknown;
    EXPECT_FALSE(gate(unknown, kFindings).passed());
  }
  EXPECT_EQ(truth("effects[facet=affective,dose=1.0,chosen=true].theta > 0"),
            Truth::unknown);  // no such row: not a typing error
  EXPECT_EQ(truth("delta < 1 or effects[facet=cognitive].theta > 0"), Truth::yes);
  EXPECT_EQ(truth("effects.theta > .1"), Truth::no);  // one row that fails decides, whatever is missing
  EXPECT_EQ(gate("effects[facet=cognitive].theta > 0", kFindings).clauses[0].found, "missing: no gap");
  EXPECT_EQ(gate("effects[facet=cognitive].lo95 > 0", kFindings).clauses[0].found, "missing: it is missing");
}

TEST(Gate, ShowsEachClauseWithWhatDecidedIt) {
  const Gated gated = gate("delta > .2 or effects[kind=steer,facet=affective].lo95 > 0", kFindings);
  ASSERT_EQ(gated.clauses.size(), 2U);
  EXPECT_EQ(gated.clauses[0].text, "delta > .2");
  EXPECT_EQ(gated.clauses[0].found, "0.1");
  EXPECT_EQ(gated.clauses[1].found, "-0.1");
  EXPECT_EQ(gate("sentence == 'x'", kFindings).clauses[0].found, "a text of 67 bytes");
}

TEST(Gate, NamesTheMistakeAndItsPlace) {
  const auto has = [](const std::string& requirement, const std::string& words) {
    const std::string sentence = said(requirement);
    EXPECT_NE(sentence.find(words), std::string::npos) << requirement << " → " << sentence;
  };
  has("verdikt.affective.control == 'x'",
      "at character 1: there is no 'verdikt' here; did you mean 'verdict'?");
  has("verdict.afective.control == 'x'",
      "at character 9: there is no 'afective' here; did you mean 'affective'?");
  has("delta > 0 or nothing", "there is no 'nothing' here");  // also where it does not decide
  has("effects[facet=warm].lo95 > 0", "no row of 'effects' has facet=warm; there are: affective, cognitive");
  has("effects[facets=x].lo95 > 0", "did you mean 'facet'?");
  has("effects[facet=affective] > 0", "name a field of 'effects' after the ]");
  has("effects > 0", "is no single value");
  has("verdict > 0", "it holds: affective, cognitive");
  has("verdict[a=b].affective.control == 'x'", "is no list");
  has("empty.x > 0", "'empty' is empty in this run");
  has("replies.text == 'secret'", "there is no 'replies' here");
  has("scenarios.message == 'secret'", "there is no 'scenarios' here");
  has("delta = .1", "at character 7: expected '=='");
  has("delta > 'x'", "only numbers are greater or less");
  has("delta == 'x'", "expected a number to compare with, found a text");
  has("delta == true", "found true or false");
  has("verdict.affective.control == 1", "expected a string to compare with, found a number");
  has("verdict.affective.control", "expected a string to compare with, found true or false");
  has("delta > nan", "expected a number");
  has("delta > 1e999", "expected a number");
  has("delta > 1x", "expected a number");
  has("delta > 'x", "this quote is never closed");
  has("delta > 1 2", "expected 'and', 'or' or the end");
  has("(delta > 1", "expected ')'");
  has("", "expected a name");
  has("delta >", "expected a number");
  has("effects[facet=].x > 0", "expected a value after '='");
  has(std::string(200, '(') + "delta", "nested deeper than 50");
  has(std::string(20000, 'a'), "at most 10000 characters");
}

TEST(Gate, WritesJunit) {
  const std::string xml = junit("a <run>", {{"delta < 1", gate("delta < 1", kFindings)},
                                            {"delta > 1 & more", gate("delta > 1", kFindings)}});
  EXPECT_NE(xml.find("<testsuite name=\"a &lt;run&gt;\" tests=\"2\" failures=\"1\">"), std::string::npos)
      << xml;
  EXPECT_NE(xml.find("name=\"delta &lt; 1\"/>"), std::string::npos);
  EXPECT_NE(xml.find("<failure message=\"does not hold\">delta &gt; 1 does not hold, found 0.1"),
            std::string::npos)
      << xml;
}

}  // namespace
}  // namespace sonder::report
