// The three readers on tables of hidden states: difference of means, shrunk LDA, L2 logistic.
#include <algorithm>
#include <cmath>

#include "latent/detail/dual.h"
#include "latent/direction.h"

namespace sonder::latent {
namespace {

using detail::Matrix;
using detail::Vector;

constexpr double kExact = 1e-14;
constexpr int kMostSteps = 100;

std::vector<double> as_vector(const Vector& v) { return {v.data(), v.data() + v.size()}; }

// Primal Newton on [1, x]: small d. Returns false when the unpenalised maximum does not exist.
bool primal_newton(const Matrix& design, const Vector& label, double lambda, Logistic& out) {
  const auto p = design.cols();
  Vector penalty = Vector::Constant(p, lambda);
  penalty[0] = 0;
  Vector w = Vector::Zero(p);
  const auto loss_at = [&](const Vector& at) {
    const Vector f = design * at;
    double loss = 0;
    for (Eigen::Index i = 0; i < f.size(); ++i) {
      const double m = label[i] > 0.5 ? -f[i] : f[i];
      loss += std::max(m, 0.0) + std::log1p(std::exp(-std::abs(m)));
    }
    return loss;
  };
  const auto objective = [&](const Vector& at) { return loss_at(at) + 0.5 * at.cwiseAbs2().dot(penalty); };
  double now = objective(w);
  Matrix hessian;
  for (int step = 0; step < kMostSteps; ++step) {
    const Vector prob = (1 + (-(design * w).array()).exp()).inverse();
    const Vector weight = prob.array() * (1 - prob.array());
    hessian = design.transpose() * weight.asDiagonal() * design;
    hessian.diagonal() += penalty;
    const Eigen::LDLT<Matrix> solver(hessian);
    if (solver.info() != Eigen::Success || !(solver.rcond() > 1e-13)) return false;
    const Vector full = solver.solve(design.transpose() * (label - prob) - w.cwiseProduct(penalty));
    double share = 1;
    while (share > 1e-10 && !(objective(w + share * full) <= now)) share *= 0.5;
    if (share <= 1e-10) break;
    w += share * full;
    const double gained = now - objective(w);
    now -= gained;
    if (gained <= kExact * (1 + now)) break;
  }
  const double loss = loss_at(w);
  if (lambda == 0 && loss < 1e-6 * static_cast<double>(design.rows()))
    return false;  // separated: w runs away
  out.intercept = w[0];
  out.w.assign(w.data() + 1, w.data() + p);
  out.log_likelihood = -loss;
  if (lambda == 0) {  // at the optimum itself: the last step's Hessian is one step old
    const Vector prob = (1 + (-(design * w).array()).exp()).inverse();
    const Vector weight = prob.array() * (1 - prob.array());
    hessian = design.transpose() * weight.asDiagonal() * design;
    const Matrix covariance = hessian.ldlt().solve(Matrix::Identity(p, p));
    out.standard_errors = as_vector(covariance.diagonal().cwiseSqrt());
  }
  return true;
}

void dual_newton(const Matrix& x, const Vector& label, double lambda, Logistic& out) {
  const Eigen::RowVectorXd centre = x.colwise().mean();
  const Matrix centred = x.rowwise() - centre;
  const Vector y = 2 * label.array() - 1;
  detail::L2Logistic solver(kExact);
  solver.restart(x.rows());
  solver.fit(centred * centred.transpose(), y, lambda);
  const Vector w = centred.transpose() * solver.beta();
  out.intercept = solver.intercept() - centre * w;
  out.w = as_vector(w);
  out.log_likelihood = solver.log_likelihood();
}

}  // namespace

std::vector<double> difference_of_means(const Rows& high, const Rows& low) {
  const Matrix x = detail::stacked(high, low);
  const auto n = static_cast<Eigen::Index>(high.n);
  return as_vector((x.topRows(n).colwise().mean() - x.bottomRows(n).colwise().mean()).transpose());
}

std::vector<double> lda(const Rows& high, const Rows& low, Shrinkage shrinkage) {
  Matrix x = detail::stacked(high, low);
  require(high.n >= 2, "a covariance within classes needs two texts of each");
  const auto n = static_cast<Eigen::Index>(high.n);
  x.rowwise() -= x.colwise().mean().eval();
  Vector y = Vector::Constant(2 * n, -1);
  y.head(n).setOnes();
  Vector beta;
  detail::Lda().fit(x * x.transpose(), y, static_cast<double>(x.cols()), std::nullopt, beta, shrinkage);
  const Vector w = x.transpose() * beta;
  require(w.norm() > 0, "high and low texts have the same mean: there is no direction between them");
  return as_vector(w.normalized());
}

Logistic logistic(const Rows& x, std::span<const int> z, double lambda) {
  require(x.n == z.size() && x.n >= 2 && x.d >= 1, "a logistic fit needs one label a row and two rows");
  require(lambda >= 0 && std::isfinite(lambda), "the penalty lambda is a number >= 0");
  require(lambda > 0 || x.d < x.n, "with as many columns as rows a logistic fit needs a penalty above 0");
  const auto n = static_cast<Eigen::Index>(x.n);
  Vector label(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const int value = z[static_cast<std::size_t>(i)];
    require(value == 0 || value == 1, "labels are 0 or 1");
    label[i] = value;
  }
  require(label.sum() > 0 && label.sum() < static_cast<double>(n), "a logistic fit needs both labels");
  Matrix design(n, static_cast<Eigen::Index>(x.d) + 1);
  design.col(0).setOnes();
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 1; j < design.cols(); ++j)
      design(i, j) =
          static_cast<double>(x.data[static_cast<std::size_t>(i) * x.d + static_cast<std::size_t>(j) - 1]);
  require(design.allFinite(), "hidden states hold a number that is not finite");

  Logistic out;
  if (x.d < x.n) {
    require(primal_newton(design, label, lambda, out),
            "the classes are separated or columns repeat, so that no unpenalised fit exists: use lambda > 0");
  } else {
    dual_newton(design.rightCols(design.cols() - 1), label, lambda, out);
  }
  return out;
}

}  // namespace sonder::latent
