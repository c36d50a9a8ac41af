#include "model/detail/reply_text.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace sonder::model::detail {
namespace {

TEST(Utf8, KeepsWhatIsValid) { EXPECT_EQ(valid_utf8("Zoë 🙂 你好"), "Zoë 🙂 你好"); }

TEST(Utf8, DropsALetterThatIsCutOff) {
  EXPECT_EQ(valid_utf8("ab\xC3"), "ab");
  EXPECT_EQ(valid_utf8("ab\xF0\x9F\x99"), "ab");
}

TEST(Utf8, MarksBrokenLettersInside) {
  EXPECT_EQ(valid_utf8("a\xC3 b"), "a\xEF\xBF\xBD b");
  EXPECT_EQ(valid_utf8("a\x80z"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(valid_utf8("\xED\xA0\x80z"), "\xEF\xBF\xBDz");  // half of a surrogate pair
  EXPECT_EQ(valid_utf8("a\xFF"), "a\xEF\xBF\xBD");
}

TEST(ReplyText, EndsBeforeAStopThatSpansTokens) {
  const std::vector<std::string> stops = {"\nUser:"};
  ReplyText text(stops);
  EXPECT_FALSE(text.add(1, "I am here."));
  EXPECT_FALSE(text.add(2, "\nUs"));
  EXPECT_TRUE(text.add(3, "er: and"));
  const Reply reply = text.finish(Stopped::stop_text);
  EXPECT_EQ(reply.text, "I am here.");
  EXPECT_EQ(reply.tokens, std::vector<Token>({1}));
}

TEST(ReplyText, KeepsATokenThatAStopCutsInTwo) {
  const std::vector<std::string> stops = {"."};
  ReplyText text(stops);
  EXPECT_TRUE(text.add(5, "end. And"));
  const Reply reply = text.finish(Stopped::stop_text);
  EXPECT_EQ(reply.text, "end");
  EXPECT_EQ(reply.tokens, std::vector<Token>({5}));
}

TEST(ReplyText, TakesTheEarliestOfSeveralStops) {
  const std::vector<std::string> stops = {"c", "b"};
  ReplyText text(stops);
  EXPECT_TRUE(text.add(1, "abc"));
  EXPECT_EQ(text.finish(Stopped::stop_text).text, "a");
}

TEST(ReplyText, MayBeEmpty) {
  const std::vector<std::string> stops;
  ReplyText text(stops);
  EXPECT_EQ(text.finish(Stopped::end_of_turn), (Reply{"", {}, Stopped::end_of_turn}));
}

TEST(ReplyText, RefusesAnEmptyStop) {
  const std::vector<std::string> stops = {""};
  EXPECT_THROW(ReplyText text(stops), Error);
}

}  // namespace
}  // namespace sonder::model::detail
