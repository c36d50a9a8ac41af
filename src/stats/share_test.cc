#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "stats/mean.h"

namespace sonder::stats {
namespace {

TEST(Wilson, MatchesNewcombesTable) {  // methods.md M20; Newcombe 1998, Statistics in Medicine 17, table I
  struct Row {
    long k, n;
    double low, high;
  };
  for (const Row& row : {Row{81, 263, .2552885, .3662096}, Row{15, 148, .0623864, .1604872},
                         Row{0, 20, 0, .1611252}, Row{1, 29, .0061132, .1717552}}) {
    const Estimate share = wilson(row.k, row.n);
    EXPECT_NEAR(share.ci95.low, row.low, 1e-7) << row.k << "/" << row.n;
    EXPECT_NEAR(share.ci95.high, row.high, 1e-7) << row.k << "/" << row.n;
    EXPECT_GE(share.ci90.low, share.ci95.low);
    EXPECT_LE(share.ci90.high, share.ci95.high);
  }
}

TEST(Wilson, DisagreesWithTheExactTestWhereItShould) {  // methods.md M19
  const Estimate share = wilson(60, 100);
  EXPECT_NEAR(share.ci95.low, .5020026, 1e-7);
  EXPECT_NEAR(share.ci95.high, .6905987, 1e-7);
  EXPECT_NEAR(share.p, .0568879, 1e-7);  // the interval excludes 1/2, the test does not: the test decides
}

TEST(Wilson, MirrorsWhenSuccessAndFailureSwap) {
  for (long k = 0; k <= 17; ++k) {
    EXPECT_NEAR(wilson(k, 17).ci95.low, 1 - wilson(17 - k, 17).ci95.high, 1e-14) << k;
    EXPECT_NEAR(wilson(k, 17).p, wilson(17 - k, 17).p, 1e-12) << k;
  }
}

TEST(Wilson, OfNothingIsUndefined) {
  const Estimate nothing = wilson(0, 0);
  EXPECT_EQ(nothing.status, Status::undefined);
  EXPECT_EQ(nothing.ci95, (Interval{0, 1}));
  EXPECT_THROW(wilson(3, 2), Error);
  EXPECT_THROW(wilson(-1, 2), Error);
}

TEST(ExactShare, MatchesR) {  // methods.md M19; R manual of binom.test
  const Estimate mendel = exact_share(682, 925, .75);
  EXPECT_NEAR(mendel.p, .3824916, 1e-7);
  EXPECT_NEAR(mendel.ci95.low, .7076683, 1e-7);
  EXPECT_NEAR(mendel.ci95.high, .7654066, 1e-7);
  const Estimate sixty = exact_share(60, 100);
  EXPECT_NEAR(sixty.ci95.low, .4972092, 1e-7);
  EXPECT_NEAR(sixty.ci95.high, .6967052, 1e-7);
  EXPECT_NEAR(exact_share(16, 20).p, .0118179, 1e-7);
}

TEST(ExactShare, CoversAtLeastAsOftenAsItSays) {
  const double truth = .3;
  double inside = 0;
  for (long k = 0; k <= 25; ++k) {
    const Estimate share = exact_share(k, 25);
    if (share.ci95.low > truth || share.ci95.high < truth) continue;
    double likelihood = 1;
    for (long i = 1; i <= k; ++i) likelihood *= static_cast<double>(25 - k + i) / static_cast<double>(i);
    inside += likelihood * std::pow(truth, static_cast<double>(k)) *
              std::pow(1 - truth, static_cast<double>(25 - k));
  }
  EXPECT_GE(inside, .95);
  EXPECT_LT(inside, .99);
}

TEST(ExactShare, SumsTheOutcomesNoLikelier) {  // one by one
  for (const double null : {.5, .75, .1, .333}) {
    for (const long n : {1L, 2L, 7L, 20L, 33L}) {
      for (long k = 0; k <= n; ++k) {
        const auto likelihood = [&](long i) {
          double value = 1;
          for (long j = 1; j <= i; ++j) value *= static_cast<double>(n - i + j) / static_cast<double>(j);
          return value * std::pow(null, static_cast<double>(i)) *
                 std::pow(1 - null, static_cast<double>(n - i));
        };
        double p = 0;
        for (long i = 0; i <= n; ++i) p += likelihood(i) <= likelihood(k) * (1 + 1e-7) ? likelihood(i) : 0;
        EXPECT_NEAR(exact_share(k, n, null).p, p, 1e-12) << k << " of " << n << ", " << null;
      }
    }
  }
  EXPECT_LT(exact_share(1000000000, 2000000000).p - 1, 1e-9);  // and at once for any n
}

TEST(ExactShare, HandlesNoneAndAll) {
  EXPECT_EQ(exact_share(0, 9).ci95.low, 0);
  EXPECT_NEAR(exact_share(0, 9).ci95.high, 1 - std::pow(.025, 1.0 / 9), 1e-12);
  EXPECT_EQ(exact_share(9, 9).ci95.high, 1);
  EXPECT_EQ(exact_share(0, 0).status, Status::undefined);
  EXPECT_THROW(exact_share(1, 2, 1.0), Error);
}

}  // namespace
}  // namespace sonder::stats
