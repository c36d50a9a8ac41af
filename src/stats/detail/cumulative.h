// Proportional odds: P(score <= k) = logistic(cut_k - x b).
#pragma once

#include <Eigen/Dense>
#include <vector>

namespace sonder::stats::detail {

struct Cumulative {
  Eigen::VectorXd cuts;        // [levels - 1], rising
  Eigen::VectorXd slopes;      // [columns of x]
  Eigen::MatrixXd covariance;  // of cuts, then slopes
  double log_likelihood = 0;
  bool settled = false;  // a finite maximum was found
};

// level: [n] in 0..n_levels-1, each level occurring; x: [n × p], no constant column. Maximum likelihood by
// Newton's steps; the likelihood is concave.
Cumulative fit_cumulative(const std::vector<int>& level, int n_levels, const Eigen::MatrixXd& x);

}  // namespace sonder::stats::detail
