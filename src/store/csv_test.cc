#include "store/csv.h"

#include <gtest/gtest.h>

#include <functional>

#include "store/problem.h"

namespace sonder::store {
namespace {

std::string said(const std::function<void()>& call) {
  try {
    call();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "nothing was refused";
}

std::string said_of(const std::string& text) {
  return said([&] { parse_csv(text, "t.csv"); });
}

TEST(Csv, ReadsWhatSpreadsheetsWrite) {
  const std::vector<std::string> spellings = {"a,b\n1,x\n2,y\n", "a,b\r\n1,x\r\n2,y\r\n",
                                              std::string("\xEF\xBB\xBF") + "a,b\n1,x\n\n2,y",
                                              "a , b\n 1 ,x\n+2,y\n", "\"a\",\"b\"\n\"1\",\"x\"\n2,\"y\"\r"};
  for (const std::string& text : spellings) {
    const Csv csv = parse_csv(text, "t.csv");
    EXPECT_EQ(csv.columns(), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(csv.complete("a"), (std::vector<double>{1, 2}));
    EXPECT_EQ(csv.labels("b").of_row, (std::vector<int>{0, 1}));
  }
}

TEST(Csv, KeepsQuotesCommasAndLineBreaksInsideACell) {
  const Csv csv = parse_csv("a,b\n\"x,\"\"y\"\"\nz\",1\nq,2\n", "t.csv");
  EXPECT_EQ(csv.labels("a").names[0], "x,\"y\"\nz");
  EXPECT_EQ(said([&] { parse_csv("a,b\n\"x\ny\",1\nq\n", "t.csv"); }),
            "t.csv:4: expected 2 cells as in the first line, found 1");
}

TEST(Csv, SaysNothingOfWhatIsAbsent) {
  const Csv csv = parse_csv("a,b\n,1\nNA,2\n3,3\n", "t.csv");
  const auto values = csv.numbers("a");
  EXPECT_FALSE(values[0].has_value());
  EXPECT_FALSE(values[1].has_value());
  EXPECT_EQ(values[2], 3);
  EXPECT_EQ(said([&] { csv.complete("a"); }),
            "t.csv:2: column 'a': expected a number, found none; this test needs every row");
  EXPECT_EQ(said([&] { csv.labels("a"); }), "t.csv:2: column 'a': expected a label, found nothing");
}

TEST(Csv, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(said_of(""), "t.csv: expected a line of column names and at least one row, found no row");
  EXPECT_EQ(said_of("a,b\n"), "t.csv: expected a line of column names and at least one row, found no row");
  EXPECT_EQ(said_of("a,a\n1,2\n"), "t.csv:1: two columns are both named 'a'");
  EXPECT_EQ(said_of("a,\n1,2\n"), "t.csv:1: a column has no name");
  EXPECT_EQ(said_of("a,b\n1,2,3\n"), "t.csv:2: expected 2 cells as in the first line, found 3");
  EXPECT_EQ(said_of("a,b\n1,\"2\n3,4\n"), "t.csv:2:3: this quote is never closed");
  EXPECT_EQ(said_of("a,b\n1,\"2\"x\n"),
            "t.csv:2:6: expected a comma or the end of the line after a closing quote");
  EXPECT_EQ(said_of("a,b\n1,x\"y\n"),
            "t.csv:2:4: a quote inside a cell: put the whole cell in quotes and double those inside");
  EXPECT_EQ(said_of("a,b\n1,\xff\n"), "t.csv:2:3: expected UTF-8; byte 6 is not; save the file as UTF-8");
  EXPECT_EQ(said_of(std::string("a,b\n1,\0\n", 8)),
            "t.csv:2:3: expected text, found a control character; is this a CSV file?");
  EXPECT_EQ(said([] { parse_csv("score,b\n1,2\n", "t.csv").numbers("scroe"); }),
            "t.csv:1: there is no column 'scroe'; did you mean 'score'? There are 'score' and 'b'");
}

TEST(Csv, RefusesWhatIsNoFiniteNumberAndNeverRepeatsIt) {
  for (const std::string cell : {"nan", "inf", "1e999", "0x1", "1,5", "secret words", "1 2", "--1", "1e"}) {
    const std::string sentence = said([&] { parse_csv("a\n1\n\"" + cell + "\"\n", "t.csv").numbers("a"); });
    EXPECT_EQ(sentence, "t.csv:3: column 'a': expected a finite number such as 0.25, found a text of " +
                            std::to_string(cell.size()) + " bytes");
  }
  std::string many = "a\n";
  for (int i = 0; i < 50; ++i) many += "x\n";
  const std::string sentence = said([&] { parse_csv(many, "t.csv").numbers("a"); });
  EXPECT_EQ(std::count(sentence.begin(), sentence.end(), '\n'), 9) << sentence;
}

}  // namespace
}  // namespace sonder::store
