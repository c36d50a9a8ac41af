#include "stats/ols.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"
#include "base/seed.h"
#include "stats/cluster.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

struct Sample {
  Numbers x{0, 3};
  Values y;
  std::vector<int> cluster;
};

// Intercept, a column that varies within clusters, one that varies between; unequal clusters.
Sample draw(Stream& stream, int n_clusters, double slope, double within, double between) {
  Sample s;
  for (int c = 0; c < n_clusters; ++c) {
    const double shared = between * stream.normal();
    const double own = stream.normal();
    for (int i = 0; i < 2 + c % 4; ++i) {
      const double row[] = {1, stream.normal(), own};
      s.x.append(row);
      s.y.push_back(.5 + slope * row[1] + shared + within * stream.normal());
      s.cluster.push_back(100 - c);
    }
  }
  return s;
}

Matrix design_of(const Numbers& x) {
  Matrix m(static_cast<Eigen::Index>(x.n), static_cast<Eigen::Index>(x.d));
  for (std::size_t i = 0; i < x.n; ++i)
    for (std::size_t j = 0; j < x.d; ++j)
      m(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = x.row(i)[j];
  return m;
}

// Bell and McCaffrey's variance and df as they are written, with n × n matrices.
struct Dense {
  double variance = 0;
  double df = 0;
};
Dense by_the_book(const Sample& s, Eigen::Index coefficient) {
  const Matrix x = design_of(s.x);
  const Eigen::Index n = x.rows();
  const Vector y = Eigen::Map<const Vector>(s.y.data(), n);
  const Matrix m = (x.transpose() * x).inverse();
  const Matrix maker = Matrix::Identity(n, n) - x * m * x.transpose();
  const Vector e = maker * y;
  std::vector<int> names = s.cluster;
  names.erase(std::unique(names.begin(), names.end()), names.end());
  Matrix p(n, static_cast<Eigen::Index>(names.size()));
  Dense out;
  for (std::size_t g = 0; g < names.size(); ++g) {
    std::vector<Eigen::Index> rows;
    for (Eigen::Index i = 0; i < n; ++i)
      if (s.cluster[static_cast<std::size_t>(i)] == names[g]) rows.push_back(i);
    const Matrix xg = x(rows, Eigen::all);
    const auto size = static_cast<Eigen::Index>(rows.size());
    const Matrix leverage = Matrix::Identity(size, size) - xg * m * xg.transpose();
    const Matrix root = Eigen::SelfAdjointEigenSolver<Matrix>(leverage).operatorInverseSqrt();
    const Vector pull = root * xg * m.col(coefficient);
    const double part = pull.dot(e(rows));
    out.variance += part * part;
    p.col(static_cast<Eigen::Index>(g)) = maker(Eigen::all, rows) * pull;
  }
  const Matrix gram = p.transpose() * p;
  out.df = gram.trace() * gram.trace() / gram.squaredNorm();
  return out;
}

TEST(Ols, HasTheErrorsOfTheDenseFormulas) {
  Stream stream(Seed(3).child("dense"));
  for (int run = 0; run < 20; ++run) {
    const Sample s = draw(stream, 7, .4, 1, .5);
    const Regression fit = ols(s.x, s.y, s.cluster);
    for (std::size_t j = 0; j < 3; ++j) {
      const Dense book = by_the_book(s, static_cast<Eigen::Index>(j));
      EXPECT_NEAR(fit.coefficient[j].se, std::sqrt(book.variance), 1e-10);
      EXPECT_NEAR(fit.df[j], book.df, 1e-8);
    }
  }
}

TEST(Ols, OfSingletonClustersIsTheOrdinaryRobustError) {  // HC2 for cr2, HC0 for cr0
  Stream stream(Seed(4).child("singletons"));
  Numbers x(0, 2);
  Values y;
  std::vector<int> own;
  for (int i = 0; i < 12; ++i) {
    const double row[] = {1, stream.normal()};
    x.append(row);
    y.push_back(stream.normal());
    own.push_back(i);
  }
  const Matrix m = design_of(x);
  const Matrix bread = (m.transpose() * m).inverse();
  const Vector yy = Eigen::Map<const Vector>(y.data(), 12);
  const Vector e = yy - m * (bread * (m.transpose() * yy));
  Matrix hc0 = Matrix::Zero(2, 2);
  Matrix hc2 = Matrix::Zero(2, 2);
  for (Eigen::Index i = 0; i < 12; ++i) {
    const Matrix one = e(i) * e(i) * m.row(i).transpose() * m.row(i);
    hc0 += one;
    hc2 += one / (1 - (m.row(i) * bread * m.row(i).transpose())(0, 0));
  }
  hc0 = (bread * hc0 * bread).eval();
  hc2 = (bread * hc2 * bread).eval();
  EXPECT_NEAR(ols(x, y, own, ClusterError::cr0).covariance.row(1)[1], hc0(1, 1), 1e-12);
  EXPECT_NEAR(ols(x, y, own, ClusterError::cr2).covariance.row(1)[1], hc2(1, 1), 1e-12);
  EXPECT_NEAR(ols(x, y, own, ClusterError::cr2).covariance.row(0)[1], hc2(0, 1), 1e-12);
}

TEST(Ols, DISABLED_CoversTheTruthWithFewClustersAndNaiveErrorsDoNot) {
  Stream stream(Seed(5).child("coverage"));
  int inside = 0;
  int naive = 0;
  const int n_runs = 600;
  for (int run = 0; run < n_runs; ++run) {
    const Sample s = draw(stream, 12, 0, .5, 1);
    const Interval robust = ols(s.x, s.y, s.cluster).coefficient[2].ci95;
    const Interval plain = ols(s.x, s.y).coefficient[2].ci95;
    inside += robust.low < 0 && 0 < robust.high ? 1 : 0;
    naive += plain.low < 0 && 0 < plain.high ? 1 : 0;
  }
  EXPECT_NEAR(inside / double(n_runs), .95, .03);  // three errors
  EXPECT_LT(naive / double(n_runs), .85);
}

TEST(Ols, LeavesOutAColumnTheOthersHoldAndSaysSo) {
  Numbers x(0, 4);
  Values y;
  for (int i = 0; i < 8; ++i) {
    const double row[] = {1, double(i), 2, 3 - 2.0 * i};
    x.append(row);
    y.push_back(i % 3 + i);
  }
  const Regression fit = ols(x, y);
  EXPECT_EQ(fit.rank, 2);
  EXPECT_EQ(fit.status, Status::flagged);
  int undefined = 0;
  for (const Estimate& c : fit.coefficient) undefined += c.status == Status::undefined ? 1 : 0;
  EXPECT_EQ(undefined, 2);
}

TEST(Ols, KeepsItsDigitsUnderHugeOffsets) {
  Numbers near(0, 2);
  Numbers far(0, 2);
  Values y_near;
  Values y_far;
  std::vector<int> cluster;
  Stream stream(Seed(6).child("offset"));
  for (int i = 0; i < 60; ++i) {
    const double x = std::floor(stream.uniform() * 64) / 8;
    const double y = std::floor(stream.normal() * 64) / 8;
    const double row_near[] = {1, x};
    const double row_far[] = {1, 1e12 + x};
    near.append(row_near);
    far.append(row_far);
    y_near.push_back(y);
    y_far.push_back(1e12 + y);
    cluster.push_back(i / 4);
  }
  const Regression one = ols(near, y_near, cluster);
  const Regression other = ols(far, y_far, cluster);
  EXPECT_NEAR(other.coefficient[1].value, one.coefficient[1].value, 1e-4 * one.coefficient[1].se);
  EXPECT_NEAR(other.coefficient[1].se, one.coefficient[1].se, 1e-3 * one.coefficient[1].se);
  EXPECT_NEAR(other.df[1], one.df[1], 1e-6);
}

TEST(Ols, OfAnExactLineHasNoSpreadAndSaysSo) {
  Numbers x(0, 2);
  Values y;
  for (int i = 0; i < 9; ++i) {
    const double row[] = {1, i * .1};
    x.append(row);
    y.push_back(.3 + .7 * row[1]);
  }
  const Estimate slope = ols(x, y).coefficient[1];
  EXPECT_NEAR(slope.value, .7, 1e-14);
  EXPECT_EQ(slope.se, 0);
  EXPECT_EQ(slope.status, Status::flagged);
  EXPECT_GT(slope.p, 0);
}

TEST(Ols, HandlesItsEdges) {
  Numbers x(0, 2);
  for (int i = 0; i < 4; ++i) {
    const double row[] = {1, double(i)};
    x.append(row);
  }
  const Values y = {1, 2, 2, 5};
  EXPECT_EQ(ols(x, y, std::vector<int>{1, 1, 1, 1}).status, Status::undefined);
  EXPECT_FALSE(ols(x, y, std::vector<int>{1, 1, 1, 1}).coefficient[1].usable());
  EXPECT_EQ(ols(Numbers(0, 2), Values{}).status, Status::undefined);
  Numbers two(0, 2);
  two.append(x.row(0));
  two.append(x.row(1));
  EXPECT_EQ(ols(two, Values{1, 2}).status, Status::undefined);
  EXPECT_THROW(ols(x, Values{1, 2, 3}), Error);
  EXPECT_THROW(ols(x, Values{1, 2, 3, std::nan("")}), Error);
  EXPECT_THROW(ols(x, Values{1, 2, 3, std::numeric_limits<double>::infinity()}), Error);
  EXPECT_EQ(ols(x, Values{1e300, -1e300, 1e300, 1e308}).coefficient[0].status, Status::undefined);
}

TEST(TwoWay, WithOneWayOfSingletonsIsTheOther) {
  Stream stream(Seed(7).child("two way"));
  const Sample s = draw(stream, 8, .2, 1, .5);
  std::vector<int> own(s.y.size());
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<int>(i);
  const Regression both = ols_two_way(s.x, s.y, s.cluster, own);
  const Regression one = ols(s.x, s.y, s.cluster, ClusterError::cr1);
  EXPECT_NEAR(both.coefficient[1].se, one.coefficient[1].se, 1e-12);
}

TEST(TwoWay, MeanSeesBothKindsOfSharing) {  // raters × scenarios, an effect of each
  Stream stream(Seed(8).child("crossed"));
  int inside = 0;
  int naive = 0;
  const int n_runs = 300;
  for (int run = 0; run < n_runs; ++run) {
    Values rater(20);
    Values scenario(20);
    for (double& v : rater) v = stream.normal();
    for (double& v : scenario) v = stream.normal();
    Values x;
    std::vector<int> first;
    std::vector<int> second;
    for (int r = 0; r < 20; ++r) {
      for (int s = 0; s < 20; ++s) {
        x.push_back(rater[static_cast<std::size_t>(r)] + scenario[static_cast<std::size_t>(s)] +
                    stream.normal());
        first.push_back(r);
        second.push_back(s);
      }
    }
    const Interval wide = two_way_mean(x, first, second).ci95;
    const Interval narrow = clustered_mean(x, first).ci95;
    inside += wide.low < 0 && 0 < wide.high ? 1 : 0;
    naive += narrow.low < 0 && 0 < narrow.high ? 1 : 0;
  }
  EXPECT_GT(inside / double(n_runs), .91);
  EXPECT_LT(naive / double(n_runs), .90);
}

TEST(TwoWay, OfOneClusterEitherWayIsUndefined) {
  EXPECT_EQ(two_way_mean(Values{1, 2, 3}, std::vector<int>{1, 1, 1}, std::vector<int>{1, 2, 3}).status,
            Status::undefined);
  EXPECT_EQ(two_way_mean(Values{1}, std::vector<int>{1}, std::vector<int>{1}).status, Status::undefined);
}

TEST(TwoWay, MendsACovarianceThatIsNotPositive) {  // a chequerboard: sums of rows and columns cancel
  Values x;
  std::vector<int> first;
  std::vector<int> second;
  for (int r = 0; r < 4; ++r) {
    for (int s = 0; s < 4; ++s) {
      x.push_back((r + s) % 2 == 0 ? 1 : -1);
      first.push_back(r);
      second.push_back(s);
    }
  }
  const Estimate found = two_way_mean(x, first, second);
  EXPECT_EQ(found.status, Status::flagged);
  EXPECT_GE(found.warnings.size(), 1U);
}

TEST(Amce, FindsAPlantedEffectInARandomisedDesign) {
  Stream stream(Seed(9).child("conjoint"));
  Factor colour{{}, 3};
  Factor size{{}, 2};
  Values y;
  std::vector<int> person;
  for (int i = 0; i < 900; ++i) {
    const int c = static_cast<int>(stream.below(3));
    const int s = static_cast<int>(stream.below(2));
    colour.level.push_back(c);
    size.level.push_back(s);
    person.push_back(i / 6);
    y.push_back((c == 2 ? .5 : 0) + stream.normal());
  }
  const std::vector<Factor> factors = {colour, size};
  const Conjoint found = amce(y, factors, person);
  ASSERT_EQ(found.effect.size(), 2U);
  ASSERT_EQ(found.effect[0].size(), 2U);
  EXPECT_LT(found.effect[0][1].p, .001);
  EXPECT_NEAR(found.effect[0][1].value, .5, 3.5 * found.effect[0][1].se);
  EXPECT_GT(found.effect[1][0].p, .01);
  EXPECT_THROW(amce(y, std::vector<Factor>{{std::vector<int>(900, 2), 2}}, person), Error);
}

TEST(Ancova, SeesSlopesThatDiffer) {
  Stream stream(Seed(10).child("slopes"));
  Factor group{{}, 2};
  Values x;
  Values same;
  Values differing;
  for (int i = 0; i < 120; ++i) {
    group.level.push_back(i % 2);
    x.push_back(stream.normal());
    const double noise = .5 * stream.normal();
    same.push_back(x.back() + noise);
    differing.push_back((i % 2 == 0 ? 1 : 0) * x.back() + noise);
  }
  EXPECT_GT(ancova(same, group, x).homogeneity.p, .01);
  EXPECT_LT(ancova(differing, group, x).homogeneity.p, 1e-4);
  EXPECT_EQ(ancova(same, group, Values(120, 2.0)).slope.status, Status::undefined);  // a constant covariate
}

TEST(IndividualShare, IsUndefinedWhenNeitherEffectIsThere) {
  Estimate none;
  none.value = .1;
  none.ci95 = {-.1, .3};
  Estimate some;
  some.value = .3;
  some.ci95 = {.1, .5};
  EXPECT_EQ(individual_share(none, none).status, Status::undefined);
  EXPECT_NEAR(individual_share(none, some).value, .25, 1e-12);
}

TEST(LogOdds, AreNeverInfinite) {
  EXPECT_TRUE(std::isfinite(log_odds(0, 20).value));
  EXPECT_NEAR(log_odds(0, 20).value, -log_odds(20, 20).value, 1e-12);
  EXPECT_EQ(log_odds(0, 0).status, Status::refused);
  EXPECT_THROW(log_odds(3, 2), Error);
}

TEST(DesignEffect, IsOneWithoutClusteringAndTheSizeForCopies) {
  Values copies;
  std::vector<int> cluster;
  Stream stream(Seed(11).child("copies"));
  for (int c = 0; c < 10; ++c) {
    const double value = stream.normal();
    for (int i = 0; i < 4; ++i) {
      copies.push_back(value);
      cluster.push_back(c);
    }
  }
  const DesignEffect found = design_effect(copies, cluster);
  EXPECT_NEAR(found.icc, 1, 1e-12);
  EXPECT_NEAR(found.deff, 4, 1e-12);
  EXPECT_NEAR(found.effective_n, 10, 1e-12);
  EXPECT_EQ(design_effect(Values{1, 2}, std::vector<int>{1, 1}).status, Status::undefined);
  EXPECT_EQ(design_effect(Values{1, 2}, std::vector<int>{1, 2}).status, Status::undefined);
  EXPECT_EQ(design_effect(Values{}, std::vector<int>{}).status, Status::undefined);
}

}  // namespace
}  // namespace sonder::stats
