#include "stats/ols.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stats/detail/labels.h"
#include "stats/detail/numbers.h"

namespace sonder::stats {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double kAlike = 1e-10;  // a column this close to the span of the others is one of them
constexpr double kExact = 1e-15;  // residuals below this share of the outcome are arithmetic, not data
constexpr double kDetermined = 1 - 1e-9;  // a cluster that fixes a coefficient alone has leverage 1

// The fit in an orthonormal basis of the columns kept: x[kept] T = q R, with T taking the centres out.
struct Fit {
  Matrix q;                // [n × r]
  Matrix back;             // [k × r] coefficients from coordinates in q; rows of columns left out are 0
  Vector beta;             // [k]
  Vector residual;         // [n]
  std::vector<bool> kept;  // [k]
};

// Index of a constant column, or k.
Eigen::Index constant_column(const Matrix& x) {
  for (Eigen::Index j = 0; j < x.cols(); ++j)
    if (x.rows() > 0 && x(0, j) != 0 && (x.col(j).array() == x(0, j)).all()) return j;
  return x.cols();
}

Fit fit(const Matrix& x, const Vector& y) {
  const Eigen::Index k = x.cols();
  if (x.rows() == 0)
    return {Matrix(0, 0), Matrix::Zero(k, 0), Vector::Zero(k), Vector(0),
            std::vector<bool>(static_cast<std::size_t>(k), true)};
  const Eigen::Index one = constant_column(x);
  const bool centred = one < k;
  Matrix z = x;
  Vector scale(k);
  Vector centre = Vector::Zero(k);
  for (Eigen::Index j = 0; j < k; ++j) {
    const double size = z.col(j).cwiseAbs().maxCoeff();
    if (centred && j != one) {
      centre(j) = detail::mean_of({x.col(j).data(), static_cast<std::size_t>(x.rows())}) / x(0, one);
      z.col(j) -= centre(j) * x.col(one);
    }
    scale(j) = z.col(j).norm();
    // What centring leaves of a constant column is rounding.
    if (scale(j) <= 1e-14 * size * std::sqrt(static_cast<double>(x.rows()))) {
      z.col(j).setZero();
      scale(j) = 1;
    }
    z.col(j) /= scale(j);
  }
  const double level = centred ? detail::mean_of({y.data(), static_cast<std::size_t>(y.size())}) : 0.0;
  const Vector target = y.array() - level;

  Eigen::ColPivHouseholderQR<Matrix> qr;
  qr.setThreshold(kAlike);
  qr.compute(z);
  const Eigen::Index r = qr.rank();
  Fit found;
  found.q = qr.householderQ() * Matrix::Identity(x.rows(), r);
  const Matrix root = qr.matrixR().topLeftCorner(r, r).triangularView<Eigen::Upper>();
  const Matrix inverse = root.triangularView<Eigen::Upper>().solve(Matrix::Identity(r, r));

  Matrix scaled = Matrix::Zero(k, r);
  found.kept.assign(static_cast<std::size_t>(k), false);
  for (Eigen::Index i = 0; i < r; ++i) {
    const Eigen::Index column = qr.colsPermutation().indices()(i);
    scaled.row(column) = inverse.row(i) / scale(column);
    found.kept[static_cast<std::size_t>(column)] = true;
  }
  found.back = scaled;
  if (centred) found.back.row(one) -= centre.transpose() * scaled;

  Vector coordinates = found.q.transpose() * target;
  found.residual = target - found.q * coordinates;
  const Vector rest = found.q.transpose() * found.residual;  // one step of refinement
  coordinates += rest;
  found.residual -= found.q * rest;
  if (found.residual.stableNorm() <= kExact * y.stableNorm()) found.residual.setZero();
  found.beta = found.back * coordinates;
  if (centred) found.beta(one) += level / x(0, one);
  return found;
}

Fit fit(const Numbers& x, std::span<const double> y) {
  detail::require_finite(x.data, "regressors");
  detail::require_finite(y, "outcome");
  require(x.d > 0, "a regression needs at least one column");
  require(x.n == y.size(), "a regression needs one outcome for every row of regressors");
  const auto rows = static_cast<Eigen::Index>(x.n);
  const auto columns = static_cast<Eigen::Index>(x.d);
  const Matrix design =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(x.data.data(),
                                                                                               rows, columns);
  return fit(design, Eigen::Map<const Vector>(y.data(), rows));
}

// What every kind of error shares. meat: [r × r] covariance in coordinates of q; df: [k].
Regression settle(const Fit& found, const Matrix& meat, const std::vector<double>& df, int n_clusters) {
  const auto k = static_cast<std::size_t>(found.beta.size());
  Regression out;
  out.n = static_cast<int>(found.residual.size());
  out.rank = static_cast<int>(found.q.cols());
  out.n_clusters = n_clusters;
  out.residual.assign(found.residual.begin(), found.residual.end());
  out.residual_squares = found.residual.squaredNorm();
  Matrix covariance = found.back * meat * found.back.transpose();
  if (!covariance.allFinite()) {
    covariance.setConstant(std::numeric_limits<double>::max());
    out.status = Status::undefined;
    out.warnings.emplace_back("the numbers are too large to compute with");
  }
  out.covariance = Numbers(k, k);
  for (std::size_t i = 0; i < k; ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    for (std::size_t j = 0; j < k; ++j)
      out.covariance.row(i)[j] = covariance(at, static_cast<Eigen::Index>(j));
    if (!found.kept[i]) {
      out.coefficient.push_back(detail::without_interval(Status::undefined, 0, n_clusters,
                                                         "the other columns already hold this one"));
      out.df.push_back(0);
      if (out.status == Status::ok) out.status = Status::flagged;
      continue;
    }
    if (!(df[i] > 0)) {
      out.coefficient.push_back(detail::settled(detail::without_interval(
          Status::undefined, found.beta(at), n_clusters, "no degrees of freedom are left for an error")));
      out.df.push_back(0);
      continue;
    }
    const double variance = std::max(0.0, covariance(at, at));
    out.coefficient.push_back(
        out.status == Status::undefined
            ? detail::without_interval(Status::undefined, 0, n_clusters, out.warnings.front())
            : detail::settled(detail::by_t(found.beta(at), std::sqrt(variance), df[i], n_clusters)));
    out.df.push_back(df[i]);
  }
  if (out.status == Status::flagged)
    out.warnings.emplace_back("columns that the others already hold were left out");
  return out;
}

Regression without_errors(const Fit& found, int n_clusters, std::string why) {
  const auto k = static_cast<std::size_t>(found.beta.size());
  Regression out =
      settle(found, Matrix::Zero(found.q.cols(), found.q.cols()), std::vector<double>(k, 0.0), n_clusters);
  for (std::size_t i = 0; i < k; ++i)
    if (found.kept[i]) out.coefficient[i].warnings = {why};
  out.status = Status::undefined;
  out.warnings.push_back(std::move(why));
  return out;
}

// Sums over clusters in coordinates of q.
struct Sums {
  Matrix score;              // [r × C] q' e
  std::vector<Matrix> gram;  // [C] q' q, only where asked for
};

Sums sums_of(const Fit& found, const detail::Labels& cluster, bool with_gram) {
  const Eigen::Index r = found.q.cols();
  Sums sums;
  sums.score = Matrix::Zero(r, static_cast<Eigen::Index>(cluster.count));
  if (with_gram) sums.gram.assign(cluster.count, Matrix::Zero(r, r));
  for (std::size_t i = 0; i < cluster.of.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    sums.score.col(static_cast<Eigen::Index>(cluster.of[i])) +=
        found.q.row(row).transpose() * found.residual(row);
    if (with_gram) sums.gram[cluster.of[i]] += found.q.row(row).transpose() * found.q.row(row);
  }
  return sums;
}

// (I - s)^{-1/2} of a cluster's leverage; directions that the cluster alone fixes are left out.
Matrix adjustment(const Matrix& gram) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(gram);
  Vector root = solver.eigenvalues();
  for (double& s : root) s = s < kDetermined ? 1 / std::sqrt(1 - std::max(0.0, s)) : 0.0;
  return solver.eigenvectors() * root.asDiagonal() * solver.eigenvectors().transpose();
}

// (tr P)^2 / tr P^2 of the quadratic form that estimates the variance of c'coordinates: P is diagonal plus
// rank r, so rows never meet.
double satterthwaite(const std::vector<Matrix>& gram, const std::vector<Matrix>& adjust, const Vector& c) {
  double trace = 0;
  double square = 0;
  Matrix cross = Matrix::Zero(c.size(), c.size());
  for (std::size_t g = 0; g < gram.size(); ++g) {
    const Vector u = adjust[g] * c;
    const Vector v = gram[g] * u;
    const double own = u.dot(v);
    trace += own - v.squaredNorm();
    square += own * own - 2 * own * v.squaredNorm();
    cross += v * v.transpose();
  }
  square += cross.squaredNorm();
  return square > 0 && trace > 0 ? trace * trace / square : 0;
}

double cr1_factor(double clusters, double n, double k) {
  return clusters / (clusters - 1) * (n - 1) / (n - k);
}

Matrix outer(const Matrix& score) { return score * score.transpose(); }

bool too_few(const Fit& found) { return found.q.cols() >= found.q.rows(); }

}  // namespace

Regression ols(const Numbers& x, std::span<const double> y) {
  const Fit found = fit(x, y);
  const int n = static_cast<int>(x.n);
  if (too_few(found))
    return without_errors(found, n, "no more rows than columns: nothing is left for an error");
  const auto df = static_cast<double>(found.q.rows() - found.q.cols());
  const Matrix meat = Matrix::Identity(found.q.cols(), found.q.cols()) * (found.residual.squaredNorm() / df);
  return settle(found, meat, std::vector<double>(x.d, df), n);
}

Regression ols(const Numbers& x, std::span<const double> y, std::span<const int> cluster, ClusterError how) {
  require(cluster.size() == y.size(), "every row of a clustered regression needs its cluster");
  const Fit found = fit(x, y);
  const detail::Labels labels = detail::dense(cluster);
  const int n_clusters = static_cast<int>(labels.count);
  if (n_clusters < 2) return without_errors(found, n_clusters, "one cluster has no spread between clusters");
  if (too_few(found))
    return without_errors(found, n_clusters, "no more rows than columns: nothing is left for an error");
  Sums sums = sums_of(found, labels, how == ClusterError::cr2);
  std::vector<double> df(x.d, n_clusters - 1.0);
  if (how == ClusterError::cr2) {
    std::vector<Matrix> adjust;
    adjust.reserve(sums.gram.size());
    for (std::size_t g = 0; g < sums.gram.size(); ++g) {
      adjust.push_back(adjustment(sums.gram[g]));
      const auto at = static_cast<Eigen::Index>(g);
      sums.score.col(at) = (adjust[g] * sums.score.col(at)).eval();
    }
    for (std::size_t j = 0; j < x.d; ++j)
      df[j] = satterthwaite(sums.gram, adjust, found.back.row(static_cast<Eigen::Index>(j)).transpose());
  }
  const double factor = how == ClusterError::cr1 ? cr1_factor(n_clusters, static_cast<double>(x.n),
                                                              static_cast<double>(found.q.cols()))
                                                 : 1.0;
  return settle(found, factor * outer(sums.score), df, n_clusters);
}

Regression ols_two_way(const Numbers& x, std::span<const double> y, std::span<const int> first,
                       std::span<const int> second) {
  require(first.size() == y.size() && second.size() == y.size(),
          "every row of a two-way clustered regression needs both its clusters");
  const Fit found = fit(x, y);
  const detail::Labels one = detail::dense(first);
  const detail::Labels two = detail::dense(second);
  const int fewer = static_cast<int>(std::min(one.count, two.count));
  if (fewer < 2) return without_errors(found, fewer, "one cluster has no spread between clusters");
  if (too_few(found))
    return without_errors(found, fewer, "no more rows than columns: nothing is left for an error");
  const auto part = [&](const detail::Labels& labels) -> Matrix {
    return cr1_factor(static_cast<double>(labels.count), static_cast<double>(x.n),
                      static_cast<double>(found.q.cols())) *
           outer(sums_of(found, labels, false).score);
  };
  Matrix meat = part(one) + part(two) - part(detail::crossed(one, two));
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(meat);
  const double least = solver.eigenvalues().minCoeff();
  const double most = solver.eigenvalues().cwiseAbs().maxCoeff();
  const bool mended = least < -1e-12 * most;
  if (mended)
    meat = solver.eigenvectors() * solver.eigenvalues().cwiseMax(0.0).asDiagonal() *
           solver.eigenvectors().transpose();
  Regression out = settle(found, meat, std::vector<double>(x.d, fewer - 1.0), fewer);
  if (mended) {
    const std::string why =
        "the two-way covariance was not positive and was mended: read the wider of the one-way errors";
    for (auto& coefficient : out.coefficient)
      if (coefficient.usable()) detail::flag(coefficient, why);
    out.status = Status::flagged;
    out.warnings.push_back(why);
  }
  return out;
}

Estimate two_way_mean(std::span<const double> x, std::span<const int> first, std::span<const int> second) {
  Numbers ones(x.size(), 1);
  std::fill(ones.data.begin(), ones.data.end(), 1.0);
  require(first.size() == x.size() && second.size() == x.size(),
          "every row of a two-way clustered mean needs both its clusters");
  if (x.size() < 2) {
    detail::require_finite(x, "two-way mean");
    return detail::without_interval(Status::undefined, detail::mean_of(x), static_cast<int>(x.size()),
                                    "an interval needs at least two units");
  }
  return ols_two_way(ones, x, first, second).coefficient[0];
}

}  // namespace sonder::stats
