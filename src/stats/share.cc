// Shares of a count: the parts of mean.h about k of n.
#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>

#include "stats/detail/numbers.h"
#include "stats/mean.h"

namespace sonder::stats {
namespace {

void require_count(long k, long n) {
  require(n >= 0 && k >= 0 && k <= n && n <= std::numeric_limits<int>::max(),
          "a share needs 0 <= k <= n, and n below 2^31");
}

// The sum of all outcomes no likelier than the observed one: its own tail, and the far one from where it is
// as unlikely. Found by bisection, as likelihood only falls away from the mode.
double exact_p(long k, long n, double null) {
  const boost::math::binomial distribution(static_cast<double>(n), null);
  const auto likelihood = [&](long i) { return boost::math::pdf(distribution, static_cast<double>(i)); };
  const double limit = likelihood(k) * (1 + 1e-7);  // as R does: equal likelihoods may differ by rounding
  const long mode = std::min(n, static_cast<long>((static_cast<double>(n) + 1) * null));
  if (likelihood(mode) <= limit) return 1;
  long low = k < mode ? mode : 0;  // the far tail starts in low..high, or just beyond
  long high = k < mode ? n + 1 : mode;
  while (low < high) {
    const long middle = low + (high - low) / 2;
    const bool in_tail = likelihood(middle) <= limit;
    if (k < mode ? in_tail : !in_tail)
      high = middle;
    else
      low = middle + 1;
  }
  const auto up_to = [&](long i) {
    return i < 0 ? 0 : boost::math::cdf(distribution, static_cast<double>(i));
  };
  const auto above = [&](long i) {
    return i >= n ? 0 : boost::math::cdf(boost::math::complement(distribution, static_cast<double>(i)));
  };
  const double p = k < mode ? up_to(k) + above(low - 1) : above(k - 1) + up_to(low - 1);
  return std::clamp(p, std::numeric_limits<double>::min(), 1.0);
}

Interval score_interval(double share, double n, double z) {
  const double spread = z * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  const double scale = 1 + z * z / n;
  const double centre = share + z * z / (2 * n);
  return {std::max(0.0, (centre - spread) / scale), std::min(1.0, (centre + spread) / scale)};
}

Interval exact_interval(double k, double n, double alpha) {
  const double low = k == 0 ? 0 : boost::math::ibeta_inv(k, n - k + 1, alpha / 2);
  const double high = k == n ? 1 : boost::math::ibeta_inv(k + 1, n - k, 1 - alpha / 2);
  return {low, high};
}

Estimate share_of(long k, long n, double null) {
  Estimate estimate;
  estimate.value = static_cast<double>(k) / static_cast<double>(n);
  estimate.se = std::sqrt(estimate.value * (1 - estimate.value) / static_cast<double>(n));
  estimate.n_units = static_cast<int>(n);
  estimate.p = exact_p(k, n, null);
  return estimate;
}

}  // namespace

Estimate wilson(long k, long n) {
  require_count(k, n);
  if (n == 0) return detail::without_interval(Status::undefined, 0, 0, "a share of nothing", {0, 1});
  Estimate estimate = share_of(k, n, 0.5);
  const auto count = static_cast<double>(n);
  estimate.ci95 = score_interval(estimate.value, count, detail::normal_quantile(0.975));
  estimate.ci90 = score_interval(estimate.value, count, detail::normal_quantile(0.95));
  if (k == 0) estimate.ci95.low = estimate.ci90.low = 0;  // exactly, not a rounding away
  if (k == n) estimate.ci95.high = estimate.ci90.high = 1;
  return estimate;
}

Estimate exact_share(long k, long n, double null) {
  require_count(k, n);
  require(null > 0 && null < 1, "the share to test against lies inside (0, 1)");
  if (n == 0) return detail::without_interval(Status::undefined, 0, 0, "a share of nothing", {0, 1});
  Estimate estimate = share_of(k, n, null);
  estimate.ci95 = exact_interval(static_cast<double>(k), static_cast<double>(n), 0.05);
  estimate.ci90 = exact_interval(static_cast<double>(k), static_cast<double>(n), 0.10);
  return estimate;
}

}  // namespace sonder::stats
