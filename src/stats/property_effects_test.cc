// Properties that hold for any data, not only for the examples: swaps, orders, units, and never a NaN.
#include <algorithm>
#include <cmath>
#include <future>
#include <numeric>
#include <vector>

#include "base/seed.h"
#include "stats/bootstrap.h"
#include "stats/cluster.h"
#include "stats/detail/property.h"
#include "stats/detection.h"
#include "stats/equivalence.h"
#include "stats/mean.h"
#include "stats/mediation.h"
#include "stats/multiple.h"
#include "stats/ols.h"
#include "stats/order.h"
#include "stats/power.h"
#include "stats/proportion.h"
#include "stats/roc.h"
#include "stats/signflip.h"
#include "stats/trend.h"

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

template <class T>
std::vector<T> reordered(const std::vector<T>& x, const std::vector<std::size_t>& order) {
  std::vector<T> out;
  for (const std::size_t i : order) out.push_back(x[i]);
  return out;
}

std::vector<std::size_t> any_order(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Stream stream(Seed(*rc::gen::arbitrary<std::uint64_t>()));
  stream.shuffle(order);
  return order;
}

bool mirrored(Interval a, Interval b, double about, double tolerance = 1e-9) {
  return close(a.low, 2 * about - b.high, tolerance) && close(a.high, 2 * about - b.low, tolerance);
}

bool same(const Estimate& a, const Estimate& b, double tolerance = 1e-9) {
  return a.status == b.status && close(a.value, b.value, tolerance) && close(a.se, b.se, tolerance) &&
         close(a.p, b.p, 1e-6);
}

// ---- separation

TEST(Properties, SwappingTheLabelsMirrorsEveryArea) {
  holds("A becomes 1 - A", [] {
    const Values high = *quarters(size_between(2, 12));
    const Values low = *quarters(size_between(2, 12));
    const Estimate one = delong(high, low);
    const Estimate other = delong(low, high);
    RC_ASSERT(close(one.value, 1 - other.value));
    RC_ASSERT(close(one.se, other.se));
    RC_ASSERT(mirrored(one.ci95, other.ci95, .5));
    const DeLongUnpaired there = delong_unpaired(high, low, low, high);
    RC_ASSERT(close(there.a1, 1 - there.a2));
  });
}

struct Rows {
  Values score;
  std::vector<char> high;
  Labels cluster;
  Scored view() const { return {score, high, cluster}; }
};

Rows any_rows() {
  const std::size_t n = size_between(4, 24);
  Rows rows{*quarters(n), {}, *labels(n, 6)};
  for (const int one : *labels(n, 2)) rows.high.push_back(static_cast<char>(one));
  return rows;
}

TEST(Properties, ClusteredAreasDoNotDependOnOrderNamesOrSides) {
  holds("clustered area", [] {
    const Rows rows = any_rows();
    const Estimate one = clustered_auroc(rows.view());
    RC_ASSERT(sound(one));
    const auto order = any_order(rows.score.size());
    Rows moved{reordered(rows.score, order), reordered(rows.high, order), reordered(rows.cluster, order)};
    for (int& name : moved.cluster) name = 1000 - 7 * name;
    RC_ASSERT(same(one, clustered_auroc(moved.view())));
    Rows swapped = rows;
    for (char& side : swapped.high) side = static_cast<char>(1 - side);
    const Estimate other = clustered_auroc(swapped.view());
    RC_ASSERT(close(one.value, 1 - other.value));
    RC_ASSERT(close(one.se, other.se, 1e-7));
    RC_ASSERT(sound(within_concordance(rows.view())));
    RC_ASSERT(close(within_concordance(rows.view()).value + within_concordance(swapped.view()).value,
                    within_concordance(rows.view()).n_units > 0 ? 1.0 : 0.0));
  });
}

// ---- regression

TEST(Properties, RegressionFollowsItsUnitsAndForgetsItsOrder) {
  holds("least squares", [] {
    const std::size_t n = size_between(6, 20);
    const Values x1 = *quarters(n);
    const Values y = *quarters(n);
    const Labels cluster = *labels(n, 5);
    const double shift = *quarters();
    const double scale = *rc::gen::inRange(1, 9) / 2.0;
    Numbers x(n, 2);
    Numbers moved(n, 2);
    Values new_y;
    Labels renamed;
    const auto order = any_order(n);
    for (std::size_t i = 0; i < n; ++i) {
      x.row(i)[0] = moved.row(i)[0] = 1;
      x.row(i)[1] = x1[i];
      moved.row(i)[1] = scale * x1[order[i]] + shift;
      new_y.push_back(3 * y[order[i]] - shift);
      renamed.push_back(50 - 3 * cluster[order[i]]);
    }
    for (const ClusterError how : {ClusterError::cr0, ClusterError::cr1, ClusterError::cr2}) {
      const Regression one = ols(x, y, cluster, how);
      const Regression other = ols(moved, new_y, renamed, how);
      RC_ASSERT(sound(one.coefficient[0]) && sound(one.coefficient[1]));
      RC_ASSERT(one.status == other.status);
      RC_ASSERT(close(other.coefficient[1].value, one.coefficient[1].value * 3 / scale, 1e-8));
      RC_ASSERT(close(other.coefficient[1].se, one.coefficient[1].se * 3 / scale, 1e-6));
    }
  });
}

TEST(Properties, ClustersOfOneAreNoClusters) {
  holds("singletons", [] {
    const Values x = *quarters(size_between(2, 20));
    Labels own(x.size());
    std::iota(own.begin(), own.end(), -3);
    RC_ASSERT(same(mean(x), clustered_mean(x, own, ClusterError::cr1).mean));
    RC_ASSERT(same(mean(x), clustered_mean(x, own, ClusterError::cr2).mean));
  });
}

TEST(Properties, TheTwoWaysOfATwoWayMeanAreEqual) {
  holds("roles swap", [] {
    const std::size_t n = size_between(2, 24);
    const Values x = *quarters(n);
    const Labels first = *labels(n, 5);
    const Labels second = *labels(n, 5);
    const Estimate one = two_way_mean(x, first, second);
    RC_ASSERT(sound(one));
    RC_ASSERT(same(one, two_way_mean(x, second, first)));
  });
}

// ---- equivalence, many tests

TEST(Properties, EquivalenceIsTheIntervalInsideTheBounds) {
  holds("TOST", [] {
    const Values x = *quarters(size_between(6, 16));
    const Values y = *quarters(size_between(6, 16));
    const double bound = *rc::gen::inRange(1, 40) / 4.0 + .0625;
    const Tost one = tost(x, bound);
    if (one.mean.se > 0) {
      RC_ASSERT(one.equivalent == (one.p < .05));
      RC_ASSERT(one.equivalent == (one.mean.ci90.low > -bound && one.mean.ci90.high < bound));
    }
    const WelchTost two = welch_tost(x, y, bound);
    if (two.tost.mean.se > 0) RC_ASSERT(two.tost.equivalent == (two.tost.p < .05));
    const WelchTost swapped = welch_tost(y, x, bound);
    RC_ASSERT(swapped.tost.equivalent == two.tost.equivalent);
    RC_ASSERT(close(swapped.tost.p, two.tost.p));
  });
}

TEST(Properties, AdjustedPsAreOrderedAndRise) {
  holds("p <= BH <= Holm <= Bonferroni", [] {
    Values p;
    for (const int k : *labels(size_between(1, 20), 1001)) p.push_back(k / 1000.0);
    const Values bh = benjamini_hochberg(p);
    const Values stepped = holm(p);
    const Values all = bonferroni(p);
    for (std::size_t i = 0; i < p.size(); ++i) {
      RC_ASSERT(p[i] <= bh[i] + 1e-15 && bh[i] <= stepped[i] + 1e-12 && stepped[i] <= all[i] + 1e-12);
      for (std::size_t j = 0; j < p.size(); ++j)
        if (p[i] <= p[j]) RC_ASSERT(stepped[i] <= stepped[j] && bh[i] <= bh[j]);
    }
  });
}

TEST(Properties, MoreEvidenceNeverRejectsLess) {
  holds("e-BH", [] {
    Values e;
    for (const int k : *labels(size_between(1, 15), 400)) e.push_back(k / 2.0);
    const auto before = e_benjamini_hochberg(e, .05);
    const Values adjusted = e_adjusted(e);
    for (std::size_t i = 0; i < e.size(); ++i)
      if (std::abs(adjusted[i] - .05) > 1e-9) RC_ASSERT(before[i] == (adjusted[i] < .05));
    const auto which = static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(e.size())));
    e[which] += 50;
    const auto after = e_benjamini_hochberg(e, .05);
    for (std::size_t i = 0; i < e.size(); ++i) RC_ASSERT(!before[i] || after[i]);
  });
}

// ---- order

TEST(Properties, JonckheereTurnsRoundWithItsGroups) {
  holds("J", [] {
    std::vector<Values> groups;
    const auto k = size_between(2, 4);
    for (std::size_t g = 0; g < k; ++g) groups.push_back(*quarters(size_between(1, 4)));
    const Jonckheere rising = jonckheere(groups, Seed(1), 99);
    std::reverse(groups.begin(), groups.end());
    const Jonckheere falling = jonckheere(groups, Seed(1), 99);
    RC_ASSERT(rising.status == falling.status);
    if (rising.status != Status::ok) return;
    RC_ASSERT(close(rising.j + falling.j, 2 * rising.expected));
    RC_ASSERT(close(rising.z, -falling.z));
    RC_ASSERT(rising.exact && rising.p + falling.p >= 1 - 1e-9);  // the observed counts in both
    for (auto& group : groups)
      for (double& value : group) value = std::exp(value / 4);
    RC_ASSERT(close(jonckheere(groups, Seed(1), 99).p, falling.p));
  });
}

TEST(Properties, AnIsotonicFitRisesKeepsTheMeanAndIsItsOwn) {
  holds("PAVA", [] {
    const Values y = *quarters(size_between(1, 25));
    const Values fit = isotonic(y);
    RC_ASSERT(std::is_sorted(fit.begin(), fit.end()));
    RC_ASSERT(close(std::accumulate(y.begin(), y.end(), 0.0), std::accumulate(fit.begin(), fit.end(), 0.0)));
    const Values again = isotonic(fit);
    for (std::size_t i = 0; i < fit.size(); ++i) RC_ASSERT(close(again[i], fit[i], 1e-12));
  });
}

TEST(Properties, SlopesFollowTheUnitOfTheDose) {
  holds("slopes", [] {
    const std::size_t n = size_between(2, 8);
    Numbers curves(0, 4);
    for (std::size_t i = 0; i < n; ++i) curves.append(*quarters(4));
    const Values doses = {-1, 0, 1, 3};
    const Values halves = {-2, 0, 2, 6};
    const Slopes one = dose_slopes(curves, doses, Seed(1), 0, 20);
    const Slopes other = dose_slopes(curves, halves, Seed(1), 0, 20);
    for (std::size_t i = 0; i < n; ++i) RC_ASSERT(close(one.slope[i], 2 * other.slope[i]));
    RC_ASSERT(sound(one.mean) && sound(one.excess) && sound(one.anti_steerable));
    RC_ASSERT(close(one.expected, other.expected));
    RC_ASSERT(one.true_variance >= 0 && one.true_share >= 0 && one.true_share <= 1);
  });
}

// ---- shares, detection, power

TEST(Properties, SharesMirrorAndTheirIntervalsNest) {
  holds("k of n", [] {
    const int n = *rc::gen::inRange(1, 80);
    const int k = *rc::gen::inRange(0, n + 1);
    for (const auto of :
         {+[](long a, long b) { return wilson(a, b); }, +[](long a, long b) { return exact_share(a, b); }}) {
      const Estimate one = of(k, n);
      RC_ASSERT(sound(one));
      RC_ASSERT(mirrored(one.ci95, of(n - k, n).ci95, .5));
      RC_ASSERT(one.ci95.low <= one.ci90.low + 1e-15 && one.ci90.high <= one.ci95.high + 1e-15);
      RC_ASSERT(one.ci95.low <= one.value + 1e-15 && one.value <= one.ci95.high + 1e-15);
    }
    const McNemar there = mcnemar(k, n - k);
    const McNemar back = mcnemar(n - k, k);
    RC_ASSERT(close(there.chi2, back.chi2) && close(there.share.p, back.share.p));
    RC_ASSERT(there.p_chi2 <= there.p_corrected);
    RC_ASSERT(sound(paired_change(k, 3, n - k, 2)));
    RC_ASSERT(mirrored(paired_change(k, 3, n - k, 2).ci95, paired_change(k, n - k, 3, 2).ci95, 0));
  });
}

TEST(Properties, DetectionTurnsRoundWithItsKinds) {
  holds("d'", [] {
    const int n = *rc::gen::inRange(1, 60);
    const int m = *rc::gen::inRange(1, 60);
    const int h = *rc::gen::inRange(0, n + 1);
    const int f = *rc::gen::inRange(0, m + 1);
    const YesNo one = yes_no(h, n, f, m);
    const YesNo kinds = yes_no(f, m, h, n);
    const YesNo answers = yes_no(n - h, n, m - f, m);
    RC_ASSERT(sound(one.dprime) && sound(one.criterion));
    RC_ASSERT(close(one.dprime.value, -kinds.dprime.value) &&
              close(one.criterion.value, kinds.criterion.value));
    RC_ASSERT(close(one.dprime.value, -answers.dprime.value) &&
              close(one.criterion.value, -answers.criterion.value));
    RC_ASSERT(close(dprime_2afc(h, n).value, -dprime_2afc(n - h, n).value));
  });
}

TEST(Properties, PowerLiesBetweenZeroAndOneAndFallsAwayFromTheMiddle) {
  holds("power", [] {
    const int n = *rc::gen::inRange(2, 80);
    const double sd = *rc::gen::inRange(1, 40) / 20.0;
    const double truth = *rc::gen::inRange(0, 20) / 100.0;
    const double near = tost_power(sd, n, .2, truth);
    const double far = tost_power(sd, n, .2, truth + .02);
    RC_ASSERT(near >= 0 && near <= 1 && far <= near + 1e-9);
    RC_ASSERT(close(near, tost_power(sd, n, .2, -truth)));
    const BinomialPower coin = binomial_power(n, .5);
    RC_ASSERT(coin.power <= .05 + 1e-12);
    RC_ASSERT(close(binomial_power(n, .7).power, binomial_power(n, .3).power));
    RC_ASSERT(binomial_power(n, .7).power >= coin.power - 1e-12);
  });
}

// ---- resampling

TEST(Properties, SignFlipsForgetOrderAndSign) {
  holds("sign flip", [] {
    const Values x = *quarters(size_between(1, 12));
    Values turned = reordered(x, any_order(x.size()));
    for (double& value : turned) value = -value;
    const SignFlip one = sign_flip(x, Seed(0));
    const SignFlip other = sign_flip(turned, Seed(0));
    RC_ASSERT(one.p == other.p && one.p > 0 && one.p <= 1);
    RC_ASSERT(one.p_greater + other.p_greater >= 1);
    const Estimate interval = sign_flip_interval(x, Seed(0));
    RC_ASSERT(sound(interval));
    RC_ASSERT(mirrored(interval.ci95, sign_flip_interval(turned, Seed(0)).ci95, 0));
  });
}

TEST(Properties, AnEnumeratedBootstrapForgetsOrder) {
  holds("all resamples", [] {
    const Values x = *quarters(size_between(2, 4));
    const auto mean_of = [](const Values& v) {
      return [&v](std::span<const std::size_t> units) {
        double total = 0;
        for (const std::size_t u : units) total += v[u];
        return total / static_cast<double>(units.size());
      };
    };
    const Values other = reordered(x, any_order(x.size()));
    const Bca one = bca_enumerated(x.size(), mean_of(x));
    RC_ASSERT(sound(one.estimate));
    RC_ASSERT(close(one.estimate.ci95.low, bca_enumerated(x.size(), mean_of(other)).estimate.ci95.low));
  });
}

TEST(Properties, TheTotalEffectIsTheDirectAndTheIndirectOne) {
  holds("mediation", [] {
    const std::size_t n = size_between(6, 16);
    Values t;
    for (const int one : *labels(n, 2)) t.push_back(one);
    const Values m = *quarters(n);
    const Values y = *quarters(n);
    const Mediation found = mediation(t, m, y, Seed(1), 20);
    for (const Estimate* e : {&found.a, &found.b, &found.direct, &found.total, &found.indirect})
      RC_ASSERT(sound(*e));
    if (found.status != Status::ok) return;
    RC_ASSERT(close(found.total.value, found.direct.value + found.indirect.value));
    RC_ASSERT(close(indirect_at(found, 0), found.indirect.value, 1e-7));
    if (found.proportion) RC_ASSERT(*found.proportion > 0);
  });
}

// ---- whatever the file holds

TEST(Properties, TheSpreadSurvivesAHugeOffset) {
  holds("1e12 + small differences", [] {
    const std::size_t n = size_between(6, 14);
    const Values x = *quarters(n);
    const Values y = *quarters(n);
    const Labels cluster = *labels(n, 5);
    Values far;  // quarters are whole multiples of the spacing of numbers near 1e12
    Values gap;
    for (std::size_t i = 0; i < n; ++i) {
      far.push_back(1e12 + x[i]);
      gap.push_back(1e12 + y[i]);
    }
    const auto alike = [](const Estimate& a, const Estimate& b) {
      return a.status == b.status && close(a.se, b.se, 1e-4) && close(a.value - 1e12, b.value, 1e-3);
    };
    RC_ASSERT(alike(mean(far), mean(x)));
    RC_ASSERT(alike(clustered_mean(far, cluster), clustered_mean(x, cluster)));
    RC_ASSERT(alike(clustered_mean(far, cluster, ClusterError::cr2).mean,
                    clustered_mean(x, cluster, ClusterError::cr2).mean));
    RC_ASSERT(same(delong(far, gap), delong(x, y)));
    RC_ASSERT(close(tost_paired(far, gap, 1).p, tost_paired(x, y, 1).p));
    RC_ASSERT(close(design_effect(far, cluster).icc, design_effect(x, cluster).icc, 1e-4));
  });
}

TEST(Properties, DrawsDoNotDependOnThreads) {  // no hidden state: two at once give the bits of one alone
  const Values x = {1, 4, 2, 8, 5, 7, 3, 3, 9, 1, 4, 6};
  const Labels cluster = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5};
  const auto all = [&] {
    return std::vector<Estimate>{bca_mean(x, cluster, Seed(5), 999), sign_flip_interval(x, Seed(5)),
                                 two_way_bootstrap_mean(x, cluster, cluster, Seed(5), 499).estimate};
  };
  const auto alone = all();
  auto first = std::async(std::launch::async, all);
  auto second = std::async(std::launch::async, all);
  const auto one = first.get();
  const auto two = second.get();
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(alone[i].ci95, one[i].ci95);
    EXPECT_EQ(alone[i].ci95, two[i].ci95);
    EXPECT_EQ(alone[i].p, one[i].p);
    EXPECT_EQ(alone[i].se, two[i].se);
  }
}

TEST(Properties, NoFiniteInputMakesANaN) {
  holds("sound", [] {
    const std::size_t n = size_between(0, 12);
    const Values x = *wild(n);
    const Values y = *wild(n);
    const Labels cluster = *labels(n, 4);
    const Labels other = *labels(n, 4);
    std::vector<char> high;
    for (const int one : *labels(n, 2)) high.push_back(static_cast<char>(one));
    RC_ASSERT(sound(mean(x)));
    RC_ASSERT(sound(clustered_mean(x, cluster)));
    RC_ASSERT(sound(clustered_mean(x, cluster, ClusterError::cr2).mean));
    RC_ASSERT(sound(two_way_mean(x, cluster, other)));
    RC_ASSERT(sound(fieller(x, y).theta));
    RC_ASSERT(sound(tost_paired(x, y, 1).mean));
    RC_ASSERT(sound(welch_tost(x, y, 1).tost.mean));
    RC_ASSERT(sound(sign_flip_interval(x, Seed(1), 99)));
    RC_ASSERT(sound(sign_flip_interval(x, cluster, Seed(1), 99)));
    RC_ASSERT(sound(bca_mean(x, cluster, Seed(1), 49)));
    RC_ASSERT(sound(two_way_bootstrap_mean(x, cluster, other, Seed(1), 49).estimate));
    RC_ASSERT(sound(clustered_auroc({x, high, cluster})));
    RC_ASSERT(sound(bootstrap_auroc({x, high, cluster}, Seed(1), 49)));
    RC_ASSERT(sound(delong_unpaired(x, y, y, x).difference));
    RC_ASSERT(std::isfinite(design_effect(x, cluster).icc));
    const Mediation path = mediation(x, y, x, Seed(1), 19);
    for (const Estimate* e : {&path.a, &path.b, &path.direct, &path.total, &path.indirect})
      RC_ASSERT(sound(*e));
    RC_ASSERT(std::isfinite(path.rho_at_zero) && std::isfinite(path.sd_y));
    RC_ASSERT(std::isfinite(jonckheere(std::vector<Values>{x, y}, Seed(1), 19).p));
  });
}

TEST(Properties, NoFiniteRegressionMakesANaN) {
  holds("sound regression", [] {
    const std::size_t n = size_between(0, 10);
    Numbers x(n, 3);
    for (std::size_t i = 0; i < n; ++i) {
      x.row(i)[0] = 1;
      x.row(i)[1] = *wild();
      x.row(i)[2] = *wild();
    }
    const Values y = *wild(n);
    const Labels cluster = *labels(n, 4);
    const Labels other = *labels(n, 4);
    Factor group{*labels(n, 3), 3};
    const auto fine = [](const Regression& r) {
      return std::all_of(r.coefficient.begin(), r.coefficient.end(),
                         [](const Estimate& e) { return sound(e); }) &&
             std::all_of(r.covariance.data.begin(), r.covariance.data.end(),
                         [](double v) { return std::isfinite(v); });
    };
    RC_ASSERT(fine(ols(x, y)));
    RC_ASSERT(fine(ols(x, y, cluster, ClusterError::cr1)));
    RC_ASSERT(fine(ols(x, y, cluster, ClusterError::cr2)));
    RC_ASSERT(fine(ols_two_way(x, y, cluster, other)));
    const Values covariate = *wild(n);
    const Ancova fitted = ancova(y, group, covariate);
    RC_ASSERT(sound(fitted.slope) && std::isfinite(fitted.group.p) && std::isfinite(fitted.homogeneity.f));
    Numbers curves(0, 3);
    for (std::size_t i = 0; i < n; ++i) curves.append(*wild(3));
    if (n > 0) {
      const Slopes slopes = dose_slopes(curves, Values{0, 1, 2}, Seed(1), 0, 19);
      RC_ASSERT(sound(slopes.mean) && sound(slopes.excess) && sound(slopes.anti_steerable));
    }
  });
}

}  // namespace
}  // namespace sonder::stats
