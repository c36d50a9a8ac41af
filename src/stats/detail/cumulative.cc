#include "stats/detail/cumulative.h"

#include <cmath>

#include "stats/detail/numbers.h"

namespace sonder::stats::detail {
namespace {

constexpr double kFarthest = 30;  // log-odds beyond which a maximum is not finite

// Of one observation between two cuts: log P, its derivatives by the upper and lower linear predictor.
struct Cell {
  double log_p = 0, up = 0, low = 0, up_up = 0, low_low = 0, up_low = 0;
};

Cell cell(bool has_up, double up, bool has_low, double low) {
  const double fu = has_up ? logistic(up) : 1;
  const double fl = has_low ? logistic(low) : 0;
  // F(up) - F(low) without cancellation.
  double p = 0;
  if (has_up && has_low) {
    p = fu * (1 - fl) * -std::expm1(low - up);
  } else {
    p = has_up ? fu : 1 - fl;
    if (has_low) p = logistic(-low);
  }
  const double du = has_up ? fu * logistic(-up) : 0;
  const double dl = has_low ? fl * logistic(-low) : 0;
  const double ddu = du * (1 - 2 * fu);
  const double ddl = dl * (1 - 2 * fl);
  Cell c;
  c.log_p = std::log(p);
  c.up = du / p;
  c.low = -dl / p;
  c.up_up = ddu / p - c.up * c.up;
  c.low_low = -ddl / p - c.low * c.low;
  c.up_low = -c.up * c.low;
  return c;
}

struct Look {
  double value = 0;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd information;
};

Look look(const std::vector<int>& level, int n_levels, const Eigen::MatrixXd& x, const Eigen::VectorXd& at,
          bool derivatives) {
  const Eigen::Index cuts = n_levels - 1;
  const Eigen::Index p = x.cols();
  Look out;
  if (derivatives) {
    out.gradient.setZero(cuts + p);
    out.information.setZero(cuts + p, cuts + p);
  }
  const Eigen::VectorXd eta = x * at.tail(p);
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    const Eigen::Index k = level[static_cast<std::size_t>(i)];
    const bool has_up = k < cuts;
    const bool has_low = k > 0;
    const Cell c = cell(has_up, has_up ? at[k] - eta[i] : 0, has_low, has_low ? at[k - 1] - eta[i] : 0);
    out.value += c.log_p;
    if (!derivatives) continue;
    const double by_up = c.up_up + c.up_low;
    const double by_low = c.low_low + c.up_low;
    for (Eigen::Index a = 0; a < p; ++a) {
      out.gradient[cuts + a] -= (c.up + c.low) * x(i, a);
      for (Eigen::Index b = 0; b < p; ++b)
        out.information(cuts + a, cuts + b) -= (by_up + by_low) * x(i, a) * x(i, b);
      if (has_up) out.information(k, cuts + a) += by_up * x(i, a);
      if (has_low) out.information(k - 1, cuts + a) += by_low * x(i, a);
    }
    if (has_up) {
      out.gradient[k] += c.up;
      out.information(k, k) -= c.up_up;
    }
    if (has_low) {
      out.gradient[k - 1] += c.low;
      out.information(k - 1, k - 1) -= c.low_low;
    }
    if (has_up && has_low) {
      out.information(k, k - 1) -= c.up_low;
      out.information(k - 1, k) -= c.up_low;
    }
  }
  if (derivatives)
    out.information.bottomLeftCorner(p, cuts) = out.information.topRightCorner(cuts, p).transpose();
  return out;
}

bool rising(const Eigen::VectorXd& at, Eigen::Index cuts) {
  for (Eigen::Index k = 1; k < cuts; ++k) {
    if (at[k] <= at[k - 1]) return false;
  }
  return at.allFinite();
}

}  // namespace

Cumulative fit_cumulative(const std::vector<int>& level, int n_levels, const Eigen::MatrixXd& x) {
  const Eigen::Index cuts = n_levels - 1;
  Eigen::VectorXd at = Eigen::VectorXd::Zero(cuts + x.cols());
  std::vector<double> count(static_cast<std::size_t>(n_levels));
  for (const int k : level) count[static_cast<std::size_t>(k)] += 1;
  double below = 0;
  for (Eigen::Index k = 0; k < cuts; ++k) {
    below += count[static_cast<std::size_t>(k)];
    at[k] = std::log(below / (static_cast<double>(level.size()) - below));
  }
  Cumulative out;
  for (int step = 0; step < 100 && !out.settled; ++step) {
    const Look here = look(level, n_levels, x, at, true);
    const Eigen::VectorXd move = here.information.ldlt().solve(here.gradient);
    double scale = 1;
    Eigen::VectorXd next = at + move;
    const auto worse = [&] {
      return !rising(next, cuts) ||
             !(look(level, n_levels, x, next, false).value >= here.value - 1e-12 * std::abs(here.value));
    };
    while (scale > 1e-8 && worse()) {
      scale /= 2;
      next = at + scale * move;
    }
    if (!rising(next, cuts) || next.lpNorm<Eigen::Infinity>() > kFarthest) break;
    at = next;
    out.settled = move.lpNorm<Eigen::Infinity>() < 1e-10;
  }
  const Look last = look(level, n_levels, x, at, true);
  out.cuts = at.head(cuts);
  out.slopes = at.tail(x.cols());
  out.log_likelihood = last.value;
  const Eigen::LDLT<Eigen::MatrixXd> factor(last.information);
  out.settled = out.settled && factor.isPositive() && factor.rcond() > 1e-14;
  out.covariance = factor.solve(Eigen::MatrixXd::Identity(at.size(), at.size()));
  return out;
}

}  // namespace sonder::stats::detail
