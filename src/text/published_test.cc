#include "text/published.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/seed.h"

namespace sonder::text {
namespace {

// Source: methods.md M42. Its first figures, ratios of attenuation, are of `fieller`: golden_designs_test.cc
// of stats.
TEST(Golden, M42_TextMetrics) {
  EXPECT_NEAR(unsigned_mismatch(3 / 6., 1 / 4.), .3333333, 5e-8);
  EXPECT_NEAR(distance_of_noise(3), 2.2567583, 5e-8);
  EXPECT_NEAR(categorical_dynamic({6.5, 13.2, 9.1, 5.0, 8.4, 6.0, 4.7, 1.1}), 15.4, 1e-9);
  EXPECT_NEAR(vader_compound(2), .4588315, 5e-8);
  // The sums of VADER 3.3.2's valences, with its marks for "!" and capitals.
  EXPECT_NEAR(vader_compound(1.7 + 2.2 + 1.9), .8316, 5e-5);
  EXPECT_NEAR(vader_compound(1.7 + 2.2 + 1.9 + .292), .8439, 5e-5);
  EXPECT_NEAR(vader_compound(1.9), .4404, 5e-5);
  EXPECT_NEAR(vader_compound(-1.5 - .733 - .292), -.5461, 5e-5);
  EXPECT_NEAR(vader_compound(-3.3 - 1.5), -.7783, 5e-5);  // "That sounds devastating and lonely."
}

TEST(Published, TheDistanceOfNoiseIsThatOfDraws) {
  Stream stream(Seed(42).child("profiles"));
  const int runs = 20000;
  double total = 0;
  for (int run = 0; run < runs; ++run) {
    double squares = 0;
    for (int k = 0; k < 3; ++k) squares += std::pow(stream.normal() - stream.normal(), 2);
    total += std::sqrt(squares);
  }
  EXPECT_NEAR(total / runs, distance_of_noise(3), 4 * .95 / std::sqrt(runs));  // four standard errors
}

TEST(Published, MismatchHasNoSignAndRefusesWhatIsNoDensity) {
  EXPECT_EQ(unsigned_mismatch(1, 3), unsigned_mismatch(3, 1));
  EXPECT_EQ(unsigned_mismatch(0, 0), 0);
  EXPECT_THROW(unsigned_mismatch(-1, 1), Error);
  EXPECT_THROW(vader_compound(NAN), Error);
  EXPECT_THROW(distance_of_noise(0), Error);
}

}  // namespace
}  // namespace sonder::text
