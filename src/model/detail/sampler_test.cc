#include "model/detail/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/seed.h"

namespace sonder::model::detail {
namespace {

// The referee: the same draw in plain f64.
Token plainly(std::span<const float> logits, double temperature, double uniform) {
  std::vector<double> p;
  const double most = *std::max_element(logits.begin(), logits.end());
  for (const float x : logits) p.push_back(std::exp((static_cast<double>(x) - most) / temperature));
  const double target = uniform * std::accumulate(p.begin(), p.end(), 0.0);
  double below = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    if ((below += p[i]) > target) return static_cast<Token>(i);
  return static_cast<Token>(p.size() - 1);
}

std::vector<float> some_logits(std::size_t n) {
  Stream stream(Seed(5));
  std::vector<float> logits(n);
  for (float& x : logits) x = static_cast<float>(3 * stream.normal());
  return logits;
}

Token drawn(std::span<const float> logits, const Sampler& sampler, double uniform) {
  Weights scratch;
  return draw(logits, sampler, uniform, scratch).value();
}

TEST(Sampler, InvertsTheDistributionFunctionInTokenOrder) {
  const std::vector<float> logits = {std::log(0.1F), std::log(0.2F), std::log(0.3F), std::log(0.4F)};
  const Sampler sampler{1, 1, 0};
  EXPECT_EQ(drawn(logits, sampler, 0.0), 0);
  EXPECT_EQ(drawn(logits, sampler, 0.0999), 0);
  EXPECT_EQ(drawn(logits, sampler, 0.1001), 1);
  EXPECT_EQ(drawn(logits, sampler, 0.2999), 1);
  EXPECT_EQ(drawn(logits, sampler, 0.3001), 2);
  EXPECT_EQ(drawn(logits, sampler, 0.6001), 3);
  EXPECT_EQ(drawn(logits, sampler, 0.999999999), 3);
}

TEST(Sampler, AgreesWithPlainCodeOverAWholeVocabulary) {
  const std::vector<float> logits = some_logits(5003);
  Stream stream(Seed(6));
  int n_other = 0;
  for (int i = 0; i < 500; ++i) {
    const double uniform = stream.uniform();
    n_other += drawn(logits, {0.7, 1, 0}, uniform) != plainly(logits, 0.7, uniform);
  }
  EXPECT_EQ(n_other, 0);  // weights in f32 move a border by 1e-7 at most
}

TEST(Sampler, TemperatureSharpens) {
  const std::vector<float> logits = {0, 1};
  const auto share = [&](double temperature) {
    int n = 0;
    for (int i = 0; i < 1000; ++i) n += drawn(logits, {temperature, 1, 0}, (i + 0.5) / 1000) == 1;
    return n / 1000.0;
  };
  EXPECT_NEAR(share(1), 1 / (1 + std::exp(-1)), 2e-3);
  EXPECT_NEAR(share(0.5), 1 / (1 + std::exp(-2)), 2e-3);
}

TEST(Sampler, GreedyTakesTheLowestIdOnATie) {
  const std::vector<float> logits = {1, 3, 2, 3};
  EXPECT_EQ(drawn(logits, {0, 1, 0}, 0.99), 1);
}

TEST(Sampler, TopPKeepsTheSmallestSetThatHoldsIt) {
  const std::vector<float> logits = {std::log(0.1F), std::log(0.4F), std::log(0.2F), std::log(0.3F)};
  const Sampler sampler{1, 0.65, 0};  // keeps tokens 1 and 3, in token order: 4/7 and 3/7
  EXPECT_EQ(drawn(logits, sampler, 0.0), 1);
  EXPECT_EQ(drawn(logits, sampler, 0.57), 1);
  EXPECT_EQ(drawn(logits, sampler, 0.58), 3);
  EXPECT_EQ(drawn(logits, sampler, 0.9999), 3);
  EXPECT_EQ(drawn(logits, {1, 0.05, 0}, 0.9999), 1);  // the likeliest stays in any case
}

TEST(Sampler, TopPKeepsTheLowerIdOnATie) {
  const std::vector<float> logits = {0, 0, 0, 0};
  EXPECT_EQ(drawn(logits, {1, 0.5, 0}, 0.9999), 1);
}

TEST(Sampler, MinPLeavesOutWhatIsMuchLessLikelyThanTheBest) {
  const std::vector<float> logits = {std::log(0.1F), std::log(0.4F), std::log(0.2F), std::log(0.3F)};
  const Sampler sampler{1, 1, 0.45};  // keeps .4, .2, .3
  EXPECT_EQ(drawn(logits, sampler, 0.0), 1);
  EXPECT_EQ(drawn(logits, sampler, 0.45), 2);
  EXPECT_EQ(drawn(logits, sampler, 0.9999), 3);
}

TEST(Sampler, FlatTailsAreFoundByTopP) {
  std::vector<float> logits(3000, 0.0F);
  logits[7] = 12;  // holds most of the mass; the rest is a tail of equals
  const Sampler sampler{1, 0.999, 0};
  EXPECT_EQ(drawn(logits, sampler, 0.0), 0);
  EXPECT_EQ(drawn(logits, sampler, 0.5), 7);
}

TEST(Sampler, SaysWhenALogitIsNotFinite) {
  Weights scratch;
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{40}, std::size_t{42}}) {
      std::vector<float> logits(43, 1.0F);
      logits[at] = bad;
      EXPECT_FALSE(draw(logits, {0.7, 1, 0}, 0.5, scratch).has_value());
      EXPECT_FALSE(draw(logits, {0, 1, 0}, 0.5, scratch).has_value());
    }
  }
}

TEST(Sampler, RefusesSettingsThatMeanNothing) {
  EXPECT_THROW(check_sampler({-1, 1, 0}), Error);
  EXPECT_THROW(check_sampler({std::nan(""), 1, 0}), Error);
  EXPECT_THROW(check_sampler({1, 0, 0}), Error);
  EXPECT_THROW(check_sampler({1, 1.1, 0}), Error);
  EXPECT_THROW(check_sampler({1, 1, -0.1}), Error);
  EXPECT_NO_THROW(check_sampler({0, 1, 0}));
}

TEST(Sampler, LogSumExpSurvivesLargeLogits) {
  const std::vector<float> logits = {1000, 1000};
  EXPECT_DOUBLE_EQ(log_sum_exp(logits), 1000 + std::log(2.0));
}

}  // namespace
}  // namespace sonder::model::detail
