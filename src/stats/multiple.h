// Many tests at once, beside Holm and Benjamini–Hochberg in order.h.
#pragma once

#include <span>
#include <vector>

namespace sonder::stats {

// min(1, p m), in input order. Every p in [0, 1].
std::vector<double> bonferroni(std::span<const double> p);

// Which hypotheses the e-values reject at false discovery rate alpha, whatever their dependence: the k
// largest, k the largest with e_(k) >= m / (alpha k). e: [m] of 0 or more, infinity allowed. alpha in (0, 1).
// Source: [Wang2022], methods.md 5.7.
std::vector<bool> e_benjamini_hochberg(std::span<const double> e, double alpha = 0.05);

// The same as an adjusted value in input order: the smallest alpha at which each is rejected, at most 1.
std::vector<double> e_adjusted(std::span<const double> e);

}  // namespace sonder::stats
