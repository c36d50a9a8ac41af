#include "latent/detail/dual.h"

#include <algorithm>
#include <cmath>

namespace sonder::latent::detail {
namespace {

constexpr int kMostNewtonSteps = 60;
constexpr int kMostHalvings = 30;
constexpr double kLeastWeight = 1e-12;  // of a text the model is already sure about

double log1p_exp(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
double sigmoid(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1 + e);
}

}  // namespace

Matrix stacked(const Rows& high, const Rows& low) {
  require(high.n >= 1 && high.d >= 1, "a direction needs at least one pair of texts");
  require(high.n == low.n && high.d == low.d, "high and low texts come in pairs of equal width");
  Matrix x(static_cast<Eigen::Index>(high.n + low.n), static_cast<Eigen::Index>(high.d));
  using Map = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  const auto n = static_cast<Eigen::Index>(high.n);
  x.topRows(n) = Map(high.data.data(), n, x.cols()).cast<double>();
  x.bottomRows(n) = Map(low.data.data(), n, x.cols()).cast<double>();
  require(x.allFinite(), "hidden states hold a number that is not finite");
  return x;
}

void difference_of_means(const Vector& y, Vector& beta) {
  const double n_high = static_cast<double>((y.array() > 0).count());
  const double n_low = static_cast<double>(y.size()) - n_high;
  beta =
      (y.array() > 0).select(Vector::Constant(y.size(), 1 / n_high), Vector::Constant(y.size(), -1 / n_low));
}

double ledoit_wolf(const Matrix& centred_gram, double d) {
  const auto n = static_cast<double>(centred_gram.rows());
  const double trace = centred_gram.trace() / n;
  const double norm2 = centred_gram.squaredNorm() / (n * n);  // |S|_F^2
  const double spread = norm2 - trace * trace / d;            // |S - m I|_F^2
  const double noise = (centred_gram.diagonal().squaredNorm() - n * norm2) / (n * n);
  if (spread <= 0) return 1;
  return std::clamp(noise / spread, 1e-6, 1.0);  // never 0: the sample space solution divides by it
}

double oracle_shrinkage(const Matrix& centred_gram, double d) {
  const auto n = static_cast<double>(centred_gram.rows());
  const double mean = centred_gram.trace() / (n * d);                  // tr S / d
  const double square = centred_gram.squaredNorm() / (n * n * d * d);  // mean of S_ij^2
  const double most = (n + 1) * (square - mean * mean / d);
  if (most <= 0) return 1;
  return std::clamp((square + mean * mean) / most, 1e-6, 1.0);
}

void Lda::fit(const Matrix& gram, const Vector& y, double d, std::optional<double> rho, Vector& beta,
              Shrinkage shrinkage) {
  const auto n = gram.rows();
  const auto is_high = (y.array() > 0).cast<double>().matrix().eval();
  const double n_high = is_high.sum();
  const double n_low = static_cast<double>(n) - n_high;
  to_high_.noalias() = gram * is_high;  // x_i · mu1
  to_low_.noalias() = gram.rowwise().sum() - to_high_;
  to_high_ /= n_high;
  to_low_ /= n_low;
  const double hh = is_high.dot(to_high_) / n_high;
  const double hl = is_high.dot(to_low_) / n_high;
  const double ll = (to_low_.sum() - is_high.dot(to_low_)) / n_low;

  // z_i = x_i - mu of its class; centred_ = z_i · z_j, gap_ = z_i · (mu1 - mu0).
  centred_.resize(n, n);
  gap_.resize(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const bool j_high = y[j] > 0;
    const Vector& to_class = j_high ? to_high_ : to_low_;
    for (Eigen::Index i = 0; i < n; ++i) {
      const bool i_high = y[i] > 0;
      const double own = i_high ? to_high_[j] : to_low_[j];
      const double means = i_high == j_high ? (i_high ? hh : ll) : hl;
      centred_(i, j) = gram(i, j) - to_class[i] - own + means;
    }
    gap_[j] = to_high_[j] - to_low_[j] - (j_high ? hh - hl : hl - ll);
  }

  const double share = rho                           ? *rho
                       : shrinkage == Shrinkage::oas ? oracle_shrinkage(centred_, d)
                                                     : ledoit_wolf(centred_, d);
  const double freedom = std::max(static_cast<double>(n) - 2, 1.0);
  const double identity = share * centred_.trace() / (freedom * d);
  difference_of_means(y, beta);
  if (share >= 1 || identity <= 0) return;  // no covariance left to undo
  centred_.diagonal().array() += identity * freedom / (1 - share);
  llt_.compute(centred_);
  llt_.solveInPlace(gap_);
  beta -=
      gap_;  // no class means to take off again: gap_ sums to zero within each class, as its right side did
}

void L2Logistic::restart(Eigen::Index n) {
  beta_.setZero(n);
  fitted_.setZero(n);
  intercept_ = 0;
}

double L2Logistic::objective(const Vector& y, const Vector& beta, const Vector& fitted, double intercept,
                             double lambda) {
  double loss = 0;
  for (Eigen::Index i = 0; i < y.size(); ++i) loss += log1p_exp(-y[i] * fitted[i]);
  log_likelihood_ = -loss;
  // beta' K beta = beta' (fitted - intercept), and beta sums to zero at every step.
  return loss + 0.5 * lambda * (beta.dot(fitted) - intercept * beta.sum());
}

// One step of iteratively reweighted least squares: beta = R (B^-1 (R u - b R 1)) / lambda, B = I + R K R /
// lambda, R = sqrt of the weights, u = the working response. R u is formed directly: u itself overflows when
// weights vanish.
void L2Logistic::newton_target(const Matrix& gram, const Vector& y, double lambda) {
  const auto n = y.size();
  root_.resize(n);
  solved_.resize(n, 2);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double p = sigmoid(fitted_[i]);
    root_[i] = std::sqrt(std::max(p * (1 - p), kLeastWeight));
    const double residual = y[i] * sigmoid(-y[i] * fitted_[i]);  // label minus p, exact in the tails
    solved_(i, 0) = root_[i] * fitted_[i] + residual / root_[i];
    solved_(i, 1) = root_[i];
  }
  system_.resize(n, n);
  for (Eigen::Index j = 0; j < n; ++j) system_.col(j) = gram.col(j).cwiseProduct(root_) * (root_[j] / lambda);
  system_.diagonal().array() += 1.0;
  llt_.compute(system_);
  llt_.solveInPlace(solved_);
  next_intercept_ = root_.dot(solved_.col(0)) / root_.dot(solved_.col(1));
  next_beta_ = root_.cwiseProduct(solved_.col(0) - next_intercept_ * solved_.col(1)) / lambda;
  next_fitted_.noalias() = gram * next_beta_;
  next_fitted_.array() += next_intercept_;
}

void L2Logistic::fit(const Matrix& gram, const Vector& y, double lambda) {
  double now = objective(y, beta_, fitted_, intercept_, lambda);
  for (int step = 0; step < kMostNewtonSteps; ++step) {
    newton_target(gram, y, lambda);
    double next = objective(y, next_beta_, next_fitted_, next_intercept_, lambda);
    for (int i = 0; i < kMostHalvings && !(next <= now); ++i) {
      next_beta_ = 0.5 * (next_beta_ + beta_);
      next_fitted_ = 0.5 * (next_fitted_ + fitted_);
      next_intercept_ = 0.5 * (next_intercept_ + intercept_);
      next = objective(y, next_beta_, next_fitted_, next_intercept_, lambda);
    }
    if (!(next <= now)) break;  // rounding: nothing lower to be found
    beta_.swap(next_beta_);
    fitted_.swap(next_fitted_);
    intercept_ = next_intercept_;
    const double gained = now - next;
    now = next;
    if (gained <= tolerance_ * (1e-12 + now)) break;
  }
  objective(y, beta_, fitted_, intercept_, lambda);
}

Vector lda(const Rows& high, const Rows& low, double rho) {
  Matrix x = stacked(high, low);
  const auto n = static_cast<Eigen::Index>(high.n);
  require(n >= 2, "a covariance within classes needs two texts of each");
  const Vector gap = (x.topRows(n).colwise().mean() - x.bottomRows(n).colwise().mean()).transpose();
  if (rho > 0) {
    x.rowwise() -= x.colwise().mean().eval();  // for precision; no reader sees a common shift
    Vector y = Vector::Constant(2 * n, -1);
    y.head(n).setOnes();
    Vector beta;
    Lda().fit(x * x.transpose(), y, static_cast<double>(x.cols()), rho, beta);
    return x.transpose() * beta;
  }
  x.topRows(n).rowwise() -= x.topRows(n).colwise().mean().eval();
  x.bottomRows(n).rowwise() -= x.bottomRows(n).colwise().mean().eval();
  const Matrix within = x.transpose() * x / static_cast<double>(2 * n - 2);
  const Eigen::LDLT<Matrix> solver(within);
  require(solver.info() == Eigen::Success && solver.isPositive() && solver.rcond() > 1e-12,
          "the covariance within classes cannot be inverted: use shrinkage");
  return solver.solve(gap);
}

}  // namespace sonder::latent::detail
