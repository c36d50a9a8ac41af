#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"
#include "stats/order.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;

const Values kHigh1 = {.9, .8, .7, .55, .4};
const Values kLow1 = {.6, .5, .5, .3, .2, .1};
const Values kHigh2 = {.6, .9, .5, .5, .7};
const Values kLow2 = {.4, .65, .3, .5, .2, .55};

// The definition, pair by pair: the referee of the ranked form.
double by_pairs(const Values& high, const Values& low) {
  double total = 0;
  for (const double x : high)
    for (const double y : low) total += x > y ? 1 : (x == y ? .5 : 0);
  return total / static_cast<double>(high.size() * low.size());
}

Values coarse(Stream& stream, std::size_t n, double shift) {
  Values x(n);
  for (double& value : x) value = std::round(2 * (stream.normal() + shift));  // many ties
  return x;
}

TEST(Delong, MatchesTheWorkedExample) {  // methods.md M7 a
  const Estimate one = delong(kHigh1, kLow1);
  EXPECT_NEAR(one.value, .8666666667, 1e-10);
  EXPECT_NEAR(one.se * one.se, .0138888889, 1e-10);
  EXPECT_NEAR(one.value - 1.959963985 * one.se, .6356827, 1e-7);  // Wald, whose upper end passes 1
  EXPECT_NEAR(one.ci95.low, .4682683, 1e-7);
  EXPECT_NEAR(one.ci95.high, .9795819, 1e-7);
  EXPECT_EQ(one.n_units, 11);
  EXPECT_EQ(one.status, Status::ok);
}

TEST(DelongPaired, MatchesTheWorkedExample) {  // methods.md M7 a
  const DeLongPair pair = delong_paired(kHigh1, kLow1, kHigh2, kLow2);
  EXPECT_NEAR(pair.a1, .8666666667, 1e-10);
  EXPECT_NEAR(pair.a2, .8, 1e-10);
  EXPECT_NEAR(pair.var1, .0138888889, 1e-10);
  EXPECT_NEAR(pair.var2, .0194166667, 1e-10);
  EXPECT_NEAR(pair.cov, -.0045277778, 1e-10);
  EXPECT_NEAR(pair.z, .3239105321, 1e-9);
  EXPECT_NEAR(pair.p, .7460057701, 1e-9);
}

TEST(Auroc, IsTheShareOfPairsInOrder) {
  Stream stream(Seed(31).child("pairs"));
  for (int round = 0; round < 100; ++round) {
    const Values high = coarse(stream, 1 + stream.below(12), .3);
    const Values low = coarse(stream, 1 + stream.below(12), 0);
    EXPECT_NEAR(auroc(high, low), by_pairs(high, low), 1e-14) << "round " << round;
  }
}

TEST(Auroc, SwappingTheLabelsMirrorsIt) {
  Stream stream(Seed(32).child("swap"));
  for (int round = 0; round < 100; ++round) {
    const Values high = coarse(stream, 3 + stream.below(12), .5);
    const Values low = coarse(stream, 3 + stream.below(12), 0);
    EXPECT_NEAR(auroc(high, low), 1 - auroc(low, high), 1e-14) << "round " << round;
    const Estimate there = delong(high, low);
    const Estimate back = delong(low, high);
    EXPECT_NEAR(there.se, back.se, 1e-12) << "round " << round;
    EXPECT_NEAR(there.ci95.low, 1 - back.ci95.high, 1e-12) << "round " << round;
    EXPECT_NEAR(there.p, back.p, 1e-9) << "round " << round;
  }
}

TEST(Delong, OfAnEmptyClassIsUndefined) {  // methods.md 5.10
  EXPECT_EQ(auroc(Values{}, kLow1), .5);
  const Estimate empty = delong(kHigh1, Values{});
  EXPECT_EQ(empty.status, Status::undefined);
  EXPECT_EQ(empty.value, .5);
  EXPECT_EQ(empty.ci95, (Interval{0, 1}));
  EXPECT_EQ(delong(Values{1}, kLow1).status, Status::refused);
  EXPECT_EQ(delong_paired(Values{}, kLow1, Values{}, kLow2).status, Status::undefined);
  EXPECT_THROW(delong(Values{std::nan("")}, kLow1), Error);
  EXPECT_THROW(delong_paired(kHigh1, kLow1, kLow2, kHigh2), Error);
}

TEST(Delong, OfPerfectOrderIsNeverOnePlusMinusZero) {  // methods.md 2.4
  const Estimate perfect = delong(Values(8, 2.0), Values(12, 1.0));
  EXPECT_EQ(perfect.value, 1);
  EXPECT_EQ(perfect.status, Status::flagged);
  EXPECT_NEAR(perfect.ci95.low, std::pow(.05, 1.0 / 8), 1e-12);
  EXPECT_EQ(perfect.ci95.high, 1);
  EXPECT_NEAR(perfect.p, 2.0 / 125970, 1e-12);  // 20 over 8
  const Estimate reversed = delong(Values(12, 1.0), Values(8, 2.0));
  EXPECT_EQ(reversed.value, 0);
  EXPECT_NEAR(reversed.ci95.high, 1 - std::pow(.05, 1.0 / 8), 1e-12);
}

TEST(Delong, OfEqualScoresIsAHalfWithZZero) {  // methods.md 5.10
  const Estimate equal = delong(Values(8, 1.0), Values(12, 1.0));
  EXPECT_EQ(equal.value, .5);
  EXPECT_EQ(equal.se, 0);
  EXPECT_EQ(equal.p, 1);
  EXPECT_LT(equal.ci95.low, .4);
  EXPECT_GT(equal.ci95.high, .6);
  const DeLongPair pair = delong_paired(Values(8, 1.0), Values(12, 1.0), Values(8, 1.0), Values(12, 1.0));
  EXPECT_EQ(pair.z, 0);
  EXPECT_EQ(pair.p, 1);
  const DeLongPair same = delong_paired(kHigh1, kLow1, kHigh1, kLow1);
  EXPECT_EQ(same.z, 0);
  EXPECT_EQ(same.p, 1);
  EXPECT_EQ(same.status, Status::ok);
  const DeLongPair opposite = delong_paired(Values{2, 2}, Values{1, 1}, Values{1, 1}, Values{2, 2});
  EXPECT_EQ(opposite.status, Status::undefined);
  EXPECT_EQ(opposite.z, 0);
}

TEST(Delong, CoversTheTruthAsOftenAsItSays) {
  Stream stream(Seed(33).child("delong coverage"));
  const double truth = .5 * std::erfc(-.5);  // Phi(1 / sqrt 2): normals one apart
  int inside = 0;
  int false_alarms = 0;
  const int n_runs = 2000;
  for (int run = 0; run < n_runs; ++run) {
    Values high(40);
    Values low(40);
    Values noise(40);
    for (double& value : high) value = 1 + stream.normal();
    for (double& value : low) value = stream.normal();
    for (double& value : noise) value = stream.normal();
    const Estimate planted = delong(high, low);
    inside += planted.ci95.low < truth && truth < planted.ci95.high ? 1 : 0;
    false_alarms += delong(noise, low).p < .05 ? 1 : 0;
  }
  EXPECT_NEAR(inside / double{n_runs}, .95, .015);
  EXPECT_NEAR(false_alarms / double{n_runs}, .055, .02);  // Wald is a little liberal at 40
}

// ---- within units

TEST(Concordance, CountsTiesAsHalf) {
  const Values high = {2, 3, 4, 1, 5, 6};
  const Values low = {1, 3, 2, 2, 4, 3};
  const Estimate share = concordance(high, low);  // 1, .5, 1, 0, 1, 1
  EXPECT_NEAR(share.value, 4.5 / 6, 1e-14);
  const double sd = std::sqrt((4 * .0625 + .0625 + .5625) / 5);
  EXPECT_NEAR(share.se, sd / std::sqrt(6.0), 1e-14);
  EXPECT_EQ(share.ci95.high, 1);  // clipped
  EXPECT_NEAR(share.ci95.low, .75 - 2.5705818 * share.se, 1e-7);
  EXPECT_NEAR(concordance(low, high).value, 1 - share.value, 1e-14);
}

TEST(Concordance, WhenAllAgreeHasTheExactBound) {
  const Estimate all = concordance(Values(32, 1.0), Values(32, 0.0));
  EXPECT_EQ(all.value, 1);
  EXPECT_EQ(all.status, Status::flagged);
  EXPECT_NEAR(all.ci95.low, std::pow(.05, 1.0 / 32), 1e-12);
  EXPECT_NEAR(all.ci90.low, std::pow(.10, 1.0 / 32), 1e-12);
  EXPECT_EQ(all.ci95.high, 1);
  EXPECT_GT(all.p, 0);
}

TEST(Concordance, IsNeverLessSureOfAllThanOfAllButOne) {
  for (std::size_t n = 3; n <= 180; ++n) {  // above, the two bounds agree to 1e-5
    Values high(n, 1.0);
    const Values low(n, 0.0);
    const double all = concordance(high, low).ci95.low;
    high[0] = -1;
    EXPECT_GT(all, concordance(high, low).ci95.low) << n;
  }
}

// Where ties are few, Student's t would say more than no tie at all: 28 agreements and a tie, .95 against
// .90.
TEST(Concordance, ATieMakesNothingSurer) {
  for (std::size_t n = 3; n <= 400; ++n) {
    Values high(n, 1.0);
    const Values low(n, 0.0);
    Estimate last = concordance(high, low);
    for (std::size_t n_ties = 1; n_ties < std::min<std::size_t>(n, 6); ++n_ties) {
      high[n_ties - 1] = 0;
      const Estimate now = concordance(high, low);
      EXPECT_LT(now.ci95.low, last.ci95.low) << n << " with " << n_ties;
      EXPECT_LT(now.ci90.low, last.ci90.low) << n << " with " << n_ties;
      EXPECT_GE(now.p, last.p) << n << " with " << n_ties;
      last = now;
    }
  }
}

TEST(Delong, ATieMakesNothingSurer) {
  for (std::size_t n = 3; n <= 200; n += 7) {
    Values high(n, 1.0);
    const Values low(n, 0.0);
    const Estimate all = delong(high, low);
    high[0] = 0;
    const Estimate tied = delong(high, low);
    EXPECT_LT(tied.ci95.low, all.ci95.low) << n;
    EXPECT_GE(tied.p, all.p) << n;
  }
}

TEST(Concordance, OfNothingIsUndefined) {
  EXPECT_EQ(concordance(Values{}, Values{}).status, Status::undefined);
  EXPECT_EQ(concordance(Values{1}, Values{0}).status, Status::undefined);
  EXPECT_THROW(concordance(Values{1, 2}, Values{0}), Error);
  const Estimate blind = concordance(Values(30, 1.0), Values(30, 1.0));  // a blind instrument ties everywhere
  EXPECT_EQ(blind.value, .5);
  EXPECT_EQ(blind.p, 1);
  EXPECT_LT(blind.ci95.low, .5);
}

TEST(LadderConcordance, AveragesPairsWithinAUnitFirst) {
  Numbers levels;
  levels.append(Values{1, 2, 3, 4});  // 6 of 6
  levels.append(Values{1, 1, 2, 2});  // 4 and two ties: 5 of 6
  levels.append(Values{4, 3, 2, 1});  // 0 of 6
  const Estimate share = ladder_concordance(levels);
  EXPECT_NEAR(share.value, 11.0 / 18, 1e-14);
  EXPECT_EQ(share.n_units, 3);
  EXPECT_THROW(ladder_concordance(Numbers(3, 1)), Error);
  EXPECT_EQ(ladder_concordance(Numbers{}).status, Status::undefined);
}

TEST(LadderConcordance, SeesAPlantedLadderAndNotABlindOne) {
  Stream stream(Seed(34).child("ladder"));
  int seen = 0;
  int imagined = 0;
  for (int run = 0; run < 200; ++run) {
    Numbers steps(32, 4);
    Numbers flat(32, 4);
    for (std::size_t i = 0; i < 32; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        steps.row(i)[j] = .5 * static_cast<double>(j) + stream.normal();
        flat.row(i)[j] = stream.normal();
      }
    }
    seen += ladder_concordance(steps).ci95.low > .55 && page(steps).p < .01 ? 1 : 0;
    imagined += ladder_concordance(flat).ci95.low > .55 && page(flat).p < .01 ? 1 : 0;
  }
  EXPECT_GE(seen, 195);
  EXPECT_LE(imagined, 3);
}

}  // namespace
}  // namespace sonder::stats
