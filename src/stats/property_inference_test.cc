// Properties of the estimators that stretch labels, correct counts, look early, compare groups and fit mixed
// models: they hold for any data, and nothing is ever NaN.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/seed.h"
#include "stats/detail/property.h"
#include "stats/dif.h"
#include "stats/eprocess.h"
#include "stats/mean.h"
#include "stats/mixed.h"
#include "stats/ppi.h"
#include "stats/prevalence.h"

namespace sonder::stats {
namespace {

using detail::close;
using detail::holds;
using detail::labels;
using detail::quarters;
using detail::sound;
using detail::wild;
using Values = std::vector<double>;
using Labels = std::vector<int>;

std::size_t size_between(int low, int high) {
  return static_cast<std::size_t>(*rc::gen::inRange(low, high + 1));
}

long count_to(long most) { return *rc::gen::inRange(0L, most + 1); }

template <class T>
std::vector<T> reversed(const std::vector<T>& x) {
  return {x.rbegin(), x.rend()};
}

TEST(Properties, StretchedLabelsFollowShiftScaleAndNoOrder) {
  holds("ppi", [] {
    const std::size_t n = size_between(2, 12);
    const Values human = *quarters(n);
    const Values judge = *quarters(n);
    const Values more = *quarters(size_between(0, 12));
    const double scale = *rc::gen::inRange(1, 9) / 2.0;
    const double shift = *quarters();
    const auto moved = [&](Values x) {
      for (double& v : x) v = scale * v + shift;
      return x;
    };
    for (const Tuning tuning : {Tuning::cross_fitted, Tuning::tuned}) {
      const Ppi one = ppi_mean(human, judge, more, {tuning});
      RC_ASSERT(sound(one.estimate));
      RC_ASSERT(one.lambda >= 0 && one.lambda <= 1);
      const Ppi turned = ppi_mean(reversed(human), reversed(judge), reversed(more), {tuning});
      RC_ASSERT(close(one.estimate.value, turned.estimate.value));
      RC_ASSERT(close(one.estimate.se, turned.estimate.se, 1e-7));
      const Ppi other = ppi_mean(moved(human), moved(judge), moved(more), {tuning});
      RC_ASSERT(close(other.lambda, one.lambda, 1e-7));
      RC_ASSERT(close(other.estimate.value, scale * one.estimate.value + shift, 1e-7));
      RC_ASSERT(close(other.estimate.se, scale * one.estimate.se, 1e-7));
    }
  });
}

TEST(Properties, AJudgeWithoutWeightLeavesThePlainMean) {
  holds("lambda 0", [] {
    const std::size_t n = size_between(2, 12);
    const Values human = *quarters(n);
    const Estimate one = ppi_mean(human, *quarters(n), *quarters(5), {Tuning::fixed, 0}).estimate;
    const Estimate other = mean(human);
    RC_ASSERT(close(one.value, other.value) && close(one.se, other.se, 1e-7));
  });
}

TEST(Properties, NoLabelsMakeANaN) {
  holds("wild ppi", [] {
    const std::size_t n = size_between(0, 8);
    RC_ASSERT(sound(ppi_mean(*wild(n), *wild(n), *wild(size_between(0, 8))).estimate));
  });
}

TEST(Properties, TwoIdenticalStrataAreOne) {
  holds("strata", [] {
    const std::size_t n = size_between(3, 10);
    const Values human = *quarters(n);
    const Values judge = *quarters(n);
    const Values more = *quarters(6);
    const double weight = *rc::gen::inRange(1, 9) / 2.0;
    const std::vector<PpiStratum> twice = {{human, judge, more, weight}, {human, judge, more, 1}};
    const Ppi one = ppi_mean(human, judge, more);
    const Ppi both = ppi_stratified(twice);
    RC_ASSERT(close(one.estimate.value, both.estimate.value));
    RC_ASSERT(both.estimate.se <= one.estimate.se * (1 + 1e-9));
  });
}

TEST(Properties, ACorrectedShareIsAShareAndTurnsWithItsLabels) {
  holds("Rogan-Gladen", [] {
    const long n = 1 + count_to(60), m1 = 1 + count_to(30), m0 = 1 + count_to(30);
    const Count yes{count_to(n), n}, right{count_to(m1), m1}, left{count_to(m0), m0};
    const Estimate one = rogan_gladen(yes, right, left);
    RC_ASSERT(sound(one));
    RC_ASSERT(one.value >= 0 && one.value <= 1 && one.ci95.low >= 0 && one.ci95.high <= 1);
    const Estimate other = rogan_gladen({n - yes.k, n}, left, right);
    RC_ASSERT(one.status == other.status);
    if (one.usable()) {
      RC_ASSERT(close(one.value, 1 - other.value));
      RC_ASSERT(close(one.ci95.low, 1 - other.ci95.high) && close(one.ci95.high, 1 - other.ci95.low));
      RC_ASSERT(close(one.p, other.p, 1e-7));
    }
  });
}

TEST(Properties, APerfectJudgeNeedsNoCorrection) {
  holds("perfect", [] {
    const long n = 1 + count_to(100);
    const long k = count_to(n);
    RC_ASSERT(close(rogan_gladen({k, n}, {50, 50}, {50, 50}).value,
                    static_cast<double>(k) / static_cast<double>(n)));
  });
}

TEST(Properties, EvidenceForCoinsIsEvenAndABet) {
  holds("e-values", [] {
    const long n = count_to(300);
    const long k = count_to(n);
    RC_ASSERT(close(log_e_coin(k, n), log_e_coin(n - k, n), 1e-9));
    for (const Sides sides : {Sides::two, Sides::greater}) {
      // The average over the next fair coin is what one has: a martingale.
      const Values next = {log_e_coin(k, n + 1, sides), log_e_coin(k + 1, n + 1, sides)};
      RC_ASSERT(close(log_e_average(next), log_e_coin(k, n, sides), 1e-9));
      RC_ASSERT(next[0] <= next[1] || sides == Sides::two);
    }
    // Both tails together are the two-sided mixture.
    const Values tails = {log_e_coin(k, n, Sides::greater), log_e_coin(n - k, n, Sides::greater)};
    RC_ASSERT(close(log_e_average(tails), log_e_coin(k, n), 1e-9));
  });
}

TEST(Properties, AnEvidenceProcessIsExpectedToStayAtOneAtAnyStop) {
  // Under the null, stopped by a rule that looks at the data: simulated, 4,000 runs; the standard error of
  // each mean is below .03.
  Stream stream(Seed(7).child("stopped"));
  const int runs = 4000;
  double coin = 0;
  double mixture = 0;
  const NormalMixture normal(20, .05);
  for (int run = 0; run < runs; ++run) {
    long k = 0;
    long n = 0;
    while (n < 60 && log_e_coin(k, n) < std::log(3.0)) {
      k += stream.coin() ? 1 : 0;
      ++n;
    }
    coin += std::exp(log_e_coin(k, n)) / runs;
    double s = 0;
    double v = 0;
    while (v < 60 && normal.log_e(s, v) < std::log(3.0)) {
      s += stream.normal();
      v += 1;
    }
    mixture += std::exp(normal.log_e(s, v)) / runs;
  }
  EXPECT_LT(coin, 1.1);
  EXPECT_GT(coin, .9);
  EXPECT_LT(mixture, 1.1);
  EXPECT_GT(mixture, .9);
}

TEST(Properties, ABetIsExpectedToStayAtOneAndItsSequencesNest) {
  holds("betting", [] {
    const Values x = [] {
      Values u;
      for (const int k : *labels(size_between(1, 20), 11)) u.push_back(k / 10.0);
      return u;
    }();
    const Estimate one = betting_mean(x, 0, 1, .5, 100);
    if (!one.usable()) return;
    RC_ASSERT(sound(one));
    RC_ASSERT(one.ci95.low <= one.ci90.low + .0101 && one.ci95.high >= one.ci90.high - .0101);
    Values mirror;
    for (const double v : x) mirror.push_back(1 - v);
    const Estimate other = betting_mean(mirror, 0, 1, .5, 100);
    RC_ASSERT(std::abs(one.ci95.low - (1 - other.ci95.high)) < .0101);
    RC_ASSERT(close(one.p, other.p, 1e-7));
    Values wide;
    for (const double v : x) wide.push_back(10 * v - 3);
    RC_ASSERT(std::abs(betting_mean(wide, -3, 7, 2, 100).ci95.high - (10 * one.ci95.high - 3)) < .101);
  });
}

TEST(Properties, SwappingTheGroupsTurnsTheOddsRound) {
  holds("Mantel-Haenszel", [] {
    std::vector<Stratum> strata;
    std::vector<Stratum> swapped;
    for (std::size_t i = 0, n = size_between(0, 6); i < n; ++i) {
      const Labels c = *labels(4, 9);
      strata.push_back({double(c[0]), double(c[1]), double(c[2]), double(c[3])});
      swapped.insert(swapped.begin(), {double(c[2]), double(c[3]), double(c[0]), double(c[1])});
    }
    const MantelHaenszel one = mantel_haenszel(strata);
    const MantelHaenszel other = mantel_haenszel(swapped);
    RC_ASSERT(sound(one.odds));
    RC_ASSERT(one.odds.status == other.odds.status);
    RC_ASSERT(close(one.log_odds, -other.log_odds));
    RC_ASSERT(close(one.log_odds_se, other.log_odds_se));
    RC_ASSERT(close(one.chi2, other.chi2, 1e-7));
    RC_ASSERT(one.dif == other.dif);
  });
}

TEST(Properties, GradedDifForgetsNamesOfLevelsAndUnitsOfAbility) {
  holds("ordinal", [] {
    const std::size_t n = size_between(30, 45);
    const Labels score = *labels(n, 4);
    const Labels focal = *labels(n, 2);
    const Values ability = *quarters(n);
    const OrdinalDif one = ordinal_dif(score, ability, focal);
    RC_ASSERT(sound(one.uniform) && sound(one.nonuniform));
    Labels renamed;
    Values moved;
    Labels other_side;
    for (const int s : score) renamed.push_back(10 * s * s - 3);
    for (const double a : ability) moved.push_back(4 * a - 100);
    for (const int f : focal) other_side.push_back(1 - f);
    const OrdinalDif other = ordinal_dif(renamed, moved, focal);
    RC_ASSERT(one.uniform.status == other.uniform.status);
    RC_ASSERT(close(one.uniform.value, other.uniform.value, 1e-6));
    RC_ASSERT(close(one.nonuniform.value, other.nonuniform.value, 1e-6));
    const OrdinalDif swapped = ordinal_dif(score, ability, other_side);
    RC_ASSERT(close(one.uniform.value, -swapped.uniform.value, 1e-6));
    RC_ASSERT(close(one.chi2, swapped.chi2, 1e-6));
  });
}

TEST(Properties, MixedModelsFollowShiftAndScaleAndAreNeverNaN) {
  holds("mixed", [] {
    const std::size_t n = size_between(6, 14);
    const Values y = *quarters(n);
    const Labels group = *labels(n, 5);
    const Labels cond = *labels(n, 2);
    Numbers x;
    Numbers slopes;
    for (const int c : cond) {
      x.append(Values{1, double(c)});
      slopes.append(Values{double(c)});
    }
    const RandomTerm term{"group", group, slopes, true};
    const Mixed one = mixed(y, x, {&term, 1});
    RC_ASSERT(one.fixed.size() == 2u);
    for (const Estimate& e : one.fixed) RC_ASSERT(sound(e));
    RC_ASSERT(one.status != Status::ok || one.warnings.empty());
    Values moved;
    for (const double v : y) moved.push_back(2 * v + 16);
    const Mixed other = mixed(moved, x, {&term, 1});
    RC_ASSERT(one.status == other.status);
    RC_ASSERT(close(other.fixed[1].value, 2 * one.fixed[1].value, 1e-4));
    RC_ASSERT(close(other.fixed[1].se, 2 * one.fixed[1].se, 1e-4));
  });
}

}  // namespace
}  // namespace sonder::stats
