// Evidence that may be looked at whenever one likes: e-processes and confidence sequences.
// An e-process starts at 1, is expected to stay at 1 or below under the null at every stopping time, and
// rejects at level alpha when it reaches 1 / alpha (Ville). Valid only while every observation is taken in
// the order it came and none is dropped after looking. All in natural logs. Source: [Ville1939],
// [Howard2021], methods.md 5.8.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/estimate.h"

namespace sonder::stats {

// Log e-value of k successes in n trials against a fair coin: a uniform mixture over (0, 1), or over (.5, 1).
// 0 <= k <= n. two: 2^n B(1+k, 1+n-k). greater: twice its upper part.
enum class Sides { two, greater };
double log_e_coin(long k, long n, Sides sides = Sides::two);

// Signs as they come. p() is valid at every look: 1 over the largest e so far.
class CoinProcess {
 public:
  explicit CoinProcess(Sides sides = Sides::two) : sides_(sides) {}
  void add(bool success);
  double log_e() const { return log_e_coin(k_, n_, sides_); }
  double p() const;
  bool rejects(double alpha) const;  // at any look so far
  long n() const { return n_; }

 private:
  Sides sides_;
  long k_ = 0, n_ = 0;
  double largest_ = 0;
};

// Evidence from several places: the product when independent or one after the other, the average when
// dependent. Empty: 0 (no evidence). Finite logs only.
double log_e_product(std::span<const double> log_e);
double log_e_average(std::span<const double> log_e);

// Normal mixture of a sum s with variance process v. rho sets where the boundary is tightest: at v_opt.
// two: sqrt((v + rho)(log((v + rho)/rho) + 2 log(1/alpha))); greater: by root finding, rho for 2 alpha.
class NormalMixture {
 public:
  // v_opt > 0, alpha in (0, 1).
  NormalMixture(double v_opt, double alpha, Sides sides = Sides::two);
  double rho() const { return rho_; }
  double log_e(double s, double v) const;  // v >= 0
  double bound(double v, double alpha) const;

 private:
  Sides sides_;
  double rho_;
};

// Mean of x with a confidence sequence, valid at every n, by the normal mixture. sd: each x is sub-Gaussian
// with that parameter ((b - a)/2 for values in [a, b]; the sd of normal ones). tightest_at: the n to be best
// at. p: anytime valid, against 0. The interval is that of the last look. n = 0: undefined. No small-sample
// rule: sd is given, not estimated.
Estimate mixture_mean(std::span<const double> x, double sd, double tightest_at);

// Share with a confidence sequence of k in n, by the beta-binomial mixture; tightest near t_opt trials.
// alpha in (0, 1), t_opt > 0. n = 0: [0, 1].
Interval coin_sequence(long k, long n, double alpha, double t_opt);

// How much to stake on the next value in [0, 1], from what came before: the plug-in of mean and variance,
// with one prior observation. In force before the value is seen.
class Bet {
 public:
  explicit Bet(double alpha) : alpha_(alpha) {}
  double size() const;
  void see(double u);

 private:
  double alpha_;
  double n_ = 0, sum_ = 0.5, squares_ = 0.25;
};

// Mean of values in [low, high] by betting (hedged capital, predictable plug-in bets), running intersection.
// Grid of `steps` means; the ends are rounded outwards to it. Source: [Waudby2024].
class BettingSequence {
 public:
  BettingSequence(double alpha, double low, double high, std::size_t steps = 1000);
  void add(double x);  // inside [low, high], Error(bad_input) otherwise
  Interval interval() const;
  bool empty() const { return first_ > last_; }  // every mean was refuted: the assumptions do not hold

 private:
  double alpha_, low_, high_;
  std::size_t steps_;
  Bet bet_;
  std::vector<double> up_, down_;  // log-capitals of the bets on more and on less than each mean of the grid
  std::size_t first_, last_;       // of the grid, not yet refuted
};

// The same for a whole series: both intervals, p anytime valid against `null` (inside [low, high]).
// n = 0: undefined, the whole range. An empty sequence: undefined.
Estimate betting_mean(std::span<const double> x, double low, double high, double null,
                      std::size_t steps = 1000);

// May one stop for equivalence? Inside (-bound, bound): equivalent; wholly outside: different.
enum class Decided { not_yet, equivalent, different };
Decided sequential_equivalence(Interval sequence, double bound);

}  // namespace sonder::stats
