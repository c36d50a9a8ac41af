#include "stats/mean.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "stats/detail/numbers.h"

namespace sonder::stats {
namespace {

constexpr int kFewest = 6;  // fewer scenarios than this carry no ratio and no equivalence: methods.md 5.10

struct Clusters {
  std::vector<double> size;      // [C]
  std::vector<double> residual;  // [C] sum of (x - mean) within
};

Clusters gather(std::span<const double> x, std::span<const int> cluster, double centre) {
  std::map<int, std::size_t> place;
  Clusters found;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto [at, fresh] = place.try_emplace(cluster[i], found.size.size());
    if (fresh) {
      found.size.push_back(0);
      found.residual.push_back(0);
    }
    found.size[at->second] += 1;
    found.residual[at->second] += x[i] - centre;
  }
  return found;
}

// Bell and McCaffrey's df of an intercept under independent errors: (tr P)^2 / tr P^2 with
// P_cd = w_c w_d (n_c [c = d] - n_c n_d / n) and w_c^2 = 1 / (1 - n_c / n); in one pass, as P is diagonal
// plus rank one.
double satterthwaite(const std::vector<double>& size, double n) {
  double trace_of_square = 0;
  double cross = 0;
  double cross_own = 0;
  for (const double n_c : size) {
    const double w2 = 1 / (1 - n_c / n);
    trace_of_square += n_c * n_c;  // (w^2 n_c (1 - n_c / n))^2
    cross += w2 * n_c * n_c;
    cross_own += w2 * w2 * n_c * n_c * n_c * n_c;
  }
  trace_of_square += (cross * cross - cross_own) / (n * n);
  return n * n / trace_of_square;
}

// The two ends of Fieller's interval, t given. v_ab / v_bb is never formed, so that a gap without spread is
// no trouble.
Interval fieller_ends(double a, double b, double v_aa, double v_bb, double v_ab, double t) {
  const double theta = a / b;
  const double g = t * t * v_bb / (b * b);
  const double lean = t * t * v_ab / (b * b);
  const double inside =
      v_aa - 2 * theta * v_ab + theta * theta * v_bb - g * v_aa + t * t * v_ab * v_ab / (b * b);
  const double half = t / std::abs(b) * std::sqrt(std::max(0.0, inside)) / (1 - g);
  const double centre = (theta - lean) / (1 - g);
  return {centre - half, centre + half};
}

// One-sided p that the mean lies on the inner side of a bound; `distance` > 0 is inside.
double inner_p(double distance, double se, double df, int n) {
  if (se > 0) return detail::t_tail(distance / se, df);
  return distance > 0 ? detail::agreed_p(n) : 1.0;
}

Tost decide(Estimate mean, double df, double bound) {
  Tost tost;
  if (mean.se > 0) {
    tost.t_low = (mean.value + bound) / mean.se;
    tost.t_high = (mean.value - bound) / mean.se;
  }
  tost.p_low = inner_p(mean.value + bound, mean.se, df, mean.n_units);
  tost.p_high = inner_p(bound - mean.value, mean.se, df, mean.n_units);
  tost.p = std::max(tost.p_low, tost.p_high);
  tost.equivalent = mean.ci90.low > -bound && mean.ci90.high < bound;
  tost.mean = std::move(mean);
  return tost;
}

}  // namespace

Estimate mean(std::span<const double> x) {
  detail::require_finite(x, "mean");
  const int n = static_cast<int>(x.size());
  const double value = detail::mean_of(x);
  if (n < 2)
    return detail::without_interval(Status::undefined, value, n, "an interval needs at least two units");
  return detail::settled(detail::by_t(value, std::sqrt(detail::variance(x) / n), n - 1, n));
}

double quantile7(std::span<const double> x, double level) {
  detail::require_finite(x, "quantile");
  require(!x.empty(), "a quantile needs at least one value");
  require(level >= 0 && level <= 1, "the level of a quantile lies in [0, 1]");
  std::vector<double> sorted(x.begin(), x.end());
  std::sort(sorted.begin(), sorted.end());
  return detail::sorted_quantile(sorted, level);
}

ClusteredMean clustered_mean(std::span<const double> x, std::span<const int> cluster, ClusterError how) {
  detail::require_finite(x, "clustered mean");
  require(x.size() == cluster.size(), "every row of a clustered mean needs its cluster");
  const double value = detail::mean_of(x);
  const Clusters found = gather(x, cluster, value);
  const int n_clusters = static_cast<int>(found.size.size());
  if (n_clusters < 2) {
    return {detail::without_interval(Status::undefined, value, n_clusters,
                                     "one cluster has no spread between clusters"),
            0};
  }
  const auto n = static_cast<double>(x.size());
  const double off = detail::sum(found.residual) / n;  // what rounding the mean leaves over
  double squares = 0;
  for (std::size_t c = 0; c < found.size.size(); ++c) {
    const double weight = how == ClusterError::cr2 ? 1 / (1 - found.size[c] / n) : 1.0;
    const double residual = found.residual[c] - found.size[c] * off;
    squares += weight * residual * residual;
  }
  if (how == ClusterError::cr1) squares *= n_clusters / (n_clusters - 1.0);
  if (detail::variance(x) == 0) squares = 0;
  const double df = how == ClusterError::cr2 ? satterthwaite(found.size, n) : n_clusters - 1.0;
  return {detail::settled(detail::by_t(value, std::sqrt(squares) / n, df, n_clusters)), df};
}

Estimate clustered_mean(std::span<const double> x, std::span<const int> cluster) {
  return clustered_mean(x, cluster, ClusterError::cr1).mean;
}

Ratio fieller(std::span<const double> shift, std::span<const double> gap) {
  detail::require_finite(shift, "shift");
  detail::require_finite(gap, "gap");
  require(shift.size() == gap.size(), "shift and gap are paired: one of each for every scenario");
  const int n = static_cast<int>(shift.size());
  const double a = detail::mean_of(shift);
  const double b = detail::mean_of(gap);
  Ratio ratio;
  if (!std::isfinite(a) || !std::isfinite(b)) {
    ratio.theta =
        detail::without_interval(Status::undefined, 0, n, "the numbers are too large to compute with");
    return ratio;
  }
  if (b == 0) {
    ratio.theta = detail::without_interval(Status::undefined, 0, n,
                                           "the anchors do not differ: their mean gap is zero");
    ratio.fieller_g = std::numeric_limits<double>::max();
    return ratio;
  }
  if (n < 2) {
    ratio.theta =
        detail::without_interval(Status::refused, a / b, n, "a share of the gap needs at least 6 scenarios");
    return ratio;
  }
  const double v_aa = detail::variance(shift) / n;
  const double v_bb = detail::variance(gap) / n;
  const double v_ab = v_aa > 0 && v_bb > 0 ? detail::covariance(shift, gap) / n : 0;
  const double t95 = detail::t_quantile(0.975, n - 1);
  const double g = t95 * t95 * (v_bb / b / b);
  ratio.fieller_g = std::isfinite(g) ? g : std::numeric_limits<double>::max();
  const double theta = a / b;
  if (n < kFewest) {
    ratio.theta =
        detail::without_interval(Status::refused, theta, n, "a share of the gap needs at least 6 scenarios");
    return ratio;
  }
  if (ratio.fieller_g >= 1) {
    ratio.theta = detail::without_interval(Status::unbounded, theta, n,
                                           "the anchors are not told apart: Fieller g >= 1");
    return ratio;
  }
  Estimate estimate = detail::by_t(a, std::sqrt(v_aa), n - 1, n);  // the share is 0 exactly when the shift is
  estimate.value = theta;
  estimate.se = std::sqrt(std::max(0.0, v_aa - 2 * theta * v_ab + theta * theta * v_bb)) / std::abs(b);
  estimate.ci95 = fieller_ends(a, b, v_aa, v_bb, v_ab, t95);
  estimate.ci90 = fieller_ends(a, b, v_aa, v_bb, v_ab, detail::t_quantile(0.95, n - 1));
  if (v_aa == 0) estimate.warnings = {"the shift is the same in every scenario"};
  if (b < 0) detail::flag(estimate, "the natural gap is negative: the score was turned round");
  ratio.theta = detail::settled(std::move(estimate));
  return ratio;
}

Tost tost(std::span<const double> x, double bound) {
  require(std::isfinite(bound) && bound > 0, "an equivalence bound is a positive number");
  Estimate estimate = mean(x);
  if (estimate.n_units < kFewest) {
    Tost refused;
    refused.mean = detail::without_interval(Status::refused, estimate.value, estimate.n_units,
                                            "equivalence needs at least 6 units");
    return refused;
  }
  if (!estimate.usable()) {
    Tost refused;
    refused.mean = std::move(estimate);
    return refused;
  }
  const double df = estimate.n_units - 1;
  return decide(std::move(estimate), df, bound);
}

WelchTost welch_tost(const Summary& first, const Summary& second, double bound) {
  require(std::isfinite(bound) && bound > 0, "an equivalence bound is a positive number");
  const double numbers[] = {first.mean, first.sd, second.mean, second.sd};
  detail::require_finite(numbers, "group summary");
  require(first.sd >= 0 && second.sd >= 0, "a standard deviation is not negative");
  WelchTost welch;
  const double difference = first.mean - second.mean;
  const int n = first.n + second.n;
  if (first.n < kFewest || second.n < kFewest) {
    welch.tost.mean = detail::without_interval(Status::refused, difference, n,
                                               "equivalence needs at least 6 units in each group");
    return welch;
  }
  const double v1 = first.sd * first.sd / first.n;
  const double v2 = second.sd * second.sd / second.n;
  const double v = v1 + v2;
  welch.df = v > 0 ? v * v / (v1 * v1 / (first.n - 1) + v2 * v2 / (second.n - 1)) : n - 2.0;
  Estimate estimate = detail::settled(detail::by_t(difference, std::sqrt(v), welch.df, n));
  if (estimate.usable())
    welch.tost = decide(std::move(estimate), welch.df, bound);
  else
    welch.tost.mean = std::move(estimate);
  return welch;
}

}  // namespace sonder::stats
