#include "stats/power.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "stats/detail/numbers.h"

namespace sonder::stats {
namespace {

namespace bm = boost::math;

void require_positive(double value, const char* what) { require(std::isfinite(value) && value > 0, what); }

void require_alpha(double alpha) { require(alpha > 0 && alpha < 1, "alpha lies inside (0, 1)"); }

void require_goal(const Goal& goal) {
  require_alpha(goal.alpha);
  require(goal.power > goal.alpha && goal.power < 1, "power lies between alpha and 1");
}

double z_two_sided(double alpha) { return detail::normal_quantile(1 - alpha / 2); }

// P(|T| > critical) of Student's t moved by `centre`.
double noncentral_power(double centre, double df, double alpha) {
  const double critical = detail::t_quantile(1 - alpha / 2, df);
  const bm::non_central_t moved(df, centre);
  const double power = bm::cdf(bm::complement(moved, critical)) + bm::cdf(moved, -critical);
  return std::clamp(power, 0.0, 1.0);
}

// The n at which a power that rises with n reaches its goal.
template <class Power>
double solve(const Power& power_at, double goal) {
  double low = 2;
  if (power_at(low) >= goal) return low;
  double high = 4;
  while (power_at(high) < goal) {
    low = high;
    high *= 2;
    require(high < 1e9, "an effect so small needs more than 1e9 units");
  }
  for (int step = 0; step < 200 && high - low > 1e-10 * high; ++step) {
    const double middle = (low + high) / 2;
    (power_at(middle) < goal ? low : high) = middle;
  }
  return (low + high) / 2;
}

// Scans a saw-tooth up to `last`, beyond which the teeth no longer reach down to the goal.
template <class Power>
SawTooth scan(const Power& power_at, double goal, int last) {
  SawTooth found;
  int short_at = 0;
  for (int n = 1; n <= last; ++n) {
    if (power_at(n) >= goal) {
      if (found.first == 0) found.first = n;
    } else {
      short_at = n;
    }
  }
  found.always = short_at + 1;
  return found;
}

// P(X <= k) of n fair or unfair coins; k may lie outside 0..n.
double up_to(int k, int n, double share) {
  if (k < 0) return 0;
  if (k >= n) return 1;
  return bm::cdf(bm::binomial(n, share), k);
}

double from(int k, int n, double share) {
  if (k <= 0) return 1;
  if (k > n) return 0;
  return bm::cdf(bm::complement(bm::binomial(n, share), k - 1));
}

// Smallest k with P(X >= k) <= level.
int critical_count(int n, double share, double level) {
  int low = 0;
  int high = n + 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (from(middle, n, share) <= level)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace

double items_needed(double omega2, Answers a, Answers b, double delta, Goal goal) {
  require_goal(goal);
  require_positive(delta, "the difference to find is a positive number");
  require(omega2 >= 0 && a.variance >= 0 && b.variance >= 0 && a.per_item > 0 && b.per_item > 0,
          "variances are not negative and every item is answered");
  const double z = z_two_sided(goal.alpha) + detail::normal_quantile(goal.power);
  return z * z * (omega2 + a.variance / a.per_item + b.variance / b.per_item) / (delta * delta);
}

double mde_normal(double sd, int n, Goal goal) {
  require_goal(goal);
  require_positive(sd, "a spread is a positive number");
  require(n >= 2, "at least two units");
  return (z_two_sided(goal.alpha) + detail::normal_quantile(goal.power)) * sd / std::sqrt(n);
}

double mde_t(double sd, int n, Goal goal) {
  require_goal(goal);
  require_positive(sd, "a spread is a positive number");
  require(n >= 2, "at least two units");
  return (detail::t_quantile(1 - goal.alpha / 2, n - 1) + detail::t_quantile(goal.power, n - 1)) * sd /
         std::sqrt(n);
}

double sd_of_half_width(double half_width, int n, double alpha) {
  require_alpha(alpha);
  require(std::isfinite(half_width) && half_width >= 0, "a half width is not negative");
  require(n >= 2, "a spread needs at least two units");
  return half_width * std::sqrt(n) / detail::t_quantile(1 - alpha / 2, n - 1);
}

double t_power_paired(double d, double n, double alpha) {
  require_alpha(alpha);
  require(std::isfinite(d) && n >= 2, "a t-test needs a finite effect and two units");
  return noncentral_power(d * std::sqrt(n), n - 1, alpha);
}

double t_power_two_groups(double d, double n_per_group, double alpha) {
  require_alpha(alpha);
  require(std::isfinite(d) && n_per_group >= 2, "a t-test needs a finite effect and two units in each group");
  return noncentral_power(d * std::sqrt(n_per_group / 2), 2 * n_per_group - 2, alpha);
}

double t_n_paired(double d, Goal goal) {
  require_goal(goal);
  require_positive(std::abs(d), "the effect to find is not zero");
  return solve([&](double n) { return t_power_paired(d, n, goal.alpha); }, goal.power);
}

double t_n_two_groups(double d, Goal goal) {
  require_goal(goal);
  require_positive(std::abs(d), "the effect to find is not zero");
  return solve([&](double n) { return t_power_two_groups(d, n, goal.alpha); }, goal.power);
}

double equivalence_n(double sd, double bound, Goal goal) {
  require_goal(goal);
  require_positive(sd, "a spread is a positive number");
  require_positive(bound, "an equivalence bound is a positive number");
  const double z = detail::normal_quantile(1 - goal.alpha) + detail::normal_quantile((1 + goal.power) / 2);
  const double root = z * sd / bound;
  return root * root;
}

double tost_power(double sd, int n, double bound, double truth, double alpha) {
  require_alpha(alpha);
  require_positive(sd, "a spread is a positive number");
  require_positive(bound, "an equivalence bound is a positive number");
  require(n >= 2 && std::isfinite(truth), "an equivalence test needs two units and a finite truth");
  const double df = n - 1;
  const double error = sd / std::sqrt(n);
  const double critical = detail::t_quantile(1 - alpha, df);
  // log of chi-squared's density with df degrees of freedom, without what depends on its place
  const double constant = -df / 2 * std::log(2.0) - bm::lgamma(df / 2);
  // Given the sample SD, as a ratio to the true one, the mean must fall within bound - critical · se of 0.
  const auto density = [&](double ratio) {
    const double room = bound - critical * error * ratio;
    if (room <= 0 || ratio <= 0) return 0.0;
    const double inside =
        detail::normal_cdf((room - truth) / error) - detail::normal_cdf((-room - truth) / error);
    const double squares = df * ratio * ratio;
    return inside * std::exp(constant + (df / 2 - 1) * std::log(squares) - squares / 2) * 2 * df * ratio;
  };
  // Beyond the widest SD no mean is equivalent; eight of its own SDs from 1 there is nothing left to add.
  const double reach = 8 / std::sqrt(2 * df);
  const double start = std::max(0.0, 1 - reach);
  const double end = std::min(bound / (critical * error), 1 + 1.5 * reach);
  if (!(end > start)) return 0;
  double total = 0;
  const int n_parts = 12;
  const double step = (end - start) / n_parts;
  for (int i = 0; i < n_parts; ++i)
    total += bm::quadrature::gauss<double, 15>::integrate(density, start + i * step, start + (i + 1) * step);
  return std::clamp(total, 0.0, 1.0);
}

int tost_n(double sd, double bound, double truth, Goal goal) {
  require_goal(goal);
  require(std::abs(truth) < bound, "no number of units shows equivalence when the truth lies outside");
  constexpr int kMost = 1000000;
  int low = 2;
  int high = 4;
  while (tost_power(sd, high, bound, truth, goal.alpha) < goal.power) {
    low = high;
    high *= 2;
    require(high <= kMost, "equivalence so narrow needs more than 1e6 units");
  }
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (tost_power(sd, middle, bound, truth, goal.alpha) < goal.power ? low : high) = middle;
  }
  return high;
}

BinomialPower binomial_power(int n, double share, double alpha) {
  require_alpha(alpha);
  require(n >= 1 && share >= 0 && share <= 1, "a share of at least one, in [0, 1]");
  BinomialPower out;
  out.critical = critical_count(n, .5, alpha / 2);
  out.power = from(out.critical, n, share) + up_to(n - out.critical, n, share);
  return out;
}

SawTooth binomial_n(double share, Goal goal) {
  require_goal(goal);
  require(std::abs(share - .5) >= .01 - 1e-12 && share >= 0 && share <= 1,
          "the share to find lies at least 0.01 from 1/2");
  const double away = std::abs(share - .5);
  const double z =
      z_two_sided(goal.alpha) * .5 + detail::normal_quantile(goal.power) * std::sqrt(.25 - away * away);
  const int last = static_cast<int>(1.3 * z * z / (away * away)) + 60;
  return scan([&](int n) { return binomial_power(n, share, goal.alpha).power; }, goal.power, last);
}

double binomial_equivalence_power(int n, double bound, double alpha) {
  require_alpha(alpha);
  require(n >= 1 && bound >= .01 - 1e-12 && bound < .5, "a bound in [0.01, 0.5) and at least one answer");
  const int least = critical_count(n, .5 - bound, alpha);  // from here on, above 1/2 - bound
  return std::max(0.0, from(least, n, .5) - from(n - least + 1, n, .5));
}

SawTooth binomial_equivalence_n(double bound, Goal goal) {
  require_goal(goal);
  const double rough = equivalence_n(.5, bound, goal);
  return scan([&](int n) { return binomial_equivalence_power(n, bound, goal.alpha); }, goal.power,
              static_cast<int>(1.3 * rough) + 100);
}

double crossed_inflation(double per_rater, double icc_rater, double per_scenario, double icc_scenario) {
  require(per_rater >= 1 && per_scenario >= 1, "each rater and scenario has at least one judgement");
  return 1 + (per_rater - 1) * icc_rater + (per_scenario - 1) * icc_scenario;
}

}  // namespace sonder::stats
