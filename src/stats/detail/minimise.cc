#include "stats/detail/minimise.h"

#include <algorithm>
#include <cmath>

namespace sonder::stats::detail {
namespace {

constexpr double kStep = 1e-4;  // near the fourth root of rounding, for second derivatives
constexpr double kFlat = 2e-6;  // largest slope that counts as none

double step_of(double x) { return kStep * std::max(1.0, std::abs(x)); }

// Central difference of f in x_i.
template <class Value, class Function>
Value slope(const Function& f, const Eigen::VectorXd& at, Eigen::Index i) {
  const double h = step_of(at[i]);
  Eigen::VectorXd up = at;
  Eigen::VectorXd down = at;
  up[i] += h;
  down[i] -= h;
  return (f(up) - f(down)) / (2 * h);
}

Eigen::VectorXd gradient(const Smooth& f, const Eigen::VectorXd& at) {
  Eigen::VectorXd g(at.size());
  for (Eigen::Index i = 0; i < at.size(); ++i) g[i] = slope<double>(f, at, i);
  return g;
}

}  // namespace

Minimum minimise(const Smooth& f, Eigen::VectorXd start) {
  Minimum best{std::move(start), 0, false};
  best.value = f(best.at);
  if (!std::isfinite(best.value)) return best;
  const Eigen::Index n = best.at.size();
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd g = gradient(f, best.at);
  int stuck = 0;
  for (int step = 0; step < 500 && stuck < 3; ++step) {
    if (!g.allFinite()) return best;
    if (g.lpNorm<Eigen::Infinity>() < kFlat) {
      best.settled = true;
      return best;
    }
    Eigen::VectorXd move = -inverse * g;
    if (move.dot(g) >= 0) {
      inverse.setIdentity();
      move = -g;
    }
    const double most = std::max(2.0, best.at.norm());  // far away, steps may be long
    if (const double length = move.norm(); length > most) move *= most / length;
    double scale = 1;
    double value = f(best.at + move);
    while (!(value <= best.value + 1e-4 * scale * move.dot(g)) && scale > 1e-9) {
      scale /= 2;
      value = f(best.at + scale * move);
    }
    if (!(value < best.value)) {  // no way down: rounding, or a bad picture of the curvature
      inverse.setIdentity();
      ++stuck;
      continue;
    }
    stuck = 0;
    const Eigen::VectorXd s = scale * move;
    best.at += s;
    best.value = value;
    const Eigen::VectorXd next = gradient(f, best.at);
    const Eigen::VectorXd change = next - g;
    g = next;
    const double along = change.dot(s);
    if (along <= 1e-14) continue;
    const Eigen::MatrixXd left = Eigen::MatrixXd::Identity(n, n) - s * change.transpose() / along;
    inverse = left * inverse * left.transpose() + s * s.transpose() / along;
  }
  best.settled = g.lpNorm<Eigen::Infinity>() < 1e-3;
  return best;
}

Eigen::MatrixXd hessian(const Smooth& f, const Eigen::VectorXd& at) {
  const Eigen::Index n = at.size();
  Eigen::MatrixXd h(n, n);
  const double here = f(at);
  const auto moved = [&](Eigen::Index i, double by_i, Eigen::Index j, double by_j) {
    Eigen::VectorXd x = at;
    x[i] += by_i;
    x[j] += by_j;
    return f(x);
  };
  for (Eigen::Index i = 0; i < n; ++i) {
    const double a = 4 * step_of(at[i]);
    h(i, i) = (moved(i, a, i, 0) - 2 * here + moved(i, -a, i, 0)) / (a * a);
    for (Eigen::Index j = 0; j < i; ++j) {
      const double b = 4 * step_of(at[j]);
      h(i, j) = h(j, i) =
          (moved(i, a, j, b) - moved(i, a, j, -b) - moved(i, -a, j, b) + moved(i, -a, j, -b)) / (4 * a * b);
    }
  }
  return h;
}

Eigen::MatrixXd jacobian(const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& f,
                         const Eigen::VectorXd& at) {
  Eigen::MatrixXd out;
  for (Eigen::Index i = 0; i < at.size(); ++i) {
    const auto column = slope<Eigen::VectorXd>(f, at, i);
    if (out.size() == 0) out.resize(column.size(), at.size());
    out.col(i) = column;
  }
  return out;
}

}  // namespace sonder::stats::detail
