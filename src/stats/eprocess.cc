#include "stats/eprocess.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/error.h"
#include "stats/detail/numbers.h"

namespace sonder::stats {
namespace {

namespace bm = boost::math;
constexpr double kLog2 = std::numbers::ln2;

double log_beta(double a, double b) { return bm::lgamma(a) + bm::lgamma(b) - bm::lgamma(a + b); }

// The upper half of the mixture when k <= n/2, where the beta integral would underflow:
// 1/(n+1-k) Σ_i Π_{j<i} (k-j)/(n+2-k+j), a sum of binomial coefficients over the largest.
double log_upper_series(double k, double n) {
  double term = 1;
  double total = 1;
  for (double j = 0; j < k && term > 1e-18 * total; ++j) {
    term *= (k - j) / (n + 2 - k + j);
    total += term;
  }
  return std::log(total) - std::log(n + 1 - k);
}

// p(log e) that never is 0.
double anytime_p(double largest_log_e) {
  return std::clamp(std::exp(-std::max(0.0, largest_log_e)), std::numeric_limits<double>::min(), 1.0);
}

double log_normal_cdf(double z) {
  if (z > -30) return std::log(detail::normal_cdf(z));
  return -z * z / 2 - std::log(-z) - std::log(2 * std::numbers::pi) / 2 + std::log1p(-1 / (z * z));
}

// The root of an increasing function between low (negative there) and high (positive).
template <class F>
double root(double low, double high, const F& f) {
  for (int i = 0; i < 200 && high - low > 0; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (f(middle) > 0 ? high : low) = middle;
  }
  return low + (high - low) / 2;
}

// The stakes on more and on less than the mean m, held so that no capital falls below one half.
double up_stake(double bet, double m) { return m > 0 ? std::min(bet, 0.5 / m) : bet; }
double down_stake(double bet, double m) { return m < 1 ? std::min(bet, 0.5 / (1 - m)) : bet; }

void require_alpha(double alpha) { require(alpha > 0 && alpha < 1, "alpha lies inside (0, 1)"); }

}  // namespace

double log_e_coin(long k, long n, Sides sides) {
  require(n >= 0 && k >= 0 && k <= n, "k successes in n trials, 0 <= k <= n");
  const auto kk = static_cast<double>(k);
  const auto nn = static_cast<double>(n);
  if (sides == Sides::two) return nn * kLog2 + log_beta(1 + kk, 1 + nn - kk);
  if (2 * k <= n) return log_upper_series(kk, nn);
  return (nn + 1) * kLog2 + log_beta(1 + kk, 1 + nn - kk) + std::log(bm::ibetac(1 + kk, 1 + nn - kk, 0.5));
}

void CoinProcess::add(bool success) {
  ++n_;
  k_ += success ? 1 : 0;
  largest_ = std::max(largest_, log_e());
}

double CoinProcess::p() const { return anytime_p(largest_); }

bool CoinProcess::rejects(double alpha) const {
  require_alpha(alpha);
  return largest_ >= -std::log(alpha);
}

double log_e_product(std::span<const double> log_e) {
  detail::require_finite(log_e, "logs of e-values");
  return detail::sum(log_e);
}

double log_e_average(std::span<const double> log_e) {
  detail::require_finite(log_e, "logs of e-values");
  if (log_e.empty()) return 0;
  const double top = *std::max_element(log_e.begin(), log_e.end());
  double total = 0;
  for (const double x : log_e) total += std::exp(x - top);
  return top + std::log(total / static_cast<double>(log_e.size()));
}

NormalMixture::NormalMixture(double v_opt, double alpha, Sides sides) : sides_(sides) {
  require_alpha(alpha);
  require(std::isfinite(v_opt) && v_opt > 0, "v_opt is positive");
  const double level = sides == Sides::two ? alpha : std::min(2 * alpha, 1 - 1e-12);
  const double threshold = -2 * std::log(level);
  rho_ = v_opt / (threshold + std::log1p(threshold));
}

double NormalMixture::log_e(double s, double v) const {
  require(std::isfinite(s) && std::isfinite(v) && v >= 0, "a sum and its variance are finite");
  const double both = v + rho_;
  const double two = (std::log(rho_) - std::log(both)) / 2 + s * (s / both) / 2;
  return sides_ == Sides::two ? two : two + kLog2 + log_normal_cdf(s / std::sqrt(both));
}

double NormalMixture::bound(double v, double alpha) const {
  require_alpha(alpha);
  require(std::isfinite(v) && v >= 0, "a variance is finite and not negative");
  const double threshold = -std::log(alpha);
  const double two = std::sqrt((v + rho_) * (std::log1p(v / rho_) + 2 * threshold));
  if (sides_ == Sides::two) return two;
  return root(0, two, [&](double s) { return log_e(s, v) - threshold; });
}

Estimate mixture_mean(std::span<const double> x, double sd, double tightest_at) {
  detail::require_finite(x, "values");
  require(std::isfinite(sd) && sd > 0, "the sub-Gaussian parameter is positive");
  require(std::isfinite(tightest_at) && tightest_at > 0, "the n to be tightest at is positive");
  const int n = static_cast<int>(x.size());
  if (n == 0) return detail::without_interval(Status::undefined, 0, 0, "there are no values");
  const NormalMixture mixture(tightest_at, 0.05);
  // In units of sd, so that v is n.
  double sum = 0;
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += x[i] / sd;
    if (!std::isfinite(sum)) break;
    largest = std::max(largest, mixture.log_e(sum, static_cast<double>(i) + 1));
  }
  Estimate estimate;
  estimate.value = detail::mean_of(x);
  estimate.se = sd / std::sqrt(n);
  estimate.n_units = n;
  const double half95 = mixture.bound(n, 0.05) * sd / n;
  const double half90 = mixture.bound(n, 0.10) * sd / n;
  estimate.ci95 = {estimate.value - half95, estimate.value + half95};
  estimate.ci90 = {estimate.value - half90, estimate.value + half90};
  estimate.p = anytime_p(largest);
  return detail::settled(std::move(estimate));
}

Interval coin_sequence(long k, long n, double alpha, double t_opt) {
  require_alpha(alpha);
  require(n >= 0 && k >= 0 && k <= n, "k successes in n trials, 0 <= k <= n");
  require(std::isfinite(t_opt) && t_opt > 0, "t_opt is positive");
  if (n == 0) return {0, 1};
  const auto yes = static_cast<double>(k);
  const auto no = static_cast<double>(n - k);
  // Log-mixture against the share p. Prior Beta(r/(1-p), r/p): mean p, spread set by t_opt.
  const auto excess = [&](double p) {
    const double v_opt = t_opt * p * (1 - p);
    const double r = std::max(NormalMixture(v_opt, 0.05).rho() - p * (1 - p), 1e-3 * p * (1 - p));
    const double a = r / (1 - p);
    const double b = r / p;
    return log_beta(a + yes, b + no) - log_beta(a, b) - yes * std::log(p) - no * std::log1p(-p) +
           std::log(alpha);
  };
  constexpr double kEdge = 1e-12;
  const double share = yes / (yes + no);
  Interval out{0, 1};
  if (share > kEdge && excess(kEdge) > 0)
    out.low = -root(-share, -kEdge, [&](double p) { return excess(-p); });
  if (share < 1 - kEdge && excess(1 - kEdge) > 0) out.high = root(share, 1 - kEdge, excess);
  return out;
}

double Bet::size() const {
  const double t = n_ + 1;
  return std::sqrt(2 * std::log(2 / alpha_) / (squares_ / t * t * std::log1p(t)));
}

void Bet::see(double u) {
  n_ += 1;
  sum_ += u;
  const double centre = sum_ / (n_ + 1);
  squares_ += (u - centre) * (u - centre);
}

BettingSequence::BettingSequence(double alpha, double low, double high, std::size_t steps)
    : alpha_(alpha),
      low_(low),
      high_(high),
      steps_(steps),
      bet_(alpha),
      up_(steps + 1),
      down_(steps + 1),
      first_(0),
      last_(steps) {
  require_alpha(alpha);
  require(std::isfinite(low) && std::isfinite(high) && low < high && std::isfinite(high - low),
          "the range of the values has two ends, the low one first");
  require(steps >= 2, "a grid has at least two steps");
}

void BettingSequence::add(double x) {
  require(std::isfinite(x) && x >= low_ && x <= high_, "a value lies outside the range it was said to have");
  const double u = std::clamp((x - low_) / (high_ - low_), 0.0, 1.0);
  const double bet = bet_.size();
  const double threshold = std::log(2 / alpha_);
  // Refuted means stay refuted; the capitals fall with m on the one side and rise on the other.
  for (std::size_t i = first_; i <= last_ && first_ <= last_; ++i) {
    const double m = static_cast<double>(i) / static_cast<double>(steps_);
    up_[i] += std::log1p(up_stake(bet, m) * (u - m));
    down_[i] += std::log1p(-down_stake(bet, m) * (u - m));
  }
  while (first_ <= last_ && up_[first_] >= threshold) ++first_;
  while (last_ > first_ && down_[last_] >= threshold) --last_;
  if (first_ == last_ && down_[last_] >= threshold) ++first_;
  bet_.see(u);
}

Interval BettingSequence::interval() const {
  if (empty()) return {low_, high_};
  const double width = high_ - low_;
  const auto place = [&](std::size_t i) {
    return low_ + width * static_cast<double>(i) / static_cast<double>(steps_);
  };
  // The mean may lie between the last refuted point of the grid and the first that stands.
  return {first_ > 0 ? place(first_ - 1) : low_, last_ < steps_ ? place(last_ + 1) : high_};
}

Estimate betting_mean(std::span<const double> x, double low, double high, double null, std::size_t steps) {
  detail::require_finite(x, "values");
  BettingSequence at95(0.05, low, high, steps);
  BettingSequence at90(0.10, low, high, steps);
  require(std::isfinite(null) && null >= low && null <= high, "the null mean lies inside the range");
  const int n = static_cast<int>(x.size());
  if (n == 0) return detail::without_interval(Status::undefined, 0, 0, "there are no values", {low, high});
  const double m = (null - low) / (high - low);
  Bet bet(0.05);
  double capital[] = {0, 0};  // logs of the two bets against the null
  double largest = 0;
  for (const double value : x) {
    at95.add(value);
    at90.add(value);
    const double u = std::clamp((value - low) / (high - low), 0.0, 1.0);
    capital[0] += std::log1p(up_stake(bet.size(), m) * (u - m));
    capital[1] += std::log1p(-down_stake(bet.size(), m) * (u - m));
    largest = std::max(largest, log_e_average(capital));
    bet.see(u);
  }
  if (at95.empty() || at90.empty())
    return detail::without_interval(Status::undefined, detail::mean_of(x), n,
                                    "the series refutes every mean: it is not one mean throughout",
                                    {low, high});
  Estimate estimate;
  estimate.value = detail::mean_of(x);
  estimate.se = std::sqrt(detail::variance(x) / n);
  estimate.n_units = n;
  estimate.ci95 = at95.interval();
  estimate.ci90 = at90.interval();
  estimate.p = anytime_p(largest);
  return detail::settled(std::move(estimate));
}

Decided sequential_equivalence(Interval sequence, double bound) {
  require(std::isfinite(bound) && bound > 0, "the bound is positive");
  if (sequence.low > -bound && sequence.high < bound) return Decided::equivalent;
  if (sequence.low >= bound || sequence.high <= -bound) return Decided::different;
  return Decided::not_yet;
}

}  // namespace sonder::stats
