#include "stats/families.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "stats/mean.h"

namespace sonder::stats {
namespace {

std::vector<double> normals(std::uint64_t seed, int n, double mean, double sd = 1) {
  Stream stream{Seed(seed)};
  std::vector<double> x(static_cast<std::size_t>(n));
  for (double& value : x) value = mean + sd * stream.normal();
  return x;
}

TEST(Families, FindAPlantedDifferenceAndNoneWhereNoneIs) {
  const auto before = normals(1, 60, 3);
  for (const double planted : {0.0, 1.0}) {
    auto after = normals(2, 60, planted, .5);
    for (std::size_t i = 0; i < after.size(); ++i) after[i] += before[i];
    FamilyOptions options;
    options.draws = 999;
    options.bound = .3;
    for (const auto& lines :
         {paired_family(before, after, options), unpaired_family(before, after, options)}) {
      for (const Line& line : lines) {
        const bool equivalence = line.name.starts_with("equivalence");
        const bool auroc = line.name.starts_with("AUROC");
        const double null = auroc ? .5 : 0;
        ASSERT_TRUE(line.estimate.usable()) << line.name;
        if (equivalence) continue;
        EXPECT_EQ(line.estimate.ci95.low > null, planted > 0) << line.name;
        EXPECT_EQ(line.estimate.p<.01, planted> 0) << line.name;
      }
    }
    EXPECT_EQ(paired_family(before, after, options).back().estimate.p < .05, planted == 0);
  }
}

TEST(Families, OfClustersAreWiderThanOfRows) {
  std::vector<double> x;
  std::vector<int> cluster;
  const auto centres = normals(3, 20, .2);
  for (int c = 0; c < 20; ++c)
    for (const double noise : normals(100 + static_cast<std::uint64_t>(c), 5, 0, .2)) {
      x.push_back(centres[static_cast<std::size_t>(c)] + noise);
      cluster.push_back(c);
    }
  FamilyOptions options;
  options.draws = 999;
  const auto lines = clustered_family(x, cluster, options);
  const auto width = [](const Line& l) { return l.estimate.ci95.high - l.estimate.ci95.low; };
  ASSERT_EQ(lines.size(), 6U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_GT(width(lines[i]), 1.5 * width(lines[4])) << lines[i].name;
  EXPECT_GT(lines[5].estimate.value, .8);
  EXPECT_FALSE(lines[5].has_interval);
}

TEST(Families, OfRatersSeeAgreementAndChance) {
  for (const bool agree : {true, false}) {
    Stream stream(Seed(5));
    Ratings ratings(80, 3);
    for (std::size_t i = 0; i < ratings.n; ++i) {
      const auto truth = static_cast<double>(stream.below(3));
      for (auto& rating : ratings.row(i))
        rating = agree && stream.uniform() < .9 ? truth : static_cast<double>(stream.below(3));
    }
    FamilyOptions options;
    options.draws = 499;
    for (const Metric metric : {Metric::nominal, Metric::ordinal, Metric::interval})
      for (const Line& line : agreement_family(ratings, metric, options)) {
        EXPECT_EQ(line.estimate.ci95.low > .4, agree) << line.name;
        EXPECT_TRUE(agree || line.estimate.ci95.low < .05) << line.name;
      }
  }
}

TEST(Families, OfScoresTellClassesApartAcrossClustersOrWithin) {
  std::vector<double> score;
  std::vector<char> high;
  std::vector<int> cluster;
  const auto noise = normals(9, 80, 0, .1);
  for (int i = 0; i < 80; ++i) {  // the classes differ between clusters alone
    const bool is_high = i % 8 >= 4 ? i / 8 < 8 : i / 8 < 2;
    score.push_back((i / 8 < 5 ? 1 : 0) + noise[static_cast<std::size_t>(i)]);
    high.push_back(is_high ? 1 : 0);
    cluster.push_back(i / 8);
  }
  const auto plain = roc_family(score, high, {}, {});
  ASSERT_EQ(plain.size(), 1U);
  const auto lines = roc_family(score, high, cluster, {});
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_NEAR(plain[0].estimate.value, lines[0].estimate.value, 1e-12);
  EXPECT_GT(lines[0].estimate.value, lines[2].estimate.value);
  EXPECT_THROW(roc_family(score, std::vector<char>(3), {}, {}), Error);
}

}  // namespace
}  // namespace sonder::stats
