// Ridge regression with a free intercept, its penalty chosen by leaving out whole scenarios. Private to the
// room.
#pragma once

#include <Eigen/Dense>
#include <span>
#include <vector>

namespace sonder::instrument::detail {

struct Head {
  Eigen::VectorXd w;  // [width]
  double intercept = 0;
  double lambda = 0;
  double score(const Eigen::VectorXd& x) const { return intercept + w.dot(x); }
};

// x: [texts × width], y: [texts]. In sample space: w = X'(XX' + lambda I)^-1 y on centred data. Source:
// [Hoerl1970].
Head fit(const Eigen::MatrixXd& x, const Eigen::VectorXd& y, double lambda);

// Sum of squared errors on scenarios that the fit did not see. scenario: [texts]
double left_out_error(const Eigen::MatrixXd& x, const Eigen::VectorXd& y, const std::vector<int>& scenario,
                      double lambda);

// The fit on everything, with the lambda of the least left-out error; the first on a tie.
Head choose(const Eigen::MatrixXd& x, const Eigen::VectorXd& y, const std::vector<int>& scenario,
            std::span<const double> lambdas);

}  // namespace sonder::instrument::detail
