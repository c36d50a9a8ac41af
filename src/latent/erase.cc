#include "latent/erase.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "latent/detail/dual.h"
#include "latent/direction.h"

namespace sonder::latent {
namespace {

using detail::Matrix;
using detail::Vector;

constexpr double kFlat = 1e-10;  // a variance below this share of the largest is none

Matrix as_matrix(const Rows& x) {
  using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const Floats>(x.data.data(), static_cast<Eigen::Index>(x.n),
                                  static_cast<Eigen::Index>(x.d))
      .cast<double>();
}

void require_labelled(const Rows& x, std::span<const int> label) {
  require(x.n >= 2 && x.d >= 1 && label.size() == x.n, "an erasure needs two rows and a label for each");
  require(std::all_of(x.data.begin(), x.data.end(), [](float value) { return std::isfinite(value); }),
          "hidden states are finite");
  require(std::set<int>(label.begin(), label.end()).size() >= 2, "an erasure needs two different labels");
}

Erasure erasure(const Eigen::RowVectorXd& mean, const Matrix& project) {
  Erasure out{{mean.data(), mean.data() + mean.size()},
              Numbers(static_cast<std::size_t>(project.rows()), static_cast<std::size_t>(project.cols()))};
  for (std::size_t i = 0; i < out.project.n; ++i)
    for (std::size_t j = 0; j < out.project.d; ++j)
      out.project.row(i)[j] = project(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
  return out;
}

// One column for each label, one where a row has it; centred.
Matrix indicators(std::span<const int> label) {
  const std::set<int> kinds(label.begin(), label.end());
  Matrix z = Matrix::Zero(static_cast<Eigen::Index>(label.size()), static_cast<Eigen::Index>(kinds.size()));
  for (std::size_t i = 0; i < label.size(); ++i)
    z(static_cast<Eigen::Index>(i), std::distance(kinds.begin(), kinds.find(label[i]))) = 1;
  return z.rowwise() - z.colwise().mean();
}

}  // namespace

std::vector<double> Erasure::apply(std::span<const float> x) const {
  require(x.size() == mean.size(), "an erasure is for states of its own width");
  std::vector<double> out = mean;
  for (std::size_t i = 0; i < out.size(); ++i)
    for (std::size_t j = 0; j < out.size(); ++j)
      out[i] += project.row(i)[j] * (static_cast<double>(x[j]) - mean[j]);
  return out;
}

Erasure leace(const Rows& x, std::span<const int> label) {
  require_labelled(x, label);
  Matrix centred = as_matrix(x);
  const Eigen::RowVectorXd mean = centred.colwise().mean();
  centred.rowwise() -= mean;
  const double df = static_cast<double>(x.n) - 1;
  const Eigen::SelfAdjointEigenSolver<Matrix> of_x(centred.transpose() * centred / df);
  require(of_x.eigenvalues().maxCoeff() > 0, "an erasure needs states that vary");
  // W = S^{-1/2} and its inverse, on the directions in which x varies.
  Vector root = Vector::Zero(of_x.eigenvalues().size());
  Vector inverse = root;
  for (Eigen::Index k = 0; k < root.size(); ++k) {
    if (of_x.eigenvalues()[k] <= kFlat * of_x.eigenvalues().maxCoeff()) continue;
    root[k] = std::sqrt(of_x.eigenvalues()[k]);
    inverse[k] = 1 / root[k];
  }
  const Matrix& axes = of_x.eigenvectors();
  const Matrix whitened =
      inverse.asDiagonal() * (axes.transpose() * (centred.transpose() * indicators(label))) / df;
  const Eigen::JacobiSVD<Matrix> svd(whitened, Eigen::ComputeThinU);
  const auto& found = svd.singularValues();
  const auto rank = (found.array() > 1e-9 * std::max(found[0], 1e-300)).count();
  const Matrix u = svd.matrixU().leftCols(rank);
  const Matrix identity = Matrix::Identity(centred.cols(), centred.cols());
  return erasure(mean, identity - axes * (root.asDiagonal() *
                                          (u * (u.transpose() * (inverse.asDiagonal() * axes.transpose())))));
}

Erasure project_out(std::span<const double> direction, std::span<const double> mean) {
  require(direction.size() == mean.size() && !mean.empty(), "a direction is as wide as the mean");
  const Vector u = Eigen::Map<const Vector>(direction.data(), static_cast<Eigen::Index>(direction.size()));
  require(u.allFinite() && u.norm() > 0, "a direction has a length");
  const Vector unit = u.normalized();
  return erasure(Eigen::Map<const Eigen::RowVectorXd>(mean.data(), unit.size()),
                 Matrix::Identity(unit.size(), unit.size()) - unit * unit.transpose());
}

Erasure inlp(const Rows& x, std::span<const int> label, int n_directions, double lambda) {
  require_labelled(x, label);
  require(n_directions >= 1 && static_cast<std::size_t>(n_directions) <= x.d,
          "between one direction and as many as the states are wide");
  require(lambda > 0, "a penalty is above 0");
  Matrix left = as_matrix(x);
  const Eigen::RowVectorXd mean = left.colwise().mean();
  left.rowwise() -= mean;
  Matrix project = Matrix::Identity(left.cols(), left.cols());
  for (int k = 0; k < n_directions; ++k) {
    Rows rows(x.n, x.d);
    for (std::size_t i = 0; i < x.n; ++i)
      for (std::size_t j = 0; j < x.d; ++j)
        rows.row(i)[j] = static_cast<float>(left(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
    const Logistic reader = logistic(rows, label, lambda);
    // Inside what is left, so that the projections of all readers are one projection.
    const Vector w = project * Eigen::Map<const Vector>(reader.w.data(), left.cols());
    if (!(w.norm() > 0)) break;
    const Vector unit = w.normalized();
    left -= (left * unit) * unit.transpose();
    project -= unit * (unit.transpose() * project);
  }
  return erasure(mean, project);
}

}  // namespace sonder::latent
