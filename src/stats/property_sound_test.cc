// Whatever a file may hold, as long as it is finite: huge offsets, denormals, ties everywhere, one unit,
// none.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/seed.h"
#include "stats/bootstrap.h"
#include "stats/cluster.h"
#include "stats/detail/property.h"
#include "stats/equivalence.h"
#include "stats/mean.h"
#include "stats/mediation.h"
#include "stats/ols.h"
#include "stats/order.h"
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
using detail::wild;
using Values = std::vector<double>;
using Labels = std::vector<int>;

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
