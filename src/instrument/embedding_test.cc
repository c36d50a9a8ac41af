#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/seed.h"
#include "instrument/detail/fake_model.h"
#include "instrument/detail/ridge.h"
#include "instrument/instrument.h"

namespace sonder::instrument {
namespace {

constexpr int kWidth = 16;

// Texts "<scenario> <kind> <level>" become unit vectors: level along an axis of their facet, the scenario
// along the others, and noise.
std::vector<float> planted(const std::string& text) {
  int scenario = 0;
  char kind = 'n';
  double level = 0;
  if (std::sscanf(text.c_str(), "%d %c %lf", &scenario, &kind, &level) < 1) scenario = 999;
  std::vector<float> x(kWidth);
  Stream of_scenario(Seed(static_cast<std::uint64_t>(scenario)));
  for (int j = 2; j < kWidth; ++j)
    x[static_cast<std::size_t>(j)] = static_cast<float>(0.5 * of_scenario.normal());
  if (kind == 'a') x[0] = static_cast<float>(level);
  if (kind == 'c') x[1] = static_cast<float>(level);
  double norm = 0;
  for (const float v : x) norm += static_cast<double>(v) * v;
  for (float& v : x) v = static_cast<float>(v / std::sqrt(norm));
  return x;
}

std::string text_of(int scenario, char kind, double level) {
  return std::to_string(scenario) + " " + kind + " " + std::to_string(level);
}

std::vector<Example> examples(int n) {
  std::vector<Example> out;
  for (int s = 0; s < n; ++s) {
    out.push_back({s, "m", text_of(s, 'n', 0), 0, 0});
    out.push_back({s, "m", text_of(s, 'a', 1), 1, 0});
    out.push_back({s, "m", text_of(s, 'c', 1), 0, 1});
  }
  return out;
}

double score(Instrument& meter, const std::string& facet, const std::string& text) {
  const BlindReply reply = blind_text("m", text);
  return *meter.score(facet, {&reply, 1}, {}, {}).at(0);
}

TEST(Embedding, FindsThePlantedAxisOfEachFacetInScenariosItHasNotSeen) {
  detail::FakeModel encoder(true);
  encoder.vector_of = planted;
  const auto meter = embedding(encoder, examples(20), {});
  for (int s = 100; s < 120; ++s) {
    const double neutral = score(*meter, "affective", text_of(s, 'n', 0));
    EXPECT_GT(score(*meter, "affective", text_of(s, 'a', 1)), neutral + 0.2);
    EXPECT_GT(score(*meter, "affective", text_of(s, 'a', 1)),
              score(*meter, "affective", text_of(s, 'a', 0.4)));
    EXPECT_LT(score(*meter, "affective", text_of(s, 'c', 1)), neutral + 0.2);
    EXPECT_GT(score(*meter, "cognitive", text_of(s, 'c', 1)),
              score(*meter, "cognitive", text_of(s, 'a', 1)) + 0.2);
  }
}

TEST(Embedding, OrdersNothingWhenTheTargetsAreShuffled) {
  detail::FakeModel encoder(true);
  encoder.vector_of = planted;
  std::vector<Example> shuffled = examples(20);
  Stream random(Seed(5));
  for (Example& e : shuffled) e.affective = random.coin() ? 1 : 0;
  const auto meter = embedding(encoder, shuffled, {});
  int n_above = 0;
  for (int s = 100; s < 200; ++s)
    n_above += std::abs(score(*meter, "affective", text_of(s, 'a', 1)) -
                        score(*meter, "affective", text_of(s, 'n', 0))) > 0.5
                   ? 1
                   : 0;
  EXPECT_LE(n_above, 5);
}

TEST(Embedding, AnEmptyReplyIsMissing) {
  detail::FakeModel encoder(true);
  encoder.vector_of = planted;
  const auto meter = embedding(encoder, examples(4), {});
  const std::vector<BlindReply> replies = {blind_text("m", " \n"), blind_text("m", "1 a 1")};
  const auto scores = meter->score("affective", replies, {}, {});
  EXPECT_FALSE(scores[0].has_value());
  EXPECT_TRUE(scores[1].has_value());
}

TEST(Embedding, NeedsTwoScenariosAndAFacetItKnows) {
  detail::FakeModel encoder(true);
  encoder.vector_of = planted;
  EXPECT_THROW(embedding(encoder, {}, {}), Error);
  EXPECT_THROW(embedding(encoder, examples(1), {}), Error);
  const auto meter = embedding(encoder, examples(2), {});
  EXPECT_THROW(score(*meter, "moral", "1 a 1"), Error);
}

TEST(Embedding, ItsFingerprintDependsOnTheExamples) {
  detail::FakeModel encoder(true);
  encoder.vector_of = planted;
  EXPECT_EQ(embedding(encoder, examples(4), {})->fingerprint(),
            embedding(encoder, examples(4), {})->fingerprint());
  EXPECT_NE(embedding(encoder, examples(4), {})->fingerprint(),
            embedding(encoder, examples(5), {})->fingerprint());
}

// y = 2 x1 + 1 without noise: the least penalty wins; y without any relation to x: the greatest.
TEST(Ridge, ChoosesLambdaByTheScenarioLeftOut) {
  Stream random(Seed(3));
  Eigen::MatrixXd x(40, 4);
  Eigen::VectorXd line(40);
  Eigen::VectorXd noise(40);
  std::vector<int> scenario;
  for (Eigen::Index i = 0; i < 40; ++i) {
    for (Eigen::Index j = 0; j < 4; ++j) x(i, j) = random.normal();
    line(i) = 2 * x(i, 0) + 1;
    noise(i) = random.normal();
    scenario.push_back(static_cast<int>(i / 2));
  }
  const std::vector<double> lambdas = {0.001, 1, 1000};
  const detail::Head found = detail::choose(x, line, scenario, lambdas);
  EXPECT_EQ(found.lambda, 0.001);
  EXPECT_NEAR(found.w(0), 2, 1e-3);
  EXPECT_NEAR(found.intercept, 1, 1e-3);
  EXPECT_EQ(detail::choose(x, noise, scenario, lambdas).lambda, 1000);
}

// Two copies of each row in one scenario: leaving out rows would find a perfect fit, leaving out scenarios
// cannot.
TEST(Ridge, LeavesOutTheWholeScenario) {
  Stream random(Seed(4));
  Eigen::MatrixXd x(24, 30);
  Eigen::VectorXd y(24);
  std::vector<int> scenario;
  for (Eigen::Index i = 0; i < 24; i += 2) {
    for (Eigen::Index j = 0; j < 30; ++j) x(i, j) = random.normal();
    x.row(i + 1) = x.row(i);
    y(i) = y(i + 1) = random.normal();
    scenario.insert(scenario.end(), 2, static_cast<int>(i));
  }
  std::vector<int> alone(24);
  for (int i = 0; i < 24; ++i) alone[static_cast<std::size_t>(i)] = i;
  EXPECT_LT(detail::left_out_error(x, y, alone, 1e-3), 0.1);
  EXPECT_GT(detail::left_out_error(x, y, scenario, 1e-3), 5);
}

// Against the closed form in feature space: w = (X'X + lambda I)^-1 X'y on centred data.
TEST(Ridge, InSampleSpaceEqualsRidgeInFeatureSpace) {
  Stream random(Seed(6));
  Eigen::MatrixXd x(12, 5);
  Eigen::VectorXd y(12);
  for (Eigen::Index i = 0; i < 12; ++i) {
    for (Eigen::Index j = 0; j < 5; ++j) x(i, j) = random.normal();
    y(i) = random.normal();
  }
  const Eigen::RowVectorXd centre = x.colwise().mean();
  const Eigen::MatrixXd c = x.rowwise() - centre;
  Eigen::MatrixXd normal = c.transpose() * c;
  normal.diagonal().array() += 0.7;
  const Eigen::VectorXd expected = normal.ldlt().solve(c.transpose() * (y.array() - y.mean()).matrix());
  const detail::Head head = detail::fit(x, y, 0.7);
  EXPECT_LT((head.w - expected).norm(), 1e-10);
  EXPECT_NEAR(head.score(centre.transpose()), y.mean(), 1e-10);
}

}  // namespace
}  // namespace sonder::instrument
