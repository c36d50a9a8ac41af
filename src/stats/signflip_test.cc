#include "stats/signflip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"
#include "stats/mean.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;

Values normals(Stream& stream, std::size_t n, double mean) {
  Values x(n);
  for (double& v : x) v = mean + stream.normal();
  return x;
}

TEST(SignFlipInterval, IsTheExactOneUpToTwentyUnits) {
  Stream stream(Seed(1).child("small"));
  const Values x = normals(stream, 14, .5);
  const Estimate exact = sign_flip_mean(x);
  const Estimate found = sign_flip_interval(x, Seed(2));
  EXPECT_EQ(found.ci95, exact.ci95);
  EXPECT_EQ(found.ci90, exact.ci90);
  EXPECT_EQ(found.p, exact.p);
}

TEST(SignFlipInterval, OfManyUnitsIsCloseToTs) {
  Stream stream(Seed(3).child("many"));
  const Values x = normals(stream, 150, .4);
  const Estimate found = sign_flip_interval(x, Seed(4));
  const Estimate t = mean(x);
  EXPECT_NEAR(found.ci95.low, t.ci95.low, .02);
  EXPECT_NEAR(found.ci95.high, t.ci95.high, .02);
  EXPECT_EQ(found.p<.05, found.ci95.low> 0);
}

TEST(SignFlipInterval, CoversTheTruthAsOftenAsItSays) {
  Stream stream(Seed(5).child("coverage"));
  int inside = 0;
  const int n_runs = 1000;
  for (int run = 0; run < n_runs; ++run) {
    const Interval ci =
        sign_flip_interval(normals(stream, 25, .3), Seed(static_cast<std::uint64_t>(run)), 199).ci95;
    inside += ci.low < .3 && .3 < ci.high ? 1 : 0;
  }
  EXPECT_NEAR(inside / double(n_runs), .95, .021);  // three errors
}

TEST(SignFlipInterval, StudentisedWouldBeTheSameTest) {  // by brute force over all signs
  Stream stream(Seed(6).child("student"));
  const Values x = normals(stream, 9, .7);
  const auto t_of = [](const Values& v) {
    const Estimate e = mean(v);
    return std::abs(e.value / e.se);
  };
  const double observed = t_of(x);
  int reached = 0;
  for (unsigned signs = 0; signs < 512; ++signs) {
    Values flipped = x;
    for (std::size_t i = 0; i < 9; ++i)
      if ((signs >> i & 1U) != 0) flipped[i] = -flipped[i];
    reached += t_of(flipped) >= observed * (1 - 1e-12) ? 1 : 0;
  }
  EXPECT_EQ(reached / 512., sign_flip(x, Seed(0)).p);
}

TEST(SignFlipInterval, OfClustersOfOneIsThePlainOne) {
  Stream stream(Seed(7).child("ones"));
  const Values x = normals(stream, 30, 0);
  std::vector<int> own(30);
  for (int i = 0; i < 30; ++i) own[static_cast<std::size_t>(i)] = 30 - i;
  EXPECT_EQ(sign_flip_interval(x, own, Seed(8)).ci95, sign_flip_interval(x, Seed(8)).ci95);
}

TEST(SignFlipInterval, OfClustersHoldsWhatTheirFlipsDoNotReject) {
  Stream stream(Seed(9).child("clusters"));
  for (int run = 0; run < 20; ++run) {
    Values x;
    std::vector<int> cluster;
    for (int c = 0; c < 9; ++c) {
      const double shared = .5 + stream.normal();
      for (int i = 0; i < 1 + c % 3; ++i) {
        x.push_back(shared + .3 * stream.normal());
        cluster.push_back(c);
      }
    }
    const Interval ci = sign_flip_interval(x, cluster, Seed(0)).ci95;
    const auto p_at = [&](double theta) {
      Values sums(9, 0.0);
      for (std::size_t i = 0; i < x.size(); ++i) sums[static_cast<std::size_t>(cluster[i])] += x[i] - theta;
      return sign_flip(sums, Seed(0)).p;
    };
    const double hair = 1e-6;
    EXPECT_LE(p_at(ci.low - hair), .0501);
    EXPECT_GT(p_at(ci.low + hair), .045);
    EXPECT_LE(p_at(ci.high + hair), .0501);
    EXPECT_GT(p_at(ci.high - hair), .045);
  }
}

TEST(SignFlipInterval, HandlesItsEdges) {
  EXPECT_EQ(sign_flip_interval(Values{1, 2, 3, 4, 5}, Seed(0)).status, Status::refused);
  EXPECT_EQ(sign_flip_interval(Values{}, Seed(0)).status, Status::refused);
  EXPECT_EQ(sign_flip_interval(Values(30, 0.0), Seed(0)).p, 1);
  EXPECT_EQ(sign_flip_interval(Values(30, 2.0), Seed(0)).status, Status::flagged);
  EXPECT_EQ(sign_flip_interval(Values(8, 2.0), std::vector<int>(8, 1), Seed(0)).status, Status::refused);
  EXPECT_THROW(sign_flip_interval(Values(30, 1.0), Seed(0), 10), Error);
  EXPECT_THROW(sign_flip_interval(Values{std::nan("")}, Seed(0)), Error);
}

}  // namespace
}  // namespace sonder::stats
