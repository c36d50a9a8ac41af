#include "latent/direction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "latent/detail/dual.h"
#include "latent/dose.h"
#include "latent/similarity.h"

namespace sonder::latent {
namespace {

Rows rows(std::size_t d, std::vector<float> values) {
  Rows out(values.size() / d, d);
  out.data = std::move(values);
  return out;
}

// methods.md M8.
const Rows kHigh = rows(2, {2, 1, 3, 3, 4, 2, 1, 0});
const Rows kLow = rows(2, {0, 1, -1, -1, 1, 2, 2, 0});

Rows noise(std::size_t n, std::size_t d, Seed seed, double shift = 0) {
  Rows out(n, d);
  Stream stream(seed);
  for (float& x : out.data) x = static_cast<float>(stream.normal());
  for (std::size_t i = 0; i < n; ++i) out.row(i)[0] += static_cast<float>(shift);
  return out;
}

double length(std::span<const float> v) {
  return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
}

TEST(Readers, TheDifferenceOfMeansIsTheGoldenOneAndFlipsWithTheArms) {
  EXPECT_EQ(difference_of_means(kHigh, kLow), (std::vector<double>{2, 1}));
  EXPECT_EQ(difference_of_means(kLow, kHigh), (std::vector<double>{-2, -1}));
  EXPECT_THROW(difference_of_means(kHigh, rows(2, {0, 1})), Error);
  EXPECT_THROW(difference_of_means(Rows(), Rows()), Error);
}

TEST(Golden, M08_LdaWithoutShrinkage) {
  const auto w = detail::lda(kHigh, kLow, 0);
  EXPECT_NEAR(w[0], 1.3125, 1e-12);
  EXPECT_NEAR(w[1], -0.1875, 1e-12);
  EXPECT_NEAR(2 * w[0] + w[1], 2.4375, 1e-12);  // Mahalanobis distance squared
  EXPECT_NEAR(0.5 * std::erfc(-std::sqrt(2.4375) / 2), 0.8651969477, 1e-10);
}

TEST(Readers, ShrunkLdaInSampleSpaceAgreesWithPlainMatrices) {
  for (const std::size_t d : {std::size_t{3}, std::size_t{25}}) {
    const Rows high = noise(6, d, Seed(1), 1);
    const Rows low = noise(6, d, Seed(2));
    const double rho = 0.3;
    detail::Matrix x = detail::stacked(high, low);
    const Eigen::VectorXd gap =
        (x.topRows(6).colwise().mean() - x.bottomRows(6).colwise().mean()).transpose();
    x.topRows(6).rowwise() -= x.topRows(6).colwise().mean().eval();
    x.bottomRows(6).rowwise() -= x.bottomRows(6).colwise().mean().eval();
    detail::Matrix s = x.transpose() * x / 10.0;
    const double m = s.trace() / static_cast<double>(d);
    s = (1 - rho) * s;
    s.diagonal().array() += rho * m;
    const Eigen::VectorXd plain = s.ldlt().solve(gap).normalized();
    const Eigen::VectorXd dual = detail::lda(high, low, rho).normalized();
    EXPECT_LT((plain - dual).norm(), 1e-10) << d;
  }
}

// Referee: the formula of [Ledoit2004] on d × d matrices.
TEST(Readers, LedoitWolfFromTheGramMatrixAgreesWithPlainMatrices) {
  for (const std::size_t d : {std::size_t{4}, std::size_t{30}}) {
    const Rows high = noise(9, d, Seed(3));
    detail::Matrix x = detail::stacked(high, high).topRows(9);
    x.rowwise() -= x.colwise().mean().eval();
    const detail::Matrix s = x.transpose() * x / 9.0;
    const double m = s.trace() / static_cast<double>(d);
    const double spread = (s - m * detail::Matrix::Identity(s.rows(), s.cols())).squaredNorm();
    double scatter = 0;
    for (Eigen::Index i = 0; i < 9; ++i) scatter += (x.row(i).transpose() * x.row(i) - s).squaredNorm() / 81;
    const double expected = std::min(scatter, spread) / spread;
    EXPECT_NEAR(detail::ledoit_wolf(x * x.transpose(), static_cast<double>(d)), expected, 1e-12);
  }
}

// Referees: scikit-learn 1.5.2, OAS().fit(X).shrinkage_; and its formula on d × d matrices where d is above
// n.
TEST(Readers, OracleShrinkageFromTheGramMatrixAgreesWithScikitLearn) {
  detail::Matrix x(8, 4);
  x << 10, 2, 0, 4, -12, 1, 3, 0, 20, 1, 1, 1, -23, 5, 2, 2, 1, 0, 4, 1, 7, 3, 3, 0, -4, 2, 1, 5, 15, 0, 2, 2;
  x.rowwise() -= x.colwise().mean().eval();
  EXPECT_NEAR(detail::oracle_shrinkage(x * x.transpose(), 4), 0.31263286282009495, 1e-14);
  detail::Matrix wide = detail::stacked(noise(9, 30, Seed(3)), noise(9, 30, Seed(4)));
  wide.col(0) *= 9;
  wide.rowwise() -= wide.colwise().mean().eval();
  const detail::Matrix s = wide.transpose() * wide / 18.0;
  const double mean = s.trace() / 30;
  const double square = s.squaredNorm() / 900;
  const double expected = (square + mean * mean) / (19 * (square - mean * mean / 30));
  ASSERT_LT(expected, 1);
  EXPECT_NEAR(detail::oracle_shrinkage(wide * wide.transpose(), 30), expected, 1e-12);
  EXPECT_EQ(detail::oracle_shrinkage(detail::Matrix::Identity(6, 6), 1000), 1);  // nothing but noise
}

TEST(Readers, LdaMayShrinkEitherWay) {
  Rows high = noise(20, 60, Seed(4), 2);
  Rows low = noise(20, 60, Seed(5));
  for (Rows* table : {&high, &low})
    for (std::size_t i = 0; i < table->n; ++i) table->row(i)[1] *= 9;
  const auto one = lda(high, low);
  const auto other = lda(high, low, Shrinkage::oas);
  EXPECT_EQ(one, lda(high, low, Shrinkage::ledoit_wolf));
  const double agreement = std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
  EXPECT_GT(agreement, .9);
  EXPECT_LT(agreement, 1 - 1e-9);
}

TEST(Readers, LdaIsAUnitVectorThatFindsAPlantedShiftUnderUnequalNoise) {
  Rows high = noise(40, 10, Seed(4), 2);
  Rows low = noise(40, 10, Seed(5));
  for (Rows* table : {&high, &low})
    for (std::size_t i = 0; i < table->n; ++i) table->row(i)[1] *= 20;
  const auto w = lda(high, low);
  EXPECT_NEAR(std::inner_product(w.begin(), w.end(), w.begin(), 0.0), 1, 1e-12);
  const auto gap = difference_of_means(high, low);
  const double gap_length = std::sqrt(std::inner_product(gap.begin(), gap.end(), gap.begin(), 0.0));
  EXPECT_GT(std::abs(w[0]), std::abs(gap[0]) / gap_length) << "whitening should favour the quiet coordinate";
}

const std::vector<float> kHours = {.5F,   .75F, 1,     1.25F, 1.5F, 1.75F, 1.75F, 2,     2.25F, 2.5F,
                                   2.75F, 3,    3.25F, 3.5F,  4,    4.25F, 4.5F,  4.75F, 5,     5.5F};
const std::vector<int> kPassed = {0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1};

TEST(Golden, M10_Logistic) {
  const auto plain = logistic(rows(1, kHours), kPassed, 0);
  EXPECT_NEAR(plain.intercept, -4.0777134, 1e-6);
  EXPECT_NEAR(plain.w[0], 1.5046454, 1e-6);
  ASSERT_EQ(plain.standard_errors.size(), 2U);
  // M10's errors (1.7609843, .6287165) are one Newton step before the optimum; these are at it.
  EXPECT_NEAR(plain.standard_errors[0], 1.7609943, 1e-7);
  EXPECT_NEAR(plain.standard_errors[1], .6287208, 1e-7);
  EXPECT_NEAR(plain.log_likelihood, -8.0298785, 1e-7);
  const auto ridge = logistic(rows(1, kHours), kPassed, 1);
  EXPECT_NEAR(ridge.intercept, -3.1395249, 1e-6);
  EXPECT_NEAR(ridge.w[0], 1.1486039, 1e-6);
  EXPECT_TRUE(ridge.standard_errors.empty());
  Rows both = kHigh;
  both.data.insert(both.data.end(), kLow.data.begin(), kLow.data.end());
  both.n = 8;
  const auto m8 = logistic(both, std::vector<int>{1, 1, 1, 1, 0, 0, 0, 0}, 1);
  EXPECT_NEAR(m8.intercept, -1.4040865, 1e-6);
  EXPECT_NEAR(m8.w[0], .8494959, 1e-6);
  EXPECT_NEAR(m8.w[1], .1298877, 1e-6);
}

// The dual must give what the primal gives: padding with empty columns sends the same data down the other
// road.
TEST(Readers, TheDualLogisticAgreesWithThePrimal) {
  Rows wide(kHours.size(), kHours.size() + 3);
  for (std::size_t i = 0; i < kHours.size(); ++i) wide.row(i)[2] = kHours[i];
  for (const double lambda : {1e-2, 1.0, 100.0}) {
    const auto primal = logistic(rows(1, kHours), kPassed, lambda);
    const auto dual = logistic(wide, kPassed, lambda);
    EXPECT_NEAR(dual.intercept, primal.intercept, 1e-6) << lambda;
    EXPECT_NEAR(dual.w[2], primal.w[0], 1e-6) << lambda;
    EXPECT_NEAR(dual.log_likelihood, primal.log_likelihood, 1e-6) << lambda;
    EXPECT_EQ(dual.w[0], 0);
  }
}

// At the optimum lambda w = sum_i (label - p) x_i and the residuals sum to zero.
TEST(Readers, ASeparatedWideLogisticIsAtItsOptimum) {
  const std::size_t n = 16;
  const std::size_t d = 80;
  Rows x = noise(n, d, Seed(6));
  std::vector<int> z(n);
  for (std::size_t i = 0; i < n; ++i) z[i] = i % 2 == 0 ? 1 : 0;
  for (const double lambda : {1e-4, 1e-2, 1.0, 1e4}) {
    const auto fit = logistic(x, z, lambda);
    std::vector<double> gradient(d + 1, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      double f = fit.intercept;
      for (std::size_t j = 0; j < d; ++j) f += fit.w[j] * static_cast<double>(x.row(i)[j]);
      const double residual = z[i] - 1 / (1 + std::exp(-f));
      gradient[d] += residual;
      for (std::size_t j = 0; j < d; ++j) gradient[j] += residual * static_cast<double>(x.row(i)[j]);
    }
    double worst = std::abs(gradient[d]);
    for (std::size_t j = 0; j < d; ++j) worst = std::max(worst, std::abs(gradient[j] - lambda * fit.w[j]));
    EXPECT_LT(worst, 1e-6) << lambda;
  }
}

TEST(Readers, LogisticRefusesWhatHasNoAnswer) {
  EXPECT_THROW(logistic(rows(1, {0, 1, 2, 3}), std::vector<int>{0, 0, 1, 1}, 0), Error);  // separated
  EXPECT_THROW(logistic(noise(4, 9, Seed(1)), std::vector<int>{0, 1, 0, 1}, 0),
               Error);                                                        // more columns than rows
  EXPECT_THROW(logistic(rows(1, {0, 1}), std::vector<int>{1, 1}, 1), Error);  // one class
  EXPECT_THROW(logistic(rows(1, {0, 1}), std::vector<int>{0, 2}, 1), Error);  // a third label
  EXPECT_THROW(logistic(rows(1, {0, NAN}), std::vector<int>{0, 1}, 1), Error);
}

TEST(Direction, FitHoldsTheScalesThatDosesAreCountedIn) {
  const auto d = fit("affective", 3, kHigh, kLow);
  EXPECT_EQ(d.method, "dom");
  EXPECT_EQ(d.layer, 3);
  EXPECT_NEAR(d.class_gap, std::sqrt(5.0), 1e-12);
  EXPECT_NEAR(length(d.unit), 1, 1e-6);
  EXPECT_NEAR(d.unit[0], 2 / std::sqrt(5.0), 1e-6);
  // Norms: sqrt of 5 18 20 1 | 1 2 5 4, sorted 1 1 2 4 5 5 18 20.
  EXPECT_NEAR(d.median_norm, (2 + std::sqrt(5.0)) / 2, 1e-6);
  // u'x of the low texts times sqrt 5: 1 -3 4 4.
  EXPECT_NEAR(d.neutral_mean, 1.5 / std::sqrt(5.0), 1e-6);
  EXPECT_NEAR(d.sd_neutral, std::sqrt(33.0 / 3 / 5), 1e-6);
  EXPECT_THROW(fit("affective", 0, kHigh, kHigh), Error);
  EXPECT_THROW(fit("affective", -1, kHigh, kLow), Error);
}

TEST(Direction, PlacebosAreUnitVectorsAtTheSameSiteWithTheSameScales) {
  const Rows high = noise(8, 50, Seed(7), 3);
  const Rows low = noise(8, 50, Seed(8));
  const auto like = fit("cognitive", 5, high, low);
  const auto other = noise(8, 50, Seed(9), -2);
  for (const auto& placebo :
       {random_direction(like, Seed(1)), variance_matched(like, high, Seed(1)),
        shuffled_labels(like, high, low, Seed(1)), unrelated_concept(like, other, low)}) {
    EXPECT_NEAR(length(placebo.unit), 1, 1e-6) << placebo.method;
    EXPECT_EQ(placebo.layer, 5);
    EXPECT_EQ(placebo.facet, "cognitive");
    EXPECT_EQ(placebo.class_gap, like.class_gap);
    EXPECT_LT(std::abs(cosine(placebo.unit, like.unit)), 0.95) << placebo.method;
  }
  EXPECT_EQ(random_direction(like, Seed(1)), random_direction(like, Seed(1)));
  EXPECT_NE(random_direction(like, Seed(1)), random_direction(like, Seed(2)));
}

TEST(Direction, AVarianceMatchedPlaceboFollowsTheVarianceAndAnIsotropicOneDoesNot) {
  Rows x = noise(100, 20, Seed(10));
  for (std::size_t i = 0; i < x.n; ++i) x.row(i)[4] *= 30;
  Direction like;
  like.unit.assign(20, 0);
  like.unit[0] = 1;
  double matched = 0;
  double isotropic = 0;
  for (std::uint64_t i = 0; i < 40; ++i) {
    matched += std::abs(variance_matched(like, x, Seed(1).child(i)).unit[4]) / 40;
    isotropic += std::abs(random_direction(like, Seed(1).child(i)).unit[4]) / 40;
  }
  EXPECT_GT(matched, 0.8);
  EXPECT_LT(isotropic, 0.4);
}

TEST(Direction, AShuffledPlaceboIsNeverTheDirectionItself) {
  const Rows high = noise(2, 30, Seed(11), 3);
  const Rows low = noise(2, 30, Seed(12));
  const auto like = fit("affective", 0, high, low);
  for (std::uint64_t i = 0; i < 50; ++i)
    EXPECT_LT(std::abs(cosine(shuffled_labels(like, high, low, Seed(i)).unit, like.unit)), 0.999);
}

TEST(Direction, AnUnrelatedConceptIsTheDifferenceOfItsOwnMeans) {
  const auto like = fit("affective", 1, kLow, kHigh);
  const auto placebo = unrelated_concept(like, kHigh, kLow);
  EXPECT_NEAR(cosine(placebo.unit, fit("x", 1, kHigh, kLow).unit), 1, 1e-6);
  EXPECT_EQ(placebo.method, "unrelated_concept");
}

TEST(Direction, APushIsDoseTimesTheScaleOfTheDirectionItStandsInFor) {
  auto d = fit("affective", 4, kHigh, kLow);
  auto placebo = random_direction(d, Seed(1));
  placebo.class_gap = 1000;
  const auto by_gap = push(placebo, -2, DoseUnit::gap, d, model::Span::last_prompt);
  ASSERT_EQ(by_gap.edits.size(), 1U);
  EXPECT_EQ(by_gap.span, model::Span::last_prompt);
  EXPECT_EQ(by_gap.edits[0].kind, model::EditKind::push);
  EXPECT_EQ(by_gap.edits[0].site.layer, 4);
  EXPECT_EQ(by_gap.edits[0].direction, placebo.unit);
  EXPECT_FLOAT_EQ(by_gap.edits[0].amount, static_cast<float>(-2 * d.class_gap));
  EXPECT_FLOAT_EQ(push(d, .1, DoseUnit::norm, d, model::Span::all).edits[0].amount,
                  static_cast<float>(.1 * d.median_norm));
  EXPECT_FLOAT_EQ(push(d, 3, DoseUnit::sd, d, model::Span::all).edits[0].amount,
                  static_cast<float>(3 * d.sd_neutral));
  EXPECT_TRUE(push(d, 0, DoseUnit::gap, d, model::Span::all).empty());
  d.sd_neutral = 0;
  EXPECT_THROW(push(d, 1, DoseUnit::sd, d, model::Span::all), Error);
}

TEST(Direction, AnAblationKeepsTheNeutralMeanAtEveryLayer) {
  const std::vector<Direction> per_layer = {fit("a", 2, kHigh, kLow), fit("a", 0, kHigh, kLow)};
  const auto hook = ablate(per_layer, model::Span::all);
  ASSERT_EQ(hook.edits.size(), 2U);
  EXPECT_EQ(hook.edits[0].site.layer, 0);
  EXPECT_EQ(hook.edits[1].kind, model::EditKind::ablate);
  EXPECT_FLOAT_EQ(hook.edits[1].amount, static_cast<float>(per_layer[0].neutral_mean));
  const std::vector<Direction> twice = {per_layer[0], per_layer[0]};
  EXPECT_THROW(ablate(twice, model::Span::all), Error);
  EXPECT_THROW(ablate({}, model::Span::all), Error);
}

TEST(Dose, BisectionFindsTheDoseOfATargetDivergence) {
  int asked = 0;
  const auto kl = [&](double dose) {
    ++asked;
    return 0.02 * dose * dose;
  };
  const auto found = dose_for_kl(kl, {.target = 0.1, .upper = 8, .tolerance = 1e-6, .most_steps = 60});
  EXPECT_TRUE(found.reached);
  EXPECT_NEAR(found.dose, std::sqrt(5.0), 1e-4);
  EXPECT_LT(asked, 40);
  const auto out_of_reach = dose_for_kl(kl, {.target = 0.1, .upper = 1});
  EXPECT_FALSE(out_of_reach.reached);
  EXPECT_EQ(out_of_reach.dose, 1);
  EXPECT_THROW(dose_for_kl(kl, {.target = 0}), Error);
  EXPECT_THROW(dose_for_kl([](double) { return NAN; }, {}), Error);
}

TEST(Golden, M12_MahalanobisCosine) {
  const std::vector<float> u = {2, 1};
  const std::vector<float> v = {1, 2};
  Numbers s(2, 2);
  s.data = {2, 1, 1, 3};
  EXPECT_NEAR(mahalanobis_cosine(u, v, s), 0.9128709292, 1e-9);
  EXPECT_NEAR(cosine(u, v), 0.8, 1e-12);
  EXPECT_THROW(cosine(u, std::vector<float>{0, 0}), Error);
  EXPECT_THROW(cosine(u, std::vector<float>{1}), Error);
}

TEST(Similarity, ProjectionsGiveTheSameAsTheCovariance) {
  const Rows x = noise(30, 3, Seed(13));
  Numbers s(3, 3);
  std::vector<double> mean(3, 0.0);
  for (std::size_t i = 0; i < x.n; ++i)
    for (std::size_t j = 0; j < 3; ++j) mean[j] += static_cast<double>(x.row(i)[j]) / 30;
  for (std::size_t i = 0; i < x.n; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k)
        s.row(j)[k] +=
            (static_cast<double>(x.row(i)[j]) - mean[j]) * (static_cast<double>(x.row(i)[k]) - mean[k]);
  const std::vector<float> u = {1, 2, 0};
  const std::vector<float> v = {0, 1, -1};
  EXPECT_NEAR(mahalanobis_cosine(u, v, x), mahalanobis_cosine(u, v, s), 1e-12);
  EXPECT_THROW(mahalanobis_cosine(u, v, Rows(4, 3)), Error);
}

TEST(Golden, M13_RandomCosine) {
  EXPECT_NEAR(random_cosine_tail(.06, 4096) / 1.2165891e-4, 1, 1e-6);
  EXPECT_NEAR(random_cosine_tail(.05, 2048), .0236154398, 1e-9);
  EXPECT_NEAR(random_cosine_tail(.3, 100), .0023039657, 1e-9);
  EXPECT_EQ(random_cosine_sd(4096), .015625);
  EXPECT_THROW(random_cosine_tail(1.1, 10), Error);
}

}  // namespace
}  // namespace sonder::latent
