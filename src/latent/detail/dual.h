// Linear readers in sample space: everything is done on the n × n Gram matrix, so width costs nothing and a
// permutation of labels costs little. A reader is beta: [n], with w = sum_i beta_i x_i, so that the score of
// a text t is sum_i beta_i K(t, i), up to a constant that no ordering sees.
#pragma once

// Threads are started in study and apps only, and the last bits must not depend on how many there are.
#ifndef EIGEN_DONT_PARALLELIZE
#define EIGEN_DONT_PARALLELIZE
#endif
#include <Eigen/Dense>
#include <optional>
#include <span>

#include "base/rows.h"
#include "latent/direction.h"

namespace sonder::latent::detail {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Rows of both tables as one matrix: high first, then low. Checks shapes and that all is finite.
Matrix stacked(const Rows& high, const Rows& low);

// y: [n] +1 or -1, both present.
void difference_of_means(const Vector& y, Vector& beta);

// Ledoit–Wolf's share of the identity, from the Gram matrix of centred rows. d: width. Source: [Ledoit2004].
double ledoit_wolf(const Matrix& centred_gram, double d);
// The same by the oracle approximating shrinkage, for rows from a normal distribution. Source: [Chen2010], as
// scikit-learn's OAS.
double oracle_shrinkage(const Matrix& centred_gram, double d);

// Readers that keep their buffers between fits of the same size.
class Lda {
 public:
  // rho: share of the identity, > 0; none: by `shrinkage`. Fills beta, up to a positive factor.
  void fit(const Matrix& gram, const Vector& y, double d, std::optional<double> rho, Vector& beta,
           Shrinkage shrinkage = Shrinkage::ledoit_wolf);

 private:
  Matrix centred_;
  Vector to_high_, to_low_, gap_;
  Eigen::LLT<Matrix> llt_;
};

class L2Logistic {
 public:
  explicit L2Logistic(double tolerance) : tolerance_(tolerance) {}
  // Forgets the last fit. The next one starts at zero; later ones start where the last one ended (a path of
  // falling lambda is then cheap).
  void restart(Eigen::Index n);
  // Damped Newton steps in the dual. Afterwards beta(), intercept(), log_likelihood().
  void fit(const Matrix& gram, const Vector& y, double lambda);
  const Vector& beta() const { return beta_; }
  double intercept() const { return intercept_; }
  double log_likelihood() const { return log_likelihood_; }

 private:
  double objective(const Vector& y, const Vector& beta, const Vector& fitted, double intercept,
                   double lambda);
  void newton_target(const Matrix& gram, const Vector& y, double lambda);

  double tolerance_;  // ends when a step lowers the objective by less than this share
  Vector beta_, fitted_;
  double intercept_ = 0, log_likelihood_ = 0;
  Vector next_beta_, next_fitted_, root_, score_;
  double next_intercept_ = 0;
  Matrix system_;
  Eigen::Matrix<double, Eigen::Dynamic, 2> solved_;
  Eigen::LLT<Matrix> llt_;
};

// S_w^-1 (mu1 - mu0) with S_w = (1 - rho) S + rho tr(S)/d I, not normalised, S with n - 2 degrees of freedom.
// rho = 0 is solved in d × d and needs an invertible S; otherwise in sample space.
Vector lda(const Rows& high, const Rows& low, double rho);

}  // namespace sonder::latent::detail
