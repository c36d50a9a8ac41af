#include "text/words.h"

#include <gtest/gtest.h>

#include <chrono>
#include <iterator>

#include "base/seed.h"

namespace sonder::text {
namespace {

std::vector<std::string> folded(const Words& words) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) out.emplace_back(words[i]);
  return out;
}

std::vector<std::string> words_of(std::string_view text) {
  Splitter splitter;
  return folded(splitter.split(text));
}

using Texts = std::vector<std::string>;

TEST(Words, AreFoundFoldedAndPlaced) {
  const std::string text = "So, I’m TIRED. Aren't you?";
  Splitter splitter;
  const Words& words = splitter.split(text);
  EXPECT_EQ(folded(words), (Texts{"so", "i'm", "tired", "aren't", "you"}));
  EXPECT_EQ(text.substr(words.list[1].bytes.begin, words.list[1].bytes.end - words.list[1].bytes.begin),
            "I’m");
  EXPECT_EQ(words.list[0].before, Gap::sentence);
  EXPECT_EQ(words.list[1].before, Gap::clause);
  EXPECT_EQ(words.list[2].before, Gap::space);
  EXPECT_EQ(words.list[3].before, Gap::sentence);
  EXPECT_EQ(words.end, Gap::question);
}

TEST(Words, KeepNumbersAndApostrophesWhole) {
  EXPECT_EQ(words_of("3.5 of 1,200 o'clock rock-'n'-roll a_b"),
            (Texts{"3.5", "of", "1,200", "o'clock", "rock", "n", "roll", "a_b"}));
  EXPECT_EQ(words_of("___ -- ..."), Texts{});
}

TEST(Words, OfTextsWithoutWordsAreNone) {
  for (const char* text : {"", " \n\t", "...", "😀", "🏳️‍🌈❤️", "\xff\xfe"})
    EXPECT_TRUE(words_of(text).empty()) << text;
}

TEST(Words, AreNormalised) {
  EXPECT_EQ(words_of("Zoe\xCC\x88 nai\xCC\x88ve"), (Texts{"zoë", "naïve"}));  // combining diaeresis
  EXPECT_EQ(words_of("ÉCOLE Ñandú ŁÓDŹ"), (Texts{"école", "ñandú", "łódź"}));
  EXPECT_EQ(normalise("Zoe\xCC\x88"), "Zoë");
  EXPECT_EQ(normalise("a\xFFz"), "a\xEF\xBF\xBDz");
}

TEST(Words, ArePartedByColonsAndAtSigns) {
  EXPECT_EQ(words_of("ana@example.org I:you"), (Texts{"ana", "example.org", "i", "you"}));
}

TEST(Words, OfOtherScriptsComeFromIcu) {
  EXPECT_EQ(words_of("Привет, МИР"), (Texts{"привет", "мир"}));
  EXPECT_GE(words_of("我很高兴见到你").size(), 3U);
  EXPECT_GE(words_of("ฉันรักคุณมาก").size(), 3U);
  EXPECT_EQ(words_of("שלום עולם").size(), 2U);
}

TEST(Words, SurviveBrokenBytes) {
  EXPECT_EQ(words_of("sad\xC3 day\xED\xA0\x80 end\xE2\x82"), (Texts{"sad", "day", "end"}));
  EXPECT_EQ(words_of(std::string("a\0b", 3)), (Texts{"a", "b"}));
  EXPECT_EQ(words_of("zero\xE2\x80\x8Bwidth"), (Texts{"zero", "width"}));
}

// The fast way and ICU must agree on every text the fast way takes.
TEST(Words, TheFastWayGivesTheWordsOfIcu) {
  const char* pieces[] = {"a", "Z", "é", "Ł", "ß", "İ",        "9",        "0",    " ", "  ",
                          "'", "’", "‘", ".", ",", ":",        ";",        "-",    "_", "!",
                          "?", "…", "—", "“", "”", "·",        "\n",       "\r\n", "(", ")",
                          "/", "@", "#", "&", "ª", "\xC2\xA0", "\xC2\xAD", "€",    "ǆ", "ɏ"};
  Stream random(Seed(7));
  Splitter fast;
  Splitter slow;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::uint64_t n = random.below(14); n > 0; --n) text += pieces[random.below(std::size(pieces))];
    const Words& a = fast.split(text);
    const Words& b = slow.split_by_icu(text);
    ASSERT_EQ(folded(a), folded(b)) << text;
    ASSERT_EQ(a.list, b.list) << text;
    ASSERT_EQ(a.end, b.end) << text;
  }
}

TEST(Words, TakeTimeInProportionToTheText) {
  Splitter splitter;
  const auto seconds = [&](std::string_view piece, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += piece;
    const auto from = std::chrono::steady_clock::now();
    splitter.split(text);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
  };
  for (const char* piece : {"I am sad. ", "我很高兴。", "a'"}) {
    seconds(piece, 2000);
    EXPECT_LT(seconds(piece, 40000), 60 * seconds(piece, 4000) + 0.05) << piece;
  }
}

TEST(Sentences, HaveSpansWithoutTheSpaceAround) {
  const std::string text = " I know. It hurts!  Doesn't it?\n";
  Texts found;
  for (const Span s : sentences(text)) found.push_back(text.substr(s.begin, s.end - s.begin));
  EXPECT_EQ(found, (Texts{"I know.", "It hurts!", "Doesn't it?"}));
  EXPECT_TRUE(sentences("").empty());
  EXPECT_TRUE(sentences("  \n").empty());
}

}  // namespace
}  // namespace sonder::text
