#include "model/detail/retry.h"

#include <gtest/gtest.h>

namespace sonder::model::detail {
namespace {

const RetryRule kRule{6, 1, 10, 300};

TEST(Retry, WaitsTwiceAsLongEachTimeUpToTheMost) {
  const double lowest[] = {0.5, 1, 2, 4, 5};
  for (int failed = 1; failed <= 5; ++failed) {
    EXPECT_DOUBLE_EQ(*wait_after(kRule, failed, {}, 0), lowest[failed - 1]);
    EXPECT_DOUBLE_EQ(*wait_after(kRule, failed, {}, 0.5), 1.5 * lowest[failed - 1]);
    EXPECT_LT(*wait_after(kRule, failed, {}, 0.999999), 2 * lowest[failed - 1]);
  }
}

TEST(Retry, EndsWhenTheTriesAreUsedUp) {
  EXPECT_FALSE(wait_after(kRule, 6, {}, 0));
  EXPECT_FALSE(wait_after(kRule, 1000, {}, 0));
  EXPECT_FALSE(wait_after({1, 1, 10, 300}, 1, {}, 0));
  EXPECT_TRUE(wait_after({1000000, 1, 10, 300}, 999999, {}, 0));
}

TEST(Retry, NeverComesBackBeforeItWasAskedTo) {
  for (const double chance : {0.0, 0.3, 0.99}) {
    for (const double asked : {0.0, 0.1, 3.0, 299.0}) {
      EXPECT_GE(*wait_after(kRule, 1, asked, chance), asked);
      EXPECT_GE(*wait_after(kRule, 1, asked, chance), *wait_after(kRule, 1, {}, chance));
      EXPECT_LE(*wait_after(kRule, 1, asked, chance), std::max(1.0, 1.1 * asked));
    }
  }
  EXPECT_FALSE(wait_after(kRule, 1, 301.0, 0));
  EXPECT_DOUBLE_EQ(*wait_after(kRule, 1, -5.0, 0), 0.5);
}

TEST(Retry, KnowsWhatPasses) {
  for (const int status : {408, 409, 425, 429, 500, 502, 503, 504, 520, 529})
    EXPECT_TRUE(passes(status)) << status;
  for (const int status : {200, 301, 400, 401, 402, 403, 404, 413, 422, 501, 505, 600})
    EXPECT_FALSE(passes(status)) << status;
}

}  // namespace
}  // namespace sonder::model::detail
