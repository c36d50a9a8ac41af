// The restricted likelihood of y = X b + Z u + e, as a function of the relative covariance factor.
#pragma once

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <vector>

namespace sonder::stats::detail {

// One grouping: z is [n × r], the intercept first.
struct Grouping {
  std::vector<std::size_t> of;  // [n] in 0..count-1
  std::size_t count = 0;
  Eigen::MatrixXd z;
  bool correlated = true;

  Eigen::Index columns() const { return z.cols(); }
  Eigen::Index parameters() const { return correlated ? columns() * (columns() + 1) / 2 : columns(); }
};

// Lower factor of the covariance of one group, over the residual variance.
Eigen::MatrixXd factor_of(const Grouping& grouping, const Eigen::VectorXd& theta, Eigen::Index first);

// Source: [Bates2015], sections 3.4 and 3.5.
class Reml {
 public:
  // y without its least-squares fit on x, so that a huge level costs no digits. x of full rank.
  Reml(const Eigen::VectorXd& y, const Eigen::MatrixXd& x, const std::vector<Grouping>& groupings);

  Eigen::VectorXd start() const;  // theta: identity factors
  struct Point {
    double log_det = 0;          // log|L|² + log|R_X|²
    double squares = 0;          // penalised residual sum of squares
    Eigen::VectorXd fixed;       // added to the least-squares fit
    Eigen::MatrixXd covariance;  // of the fixed effects, over the residual variance
    bool fine = false;
  };
  Point at(const Eigen::VectorXd& theta, bool with_covariance = true) const;
  double criterion(const Eigen::VectorXd& theta) const;                    // profiled over sigma
  double criterion(const Eigen::VectorXd& theta, double log_sigma) const;  // at that sigma
  double sigma(const Point& point) const;

 private:
  // L⁻¹ Λ' Z' [X y], and log|L|².
  struct Half {
    double log_det = 0;
    Eigen::MatrixXd right;
    bool fine = false;
  };
  Half half_solve(const Eigen::VectorXd& theta) const;
  Half half_solve_dense(const Eigen::VectorXd& theta) const;

  const std::vector<Grouping>* groupings_;
  Eigen::Index n_, p_, q_ = 0;
  Eigen::SparseMatrix<double> zz_;
  Eigen::MatrixXd full_zz_;   // the same, where it is small
  Eigen::MatrixXd zxy_, xx_;  // Z' [X y]
  Eigen::VectorXd xy_;
  double yy_;
};

}  // namespace sonder::stats::detail
