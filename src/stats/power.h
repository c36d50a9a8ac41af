// How many units a design needs, what it can find, and what an exact test can do with whole numbers.
// Sizes come unrounded where a formula gives them; take the ceiling. alpha and power strictly inside (0, 1),
// spreads and effects positive: Error(bad_input) otherwise. Two-sided unless stated.
#pragma once

namespace sonder::stats {

struct Goal {
  double alpha = 0.05;
  double power = 0.80;
};

// Items to tell two systems apart by delta: (z_{a/2} + z_b)^2 (omega2 + va/ka + vb/kb) / delta^2. omega2:
// variance of the difference of item means; va, vb: variance of one answer given the item; ka, kb: answers
// per item. Source: [Miller2024], methods.md 5.2.
struct Answers {
  double variance = 0;
  double per_item = 1;
};
double items_needed(double omega2, Answers a, Answers b, double delta, Goal goal = {});

// Smallest mean difference found with this power by n units of this SD: by the normal, and by t with n - 1
// df. n >= 2. Source: methods.md 4.5.
double mde_normal(double sd, int n, Goal goal = {});
double mde_t(double sd, int n, Goal goal = {});

// The SD of n units whose two-sided (1 - alpha) t interval of the mean has this half width. n >= 2.
double sd_of_half_width(double half_width, int n, double alpha = 0.05);

// Power of the t-test at effect / sd = d, by the non-central t (both tails); n per group, >= 2, need not be
// whole. And the n it takes. Source: R power.t.test.
double t_power_paired(double d, double n, double alpha = 0.05);
double t_power_two_groups(double d, double n_per_group, double alpha = 0.05);
double t_n_paired(double d, Goal goal = {});
double t_n_two_groups(double d, Goal goal = {});

// Units to show equivalence within ±bound when the truth is 0: ((z_{1-alpha} + z_{1-b/2}) sd / bound)^2.
// alpha is that of each one-sided test. Source: methods.md 4.5.
double equivalence_n(double sd, double bound, Goal goal = {});
// The exact probability that TOST with n units, SD known to nobody, says equivalent when the mean is truth.
// Source: [Phillips1990], by integration over the sample SD.
double tost_power(double sd, int n, double bound, double truth = 0, double alpha = 0.05);
// The least n with tost_power >= power: what equivalence_n approximates. At most 1e6.
int tost_n(double sd, double bound, double truth = 0, Goal goal = {});

// The exact two-sided binomial test of 1/2. Rejects when k >= critical or k <= n - critical; critical = n + 1
// where no count rejects.
struct BinomialPower {
  double power = 0;
  int critical = 0;
};
BinomialPower binomial_power(int n, double share, double alpha = 0.05);
// Power does not rise smoothly with n but as a saw-tooth: `first` n with the power, and the n from which on
// every larger one has it. |share - 1/2| >= 0.01.
struct SawTooth {
  int first = 0;
  int always = 0;
};
SawTooth binomial_n(double share, Goal goal = {});

// Exact equivalence of a share to 1/2 within ±bound (two one-sided binomial tests, alpha each): the power
// when the truth is 1/2, and its saw-tooth. bound in [0.01, 0.5).
double binomial_equivalence_power(int n, double bound, double alpha = 0.05);
SawTooth binomial_equivalence_n(double bound, Goal goal = {});

// Judgements of m_r per rater and m_s per scenario count for less: multiply n by
// 1 + (m_r - 1) icc_r + (m_s - 1) icc_s. Source: methods.md 6.
double crossed_inflation(double per_rater, double icc_rater, double per_scenario, double icc_scenario);

}  // namespace sonder::stats
