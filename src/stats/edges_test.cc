// The table of assumptions and edge cases, methods.md 5.10, one test a row, in its order; below it what any
// file may hold.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <future>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/seed.h"
#include "stats/agreement.h"
#include "stats/annotators.h"
#include "stats/bootstrap.h"
#include "stats/cluster.h"
#include "stats/eprocess.h"
#include "stats/equivalence.h"
#include "stats/mean.h"
#include "stats/mediation.h"
#include "stats/ols.h"
#include "stats/order.h"
#include "stats/pairwise.h"
#include "stats/ppi.h"
#include "stats/prevalence.h"
#include "stats/rasch.h"
#include "stats/reliability.h"
#include "stats/roc.h"
#include "stats/signflip.h"
#include "stats/trend.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;
using Labels = std::vector<int>;

const Values kShift = {.4, .3, .3, .2, .7, .1};
const Values kGap = {2.1, 2.2, 1.9, 2.2, 2.2, 1.9};

Values negative(Values x) {
  for (double& value : x) value = -value;
  return x;
}

Values noise(std::size_t n, std::uint64_t seed, double mean = 0) {
  Stream stream{Seed(seed)};
  Values x(n);
  for (double& value : x) value = mean + stream.normal();
  return x;
}

TEST(EdgesOf, R01_FiellerRatio) {
  const Ratio plain = fieller(kShift, kGap);
  EXPECT_EQ(plain.theta.status, Status::ok);
  // g >= 1: NO_ANCHOR, and an interval that passes no threshold.
  const Ratio blind = fieller(kShift, Values{.2, -.3, .5, -.1, .4, .1});
  EXPECT_GE(blind.fieller_g, 1);
  EXPECT_EQ(blind.theta.status, Status::unbounded);
  EXPECT_FALSE(blind.theta.usable());
  EXPECT_LT(blind.theta.ci95.low, -1e300);
  // Dbar < 0: oriented first.
  const Ratio turned = fieller(kShift, negative(kGap));
  EXPECT_EQ(turned.theta.status, Status::flagged);
  EXPECT_DOUBLE_EQ(turned.theta.value, fieller(negative(kShift), kGap).theta.value);
  EXPECT_EQ(turned.theta.ci95, fieller(negative(kShift), kGap).theta.ci95);
  // G < 6.
  EXPECT_EQ(fieller(std::span(kShift).first(5), std::span(kGap).first(5)).theta.status, Status::refused);
  EXPECT_EQ(fieller(Values{}, Values{}).theta.usable(), false);
}

TEST(EdgesOf, R02_DeLong) {
  EXPECT_EQ(delong(Values{}, Values{1, 2}).status, Status::undefined);
  EXPECT_EQ(delong_paired(Values{}, Values{1}, Values{}, Values{1}).status, Status::undefined);
  const Estimate apart = delong(Values(12, 1.0), Values(15, 0.0));
  EXPECT_EQ(apart.value, 1);
  EXPECT_NEAR(apart.ci95.low, std::pow(.05, 1. / 12), 1e-12);  // never "1.00 ± 0"
  EXPECT_EQ(apart.ci95.high, 1);
  const Estimate equal = delong(Values(9, 2.0), Values(9, 2.0));
  EXPECT_EQ(equal.value, .5);
  EXPECT_EQ(equal.se, 0);
  EXPECT_EQ(equal.p, 1);
  const Values same(9, 2.0);
  const DeLongPair pair = delong_paired(same, same, same, same);
  EXPECT_EQ(pair.z, 0);
  EXPECT_EQ(pair.p, 1);
  EXPECT_EQ(pair.status, Status::ok);
}

TEST(EdgesOf, R03_ClusterErrors) {
  const Values x = noise(8, 1);
  EXPECT_EQ(clustered_mean(x, Labels(8, 3)).status, Status::undefined);  // not 0, as Inspect has it
  EXPECT_LT(clustered_mean(x, Labels(8, 3)).ci95.low, -1e300);
  const Labels alone = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_NEAR(clustered_mean(x, alone).se, mean(x).se, 1e-14);
  EXPECT_NEAR(clustered_mean(x, alone, ClusterError::cr2).mean.se, mean(x).se, 1e-14);
  EXPECT_NEAR(clustered_mean(x, alone, ClusterError::cr2).df, 7, 1e-9);
}

TEST(EdgesOf, R04_SignFlip) {
  const Values x = {3, 1, -2, 4, 5, 2, 6};
  Values with_zeros = x;
  with_zeros.insert(with_zeros.end(), 5, 0.0);
  EXPECT_DOUBLE_EQ(sign_flip(with_zeros, Seed(1)).p,
                   sign_flip(x, Seed(1)).p);  // kept: they flip to themselves
  const SignFlip drawn = sign_flip(Values(21, 1.0), Seed(1), 999);
  EXPECT_FALSE(drawn.exact);
  EXPECT_GE(drawn.p, 1. / 1000);  // +1 rule: never 0
  EXPECT_TRUE(sign_flip(Values(20, 1.0), Seed(1)).exact);
  EXPECT_EQ(sign_flip(Values(9, 0.0), Seed(1)).p, 1);
  EXPECT_EQ(sign_flip(Values(30, 0.0), Seed(1)).p, 1);
}

TEST(EdgesOf, R05_Bca) {
  const Values replicates = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(bca_of(5, replicates, Values(12, 5.0)).acceleration, 0);  // leave-one-out agrees: 0 over 0
  for (const double outside : {0., 100.}) {                           // z0 infinite: percentile and a flag
    const Bca found = bca_of(outside, replicates, noise(12, 2));
    EXPECT_EQ(found.estimate.status, Status::flagged);
    EXPECT_EQ(found.estimate.ci95, found.percentile95);
  }
  EXPECT_EQ(bca_mean(noise(9, 3), Seed(1), 199).status, Status::flagged);
  EXPECT_EQ(bca_mean(noise(10, 3), Seed(1), 199).status, Status::ok);
  const Estimate point = bca_mean(Values(12, 2.5), Seed(1), 199);
  EXPECT_EQ(point.ci95, (Interval{2.5, 2.5}));
}

TEST(EdgesOf, R06_AlphaAndAc) {
  Ratings one(4, 3);
  for (auto& rating : one.data) rating = 2;
  EXPECT_EQ(krippendorff(one, Metric::nominal, Seed(1), 99).status, Status::undefined);
  for (const Chance chance : {Chance::gwet, Chance::fleiss, Chance::cohen})
    EXPECT_EQ(agreement(one, chance).estimate.status, Status::undefined);
  Ratings paired(12, 2);
  for (std::size_t u = 0; u < 12; ++u) {
    paired.row(u)[0] = static_cast<double>(u % 3);
    paired.row(u)[1] = static_cast<double>(u % 4 == 0 ? 0 : u % 3);
  }
  Ratings with_single = paired;
  with_single.append(std::vector<std::optional<double>>{2., std::nullopt});
  const Estimate alpha = krippendorff(paired, Metric::nominal, Seed(1), 99);
  const Estimate again = krippendorff(with_single, Metric::nominal, Seed(1), 99);
  EXPECT_EQ(again.value, alpha.value);  // dropped for alpha
  EXPECT_EQ(again.n_units, 12);
  const Agreement ac = agreement(paired, Chance::gwet);
  const Agreement ac_single = agreement(with_single, Chance::gwet);
  EXPECT_EQ(ac_single.observed, ac.observed);
  EXPECT_NE(ac_single.expected, ac.expected);  // kept in pi_k
}

TEST(EdgesOf, R07_Icc) {
  Numbers scores(4, 2);
  scores.data = {1, 4, 2, 3, 3, 2, 4, 1};  // raters who contradict each other
  const Estimate below = icc(scores, IccForm::one_single);
  EXPECT_LT(below.value, -.5);  // as it is, not clipped
}

TEST(EdgesOf, R08_BradleyTerry) {
  const std::vector<Meeting> apart = {{0, 1, 3, 2, 0}, {2, 3, 1, 4, 0}};
  const Abilities split = abilities(apart, 4, TieModel::half_wins);
  EXPECT_FALSE(split.connected);
  EXPECT_EQ(split.status, Status::flagged);
  const std::vector<Meeting> unbeaten = {{0, 1, 5, 0, 0}, {0, 2, 4, 0, 0}, {1, 2, 2, 2, 0}};
  const Abilities ridge = abilities(unbeaten, 3, TieModel::half_wins);
  EXPECT_EQ(ridge.status, Status::flagged);
  for (const Estimate& e : ridge.ability) EXPECT_TRUE(std::isfinite(e.value));
  const std::vector<Meeting> tied = {{0, 1, 6, 4, 3}, {1, 2, 5, 3, 2}, {0, 2, 4, 3, 1}};
  EXPECT_EQ(abilities(tied, 3, TieModel::half_wins).status, Status::flagged);  // to describe, not to infer
  EXPECT_EQ(abilities(tied, 3, TieModel::davidson).status, Status::ok);
  std::vector<Meeting> padded = tied;  // weights of zero
  padded.push_back({2, 1, 0, 0, 0});
  EXPECT_EQ(abilities(padded, 3, TieModel::davidson).ability[2].value,
            abilities(tied, 3, TieModel::davidson).ability[2].value);
}

TEST(EdgesOf, R09_DawidSkene) {
  std::vector<Label> labels;  // annotator 7 and item 9 of them are never asked; nobody ever says 2
  for (int item = 0; item < 9; ++item)
    for (const int annotator : {1, 3, 8})
      labels.push_back({item, annotator, annotator == 8 && item == 4 ? 1 - item % 2 : item % 2});
  const DawidSkene found = dawid_skene(labels, 3);
  EXPECT_EQ(found.annotators, (Labels{1, 3, 8}));
  for (std::size_t i = 0; i < 9; ++i)
    EXPECT_EQ(found.best(i), static_cast<int>(i % 2));  // no switched labels
  EXPECT_EQ(found.prevalence[2], 0);                    // a zero cell, without smoothing
  for (const double p : found.posterior.data) EXPECT_TRUE(std::isfinite(p));
  EXPECT_TRUE(std::isfinite(found.log_likelihood));
}

TEST(EdgesOf, R10_RaschCml) {
  Numbers answers(0, 3);
  Stream stream{Seed(10)};
  for (int person = 0; person < 60; ++person)
    answers.append(Values{stream.uniform() < .8 ? 1. : 0., stream.uniform() < .5 ? 1. : 0.,
                          stream.uniform() < .3 ? 1. : 0.});
  const Rasch plain = rasch(answers);
  Numbers more = answers;
  for (int person = 0; person < 20; ++person)
    more.append(person % 2 == 0 ? Values{1, 1, 1} : Values{0, 0, 0});
  const Rasch same = rasch(more);
  EXPECT_EQ(same.n_persons, plain.n_persons);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(same.easiness[i].value, plain.easiness[i].value, 1e-9);
  Numbers flat(answers.n, 4);
  for (std::size_t i = 0; i < flat.n; ++i) {
    std::copy_n(answers.row(i).begin(), 3, flat.row(i).begin());
    flat.row(i)[3] = 1;
  }
  const Rasch dropped = rasch(flat);
  EXPECT_EQ(dropped.status, Status::flagged);
  EXPECT_EQ(dropped.easiness[3].status, Status::undefined);
  EXPECT_NEAR(dropped.easiness[0].value, plain.easiness[0].value, 1e-9);
}

TEST(EdgesOf, R11_PpiPlusPlus) {
  const Values human = noise(40, 11, 1);
  const Ppi blind = ppi_mean(human, Values(40, 3.0), Values(200, 3.0));
  EXPECT_EQ(blind.lambda, 0);
  EXPECT_NEAR(blind.estimate.value, mean(human).value, 1e-12);
  const PpiOptions normal{Tuning::tuned, 1, PpiInterval::normal};
  const Values judge = noise(40, 12);
  const Values rest = noise(200, 13);
  EXPECT_TRUE(ppi_mean(human, judge, rest, normal).estimate.usable());
  EXPECT_EQ(ppi_mean(std::span(human).first(29), std::span(judge).first(29), rest, normal).estimate.status,
            Status::refused);
}

TEST(EdgesOf, R12_RoganGladen) {
  EXPECT_EQ(rogan_gladen({50, 100}, {40, 100}, {60, 100}).status, Status::undefined);  // q0 + q1 = 1
  EXPECT_EQ(rogan_gladen({50, 100}, {30, 100}, {60, 100}).status, Status::undefined);
  for (const double share : {.1, .5, .9})  // the prevalence may shift
    EXPECT_NEAR(
        rogan_gladen({std::lround(10000 * (share * .9 + (1 - share) * .2)), 10000}, {900, 1000}, {800, 1000})
            .value,
        share, 1e-9);
}

TEST(EdgesOf, R13_Tost) {
  const Values x = noise(20, 14);
  const double touching = std::max(tost(x, 9).mean.ci90.high, -tost(x, 9).mean.ci90.low);
  EXPECT_FALSE(tost(x, touching).equivalent);
  EXPECT_TRUE(tost(x, touching * (1 + 1e-9)).equivalent);
  EXPECT_EQ(tost(std::span(x).first(5), 9).mean.status, Status::refused);
  EXPECT_FALSE(tost(std::span(x).first(5), 9).equivalent);
}

TEST(EdgesOf, R14_EProcess) {
  CoinProcess early;  // the same fifteen wins and ten losses in another order are other evidence
  CoinProcess late;
  for (int i = 0; i < 25; ++i) {
    early.add(i < 15);
    late.add(i >= 10);
  }
  EXPECT_EQ(early.log_e(), late.log_e());
  EXPECT_TRUE(early.rejects(.01));  // and what was reached stays reached
  EXPECT_LT(early.p(), late.p());
  EXPECT_TRUE(std::isfinite(log_e_coin(1000000, 1000000)));  // e^693135: logs always
  EXPECT_TRUE(std::isfinite(log_e_product(Values(1000, 600.0))));
}

TEST(EdgesOf, R15_PageAndJonckheere) {
  Numbers blocks(0, 3);
  for (int i = 0; i < 6; ++i) blocks.append(i % 2 == 0 ? Values{1, 1, 2} : Values{1, 3, 3});
  const Page tied = page(blocks);
  EXPECT_TRUE(tied.exact);
  EXPECT_DOUBLE_EQ(tied.l, 3 * (1 * 1.5 + 2 * 1.5 + 3 * 3) + 3 * (1 * 1 + 2 * 2.5 + 3 * 2.5));  // mid-ranks
  EXPECT_NEAR(tied.p, 1 / std::pow(3., 6), 1e-15);  // each block has three arrangements, all at their best
  const Jonckheere groups = jonckheere(std::vector<Values>{{1, 1}, {1, 2}, {2, 2}}, Seed(1));
  EXPECT_TRUE(groups.exact);
  EXPECT_GT(groups.p, 0);
  EXPECT_LT(groups.variance_ties, groups.variance);
  EXPECT_EQ(jonckheere(std::vector<Values>{{1, 1}, {1}}, Seed(1)).status, Status::undefined);
  EXPECT_EQ(page(Numbers(4, 3)).status, Status::undefined);
}

TEST(EdgesOf, R16_LogOddsOfSamples) {
  EXPECT_DOUBLE_EQ(log_odds(0, 20).value, std::log(.5 / 20.5));
  EXPECT_DOUBLE_EQ(log_odds(20, 20).value, std::log(20.5 / .5));
  EXPECT_EQ(log_odds(5, 9).status, Status::refused);
  EXPECT_EQ(log_odds(5, 10).status, Status::ok);
}

// ---- whatever a file may hold

TEST(EdgesOfAnyFile, WhatIsNotFiniteIsRefusedByItsPlace) {
  const Labels cluster = {0, 0, 1, 1, 2, 2};
  const std::vector<char> high = {0, 1, 0, 1, 0, 1};
  const Values fine = {1, 2, 3, 4, 5, 6};
  const std::vector<std::function<void(const Values&)>> all = {
      [&](const Values& x) { (void)mean(x); },
      [&](const Values& x) { (void)clustered_mean(x, cluster); },
      [&](const Values& x) { (void)fieller(x, fine); },
      [&](const Values& x) { (void)fieller(fine, x); },
      [&](const Values& x) { (void)sign_flip(x, Seed(1)); },
      [&](const Values& x) { (void)sign_flip_interval(x, Seed(1)); },
      [&](const Values& x) { (void)bca_mean(x, cluster, Seed(1), 99); },
      [&](const Values& x) { (void)two_way_mean(x, cluster, cluster); },
      [&](const Values& x) { (void)tost_paired(x, fine, 1); },
      [&](const Values& x) { (void)delong(x, fine); },
      [&](const Values& x) {
        (void)clustered_auroc({x, high, cluster});
      },
      [&](const Values& x) { (void)concordance(fine, x); },
      [&](const Values& x) { (void)kendall_tau_b(x, fine); },
      [&](const Values& x) { (void)mediation(fine, fine, x, Seed(1), 19); },
      [&](const Values& x) { (void)ppi_mean(x, fine, fine); },
      [&](const Values& x) { (void)mixture_mean(x, 1, 10); },
      [&](const Values& x) { (void)betting_mean(x, 0, 10, 5); },
  };
  for (std::size_t f = 0; f < all.size(); ++f) {
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      Values x = fine;
      x[3] = bad;
      try {
        all[f](x);
        ADD_FAILURE() << "function " << f << " took " << bad;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::bad_input);
        EXPECT_NE(std::string(error.what()).find("value 4"), std::string::npos) << f << ": " << error.what();
      }
    }
  }
}

TEST(EdgesOfAnyFile, NothingAndOneUnitGiveNoInterval) {
  for (const Values& x : {Values{}, Values{3}}) {
    const Labels cluster(x.size(), 0);
    EXPECT_EQ(mean(x).status, Status::undefined);
    EXPECT_EQ(clustered_mean(x, cluster).status, Status::undefined);
    EXPECT_FALSE(bca_mean(x, Seed(1), 99).usable());
    EXPECT_FALSE(sign_flip_interval(x, Seed(1)).usable());
    EXPECT_FALSE(concordance(x, x).usable());
    EXPECT_FALSE(kendall_tau_b(x, x).usable());
    EXPECT_FALSE(tost_paired(x, x, 1).equivalent);
    EXPECT_FALSE(ppi_mean(x, x, x).estimate.usable());
  }
  EXPECT_EQ(wilson(0, 0).status, Status::undefined);
  EXPECT_EQ(log_odds(0, 0).status, Status::refused);
}

TEST(EdgesOfAnyFile, AConstantColumnIsLeftOutAndSaid) {
  Numbers x(8, 3);
  for (std::size_t i = 0; i < 8; ++i) {
    x.row(i)[0] = 1;
    x.row(i)[1] = 7;
    x.row(i)[2] = static_cast<double>(i % 3);
  }
  const Regression found = ols(x, noise(8, 15));
  EXPECT_EQ(found.rank, 2);
  EXPECT_EQ(found.status, Status::flagged);
  EXPECT_EQ(found.coefficient[1].status, Status::undefined);
  EXPECT_TRUE(found.coefficient[2].usable());
}

TEST(EdgesOfAnyFile, SmallDifferencesUnderAHugeLevelAndDenormalsKeepTheirSpread) {
  const Values x = {.25, .5, -.25, 1, 0, -.75, .5, .25};  // whole multiples of the spacing at 1e12
  Values far = x;
  Values tiny = x;
  for (double& value : far) value += 1e12;
  for (double& value : tiny) value *= 0x1p-1060;  // denormal
  const Labels cluster = {0, 0, 1, 1, 2, 2, 3, 3};
  EXPECT_DOUBLE_EQ(mean(far).se, mean(x).se);
  EXPECT_NEAR(clustered_mean(far, cluster).se, clustered_mean(x, cluster).se, 1e-4);
  EXPECT_EQ(sign_flip(tiny, Seed(1)).p, sign_flip(x, Seed(1)).p);
  EXPECT_EQ(kendall_tau_b(tiny, far).value, 1);
  EXPECT_EQ(delong(tiny, negative(tiny)).value, delong(x, negative(x)).value);
}

TEST(EdgesOfAnyFile, AMillionRows) {
  constexpr std::size_t kRows = 1000000;
  Values x(kRows);
  Labels cluster(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    x[i] = static_cast<double>(i % 7);  // ties everywhere
    cluster[i] = static_cast<int>(i / 1000);
  }
  EXPECT_NEAR(mean(x).value, 3, 1e-5);
  EXPECT_EQ(clustered_mean(x, cluster).n_units, 1000);
  EXPECT_TRUE(bca_mean(x, cluster, Seed(1), 99).usable());
  EXPECT_NEAR(delong(std::span(x).first(kRows / 2), std::span(x).last(kRows / 2)).value, .5, 1e-5);
}

TEST(EdgesOfAnyFile, TwoThreadsGiveTheBitsOfOne) {
  const Values x = noise(60, 16, .3);
  const Values y = noise(60, 17);
  Labels cluster;
  std::vector<char> high;
  Ratings ratings(20, 3);
  std::vector<Label> labels;
  Numbers curves(20, 3);
  for (int i = 0; i < 60; ++i) {
    cluster.push_back(i / 4);
    high.push_back(static_cast<char>(i % 2));
    ratings.data[static_cast<std::size_t>(i)] = std::floor(2 * x[static_cast<std::size_t>(i)]);
    labels.push_back({i / 3, i % 3, x[static_cast<std::size_t>(i)] > 0 ? 1 : 0});
    curves.data[static_cast<std::size_t>(i)] = x[static_cast<std::size_t>(i)];
  }
  const Seed seed(18);
  const auto all = [&] {
    std::vector<double> bits;
    const auto keep = [&](const Estimate& e) {
      bits.insert(bits.end(), {e.value, e.se, e.p, e.ci95.low, e.ci95.high, e.ci90.low, e.ci90.high});
    };
    keep(bca_mean(x, cluster, seed, 499));
    keep(sign_flip_interval(x, seed, 999));
    keep(two_way_bootstrap_mean(x, cluster, cluster, seed, 199).estimate);
    keep(bootstrap_auroc({x, high, cluster}, seed, 199));
    keep(krippendorff(ratings, Metric::interval, seed, 199));
    keep(dawid_skene_prevalence(labels, 2, seed, 49)[0]);
    keep(mediation(x, y, x, cluster, seed, 99).indirect);
    keep(dose_slopes(curves, Values{0, 1, 2}, seed, 0, 199).excess);
    keep(ols(curves, std::span(y).first(20), std::span(cluster).first(20)).coefficient[0]);
    bits.push_back(monotonicity(curves, seed, 99).p);
    bits.push_back(mace(labels, 2, seed, {.starts = 2}).log_likelihood);
    return bits;
  };
  const auto alone = all();
  auto first = std::async(std::launch::async, all);
  auto second = std::async(std::launch::async, all);
  EXPECT_EQ(first.get(), alone);
  EXPECT_EQ(second.get(), alone);
}

}  // namespace
}  // namespace sonder::stats
