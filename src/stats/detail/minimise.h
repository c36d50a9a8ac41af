// A smooth function of a few variables made small, by its values alone.
#pragma once

#include <Eigen/Dense>
#include <functional>

namespace sonder::stats::detail {

using Smooth = std::function<double(const Eigen::VectorXd&)>;

struct Minimum {
  Eigen::VectorXd at;
  double value = 0;
  bool settled = false;
};

// BFGS with central differences. The function may return infinity where it is not defined.
Minimum minimise(const Smooth& f, Eigen::VectorXd start);

// Second derivatives by central differences.
Eigen::MatrixXd hessian(const Smooth& f, const Eigen::VectorXd& at);

// Central differences of a vector function: [outputs × inputs].
Eigen::MatrixXd jacobian(const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& f,
                         const Eigen::VectorXd& at);

}  // namespace sonder::stats::detail
