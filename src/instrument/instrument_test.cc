#include "instrument/instrument.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sonder::instrument {
namespace {

TEST(Blind, KeepsTheMessageAndTheWordsAndNothingElse) {
  model::Reply reply;
  reply.text = "words";
  reply.tokens = {1, 2, 3};
  const BlindReply seen = blind("message", reply);
  EXPECT_EQ(seen.message(), "message");
  EXPECT_EQ(seen.words(), "words");
  EXPECT_EQ(blind_text("message", "words").words(), seen.words());
}

TEST(Length, CountsWordsByWhiteSpaceAndIsAControl) {
  const auto meter = length();
  const std::vector<BlindReply> replies = {blind_text("", "one two\n three "), blind_text("", ""),
                                           blind_text("", "don't — stop")};
  const auto scores = meter->score("affective", replies, {}, {});
  EXPECT_EQ(*scores[0], 3);
  EXPECT_EQ(*scores[1], 0);
  EXPECT_EQ(*scores[2], 3);
  EXPECT_TRUE(meter->control_only());
  EXPECT_FALSE(lexicon()->control_only());
}

TEST(Instruments, TellTheEndsOfTheirScales) {
  EXPECT_TRUE(std::isinf(lexicon()->lowest()) && std::isinf(lexicon()->highest()));
  EXPECT_EQ(length()->lowest(), 0);
  EXPECT_GT(length()->step(), 0);
}

}  // namespace
}  // namespace sonder::instrument
