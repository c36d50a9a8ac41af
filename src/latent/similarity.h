// How alike two directions are, and how alike two random ones would be. Descriptive only: a cosine does not
// predict what a push does. Source: methods.md 2.6.
#pragma once

#include <span>

#include "base/rows.h"

namespace sonder::latent {

// u'Sv / sqrt(u'Su v'Sv), S the covariance of x: [n × d], n >= 2. Throws Error(bad_input) when u'x or v'x is
// constant.
double mahalanobis_cosine(std::span<const float> u, std::span<const float> v, const Rows& x);
// The same with S given: [d × d].
double mahalanobis_cosine(std::span<const float> u, std::span<const float> v, const Numbers& covariance);

// P(|cos| >= c) of two independent random directions in d >= 2 dimensions: 1 - I_{c^2}(1/2, (d-1)/2). 0 <= c
// <= 1.
double random_cosine_tail(double c, int d);
// Standard deviation of that cosine: 1/sqrt(d).
double random_cosine_sd(int d);

}  // namespace sonder::latent
