#include "stats/detail/reml.h"

#include <Eigen/SparseCholesky>
#include <cmath>
#include <limits>
#include <numbers>

namespace sonder::stats::detail {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

constexpr Eigen::Index kDense = 40;  // so few effects are solved faster as a full matrix

double log_det(const Eigen::MatrixXd& cholesky) { return 2 * cholesky.diagonal().array().log().sum(); }

Sparse effects(const std::vector<Grouping>& groupings, Eigen::Index n, Eigen::Index q) {
  std::vector<Eigen::Triplet<double, int>> entries;
  int first = 0;
  for (const Grouping& g : groupings) {
    const int r = static_cast<int>(g.columns());
    for (Eigen::Index i = 0; i < n; ++i) {
      for (int c = 0; c < r; ++c)
        entries.emplace_back(static_cast<int>(i),
                             first + static_cast<int>(g.of[static_cast<std::size_t>(i)]) * r + c, g.z(i, c));
    }
    first += static_cast<int>(g.count) * r;
  }
  Sparse z(n, q);
  z.setFromTriplets(entries.begin(), entries.end());
  return z;
}

Sparse all_factors(const std::vector<Grouping>& groupings, const Eigen::VectorXd& theta, Eigen::Index q) {
  std::vector<Eigen::Triplet<double, int>> entries;
  int first = 0;
  Eigen::Index parameter = 0;
  for (const Grouping& g : groupings) {
    const Eigen::MatrixXd factor = factor_of(g, theta, parameter);
    parameter += g.parameters();
    const int r = static_cast<int>(g.columns());
    for (std::size_t group = 0; group < g.count; ++group, first += r) {
      for (int i = 0; i < r; ++i) {
        for (int j = 0; j <= i; ++j) {
          if (i == j || g.correlated) entries.emplace_back(first + i, first + j, factor(i, j));
        }
      }
    }
  }
  Sparse all(q, q);
  all.setFromTriplets(entries.begin(), entries.end());
  return all;
}

// factor' m and m factor on the rows and columns of one group, in place: what a lower triangle adds to line i
// lies below it. Products of such small blocks would cost more in their allocation than in their sums.
void turn_rows(Eigen::MatrixXd& m, Eigen::Index first, const Eigen::MatrixXd& factor) {
  for (Eigen::Index c = 0; c < m.cols(); ++c) {
    double* const column = m.col(c).data() + first;
    for (Eigen::Index i = 0; i < factor.rows(); ++i) {
      double total = 0;
      for (Eigen::Index j = i; j < factor.rows(); ++j) total += factor(j, i) * column[j];
      column[i] = total;
    }
  }
}

void turn_columns(Eigen::MatrixXd& m, Eigen::Index first, const Eigen::MatrixXd& factor) {
  for (Eigen::Index i = 0; i < factor.rows(); ++i) {
    m.col(first + i) *= factor(i, i);
    for (Eigen::Index j = i + 1; j < factor.rows(); ++j) m.col(first + i) += factor(j, i) * m.col(first + j);
  }
}

}  // namespace

Eigen::MatrixXd factor_of(const Grouping& g, const Eigen::VectorXd& theta, Eigen::Index first) {
  const Eigen::Index r = g.columns();
  Eigen::MatrixXd factor = Eigen::MatrixXd::Zero(r, r);
  for (Eigen::Index j = 0; j < r; ++j) {
    for (Eigen::Index i = j; i < r; ++i) {
      if (i == j || g.correlated) factor(i, j) = theta[first++];
    }
  }
  return factor;
}

Reml::Reml(const Eigen::VectorXd& y, const Eigen::MatrixXd& x, const std::vector<Grouping>& groupings)
    : groupings_(&groupings),
      n_(y.size()),
      p_(x.cols()),
      xx_(x.transpose() * x),
      xy_(x.transpose() * y),
      yy_(y.squaredNorm()) {
  for (const Grouping& g : groupings) q_ += static_cast<Eigen::Index>(g.count) * g.columns();
  const Sparse z = effects(groupings, n_, q_);
  zz_ = Sparse(z.transpose() * z);
  if (q_ <= kDense) full_zz_ = zz_;
  zxy_.resize(q_, p_ + 1);
  zxy_.leftCols(p_) = z.transpose() * x;
  zxy_.col(p_) = z.transpose() * y;
}

Eigen::VectorXd Reml::start() const {
  std::vector<double> theta;
  for (const Grouping& g : *groupings_) {
    for (Eigen::Index j = 0; j < g.columns(); ++j) {
      theta.push_back(1);
      if (g.correlated) theta.insert(theta.end(), static_cast<std::size_t>(g.columns() - j - 1), 0.0);
    }
  }
  return Eigen::Map<const Eigen::VectorXd>(theta.data(), static_cast<Eigen::Index>(theta.size()));
}

Reml::Half Reml::half_solve_dense(const Eigen::VectorXd& theta) const {
  Eigen::MatrixXd inner = full_zz_;
  Half half{0, zxy_, false};
  Eigen::Index first = 0;
  Eigen::Index parameter = 0;
  for (const Grouping& g : *groupings_) {
    const Eigen::MatrixXd factor = factor_of(g, theta, parameter);
    parameter += g.parameters();
    const Eigen::Index r = g.columns();
    for (std::size_t group = 0; group < g.count; ++group, first += r) {
      turn_rows(inner, first, factor);
      turn_columns(inner, first, factor);
      turn_rows(half.right, first, factor);
    }
  }
  inner.diagonal().array() += 1;
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> cholesky(inner);  // in its own place
  if (cholesky.info() != Eigen::Success) return half;
  cholesky.matrixL().solveInPlace(half.right);
  half.log_det = log_det(cholesky.matrixLLT());
  half.fine = true;
  return half;
}

Reml::Half Reml::half_solve(const Eigen::VectorXd& theta) const {
  const Sparse factor = all_factors(*groupings_, theta, q_);
  const Sparse turned = factor.transpose();
  const Sparse left = turned * zz_;
  const Sparse inner = left * factor;
  Half half;
  Eigen::SimplicialLLT<Sparse, Eigen::Lower, Eigen::AMDOrdering<int>> cholesky;
  cholesky.setShift(1);
  cholesky.compute(inner);
  if (cholesky.info() != Eigen::Success) return half;
  half.right = cholesky.permutationP() * (turned * zxy_);
  cholesky.matrixL().solveInPlace(half.right);
  const Sparse l = cholesky.matrixL();
  for (Eigen::Index i = 0; i < q_; ++i) half.log_det += 2 * std::log(l.coeff(i, i));
  half.fine = true;
  return half;
}

Reml::Point Reml::at(const Eigen::VectorXd& theta, bool with_covariance) const {
  Point point;
  if (!theta.allFinite()) return point;
  const Half half = q_ <= kDense ? half_solve_dense(theta) : half_solve(theta);
  if (!half.fine) return point;
  const auto rzx = half.right.leftCols(p_);
  const auto cu = half.right.col(p_);
  const Eigen::LLT<Eigen::MatrixXd> rx(xx_ - rzx.transpose() * rzx);
  if (rx.info() != Eigen::Success) return point;
  const Eigen::VectorXd right = xy_ - rzx.transpose() * cu;
  const Eigen::VectorXd half_fixed = rx.matrixL().solve(right);
  point.fixed = rx.matrixU().solve(half_fixed);
  point.squares = yy_ - cu.squaredNorm() - half_fixed.squaredNorm();
  point.log_det = half.log_det + log_det(rx.matrixLLT());
  if (with_covariance) point.covariance = rx.solve(Eigen::MatrixXd::Identity(p_, p_));
  point.fine = point.squares > 0 && std::isfinite(point.log_det) && point.fixed.allFinite();
  return point;
}

double Reml::criterion(const Eigen::VectorXd& theta) const {
  const Point point = at(theta, false);
  if (!point.fine) return std::numeric_limits<double>::infinity();
  const auto df = static_cast<double>(n_ - p_);
  return point.log_det + df * (1 + std::log(2 * std::numbers::pi * point.squares / df));
}

double Reml::criterion(const Eigen::VectorXd& theta, double log_sigma) const {
  const Point point = at(theta, false);
  if (!point.fine) return std::numeric_limits<double>::infinity();
  const auto df = static_cast<double>(n_ - p_);
  return point.log_det + df * (std::log(2 * std::numbers::pi) + 2 * log_sigma) +
         point.squares * std::exp(-2 * log_sigma);
}

double Reml::sigma(const Point& point) const {
  return std::sqrt(point.squares / static_cast<double>(n_ - p_));
}

}  // namespace sonder::stats::detail
