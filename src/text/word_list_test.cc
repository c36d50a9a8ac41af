#include "text/word_list.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "text/detail/entry.h"

namespace sonder::text {
namespace {

struct Found {
  std::string category;
  std::string words;
  bool negated = false;
  bool operator==(const Found&) const = default;
};

std::vector<Found> find(std::string_view file, std::string_view text) {
  const WordList list = WordList::parse(file, "test.txt");
  Splitter splitter;
  Hits hits;
  list.find(splitter.split(text), hits);
  std::vector<Found> out;
  for (const Hit& h : hits.list)
    out.push_back({list.categories()[h.category].name,
                   std::string(text.substr(h.bytes.begin, h.bytes.end - h.bytes.begin)), h.negated});
  return out;
}

using All = std::vector<Found>;

TEST(WordList, MarksWordsAndPhrasesWithTheirBytes) {
  EXPECT_EQ(find("[feeling]\nsad\n[with]\nwith you\n", "So SAD, Zoë; I’m with  you."),
            (All{{"feeling", "SAD"}, {"with", "with  you"}}));
}

TEST(WordList, PrefersTheLongestAndOverlapsNothing) {
  EXPECT_EQ(find("[a]\nso\nso sorry for\n[b]\nsorry\nfor you\n", "so sorry, for you"),
            (All{{"a", "so sorry, for"}}));
  EXPECT_EQ(find("[a]\nso\nso sorry for\n[b]\nsorry\n", "so sorry now"), (All{{"a", "so"}, {"b", "sorry"}}));
}

TEST(WordList, StopsAtTheEndOfASentence) {
  EXPECT_TRUE(find("[a]\nwith you\n", "It is with. You know.").empty());
  EXPECT_EQ(find("[a]\nwith you\n", "with, you").size(), 1U);
}

TEST(WordList, KnowsWhatOpensASentence) {
  EXPECT_EQ(find("[a]\n^call\n", "Call him. I call him. Call"), (All{{"a", "Call"}, {"a", "Call"}}));
}

TEST(WordList, NegatesWithinThreeWordsOfTheSameClause) {
  const char* file = "[not]\nnot\nisn't\n[f]\nsad\n";
  EXPECT_EQ(find(file, "not at all sad"), (All{{"f", "sad", true}}));
  EXPECT_EQ(find(file, "It isn’t sad"), (All{{"f", "sad", true}}));
  EXPECT_EQ(find(file, "not a day that was sad"), (All{{"f", "sad", false}}));
  EXPECT_EQ(find(file, "I think not, sad as it is"), (All{{"f", "sad", false}}));
  EXPECT_EQ(find(file, "sad, not"), (All{{"f", "sad", false}}));
}

TEST(WordList, HidesWhatASkippedPhraseHolds) {
  EXPECT_EQ(find("[skip]\nhappy to\nnot only\n[not]\nnot\n[f]\nhappy\n", "happy to help, not only happy"),
            (All{{"f", "happy", false}}));
}

TEST(WordList, SpellsOutFormsAlternativesAndBlanks) {
  const char* file = "[a]\n(i|we) ache/v\n(|so) lone/n\nin _ bones\nhappy/a\n";
  EXPECT_EQ(find(file, "We ached").size(), 1U);
  EXPECT_EQ(find(file, "I aching").size(), 1U);
  EXPECT_EQ(find(file, "they ache").size(), 0U);
  EXPECT_EQ(find(file, "so lones"), (All{{"a", "so lones"}}));
  EXPECT_EQ(find(file, "in my bones").size(), 1U);
  EXPECT_EQ(find(file, "in bones").size(), 0U);
  EXPECT_EQ(find(file, "happily, happiness").size(), 2U);
}

TEST(WordList, GivesAnEntryItsOwnWeight) {
  const WordList list = WordList::parse("[a] -0.5  # a comment\nx\ny = 2.25\n", "test.txt");
  Splitter splitter;
  Hits hits;
  list.find(splitter.split("x y"), hits);
  ASSERT_EQ(hits.list.size(), 2U);
  EXPECT_DOUBLE_EQ(hits.list[0].weight, -0.5);
  EXPECT_DOUBLE_EQ(hits.list[1].weight, 2.25);
  EXPECT_EQ(list.category("a"), 0U);
  EXPECT_THROW(list.category("b"), Error);
}

TEST(WordList, RefusesABrokenFileAndNamesTheLine) {
  const auto message = [](std::string_view file) -> std::string {
    try {
      WordList::parse(file, "test.txt");
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(message("sad\n").find("test.txt, line 1"), std::string::npos);
  EXPECT_NE(message("[a]\n\n(x|y\n").find("line 3"), std::string::npos);
  EXPECT_NE(message("[a]\nx = much\n").find("line 2"), std::string::npos);
  EXPECT_NE(message("[a]\nx\n[b]\nx\n").find("line 4"), std::string::npos);
  EXPECT_NE(message("[a]\nx\n[a]\n").find("line 3"), std::string::npos);
  EXPECT_NE(message("[a\n").find("line 1"), std::string::npos);
  EXPECT_NE(message("[a]\n(a|b|c|d|e|f|g|h|i|j) (a|b|c|d|e|f|g|h|i|j) (a|b|c|d|e|f|g|h|i|j) (a|b|c|d|e|f)\n")
                .find("line 2"),
            std::string::npos);
  EXPECT_EQ(message("[a]\nx\nx\n"), "");
  EXPECT_EQ(message(""), "");
}

TEST(WordList, FindsNothingInNothing) {
  EXPECT_TRUE(find("", "sad").empty());
  EXPECT_TRUE(find("[a]\nsad\n", "").empty());
}

TEST(Entry, FormsRegularWords) {
  using detail::verb_forms;
  EXPECT_EQ(verb_forms("ache"), (std::vector<std::string>{"ache", "aches", "ached", "aching"}));
  EXPECT_EQ(verb_forms("grin"), (std::vector<std::string>{"grin", "grins", "grinned", "grinning"}));
  EXPECT_EQ(verb_forms("cry"), (std::vector<std::string>{"cry", "cries", "cried", "crying"}));
  EXPECT_EQ(verb_forms("enjoy"), (std::vector<std::string>{"enjoy", "enjoys", "enjoyed", "enjoying"}));
  EXPECT_EQ(verb_forms("clench"), (std::vector<std::string>{"clench", "clenches", "clenched", "clenching"}));
  EXPECT_EQ(verb_forms("heal"), (std::vector<std::string>{"heal", "heals", "healed", "healing"}));
  EXPECT_EQ(verb_forms("free"), (std::vector<std::string>{"free", "frees", "freed", "freeing"}));
  EXPECT_EQ(detail::adjective_forms("heavy"), (std::vector<std::string>{"heavy", "heavily", "heaviness"}));
  EXPECT_EQ(detail::adjective_forms("terrible").at(1), "terribly");
  EXPECT_EQ(detail::noun_forms("worry"), (std::vector<std::string>{"worry", "worries"}));
}

}  // namespace
}  // namespace sonder::text
