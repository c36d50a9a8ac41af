// Properties that hold for any data, not only for the examples: swaps, orders, units, and never a NaN.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/seed.h"
#include "stats/bootstrap.h"
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
using detail::same;
using detail::size_between;
using detail::sound;
using Values = std::vector<double>;
using Labels = std::vector<int>;

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

}  // namespace
}  // namespace sonder::stats
