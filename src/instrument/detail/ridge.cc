#include "instrument/detail/ridge.h"

#include <cmath>
#include <limits>
#include <map>

namespace sonder::instrument::detail {

Head fit(const Eigen::MatrixXd& x, const Eigen::VectorXd& y, double lambda) {
  const Eigen::VectorXd centre = x.colwise().mean();
  const Eigen::MatrixXd centred = x.rowwise() - centre.transpose();
  const double level = y.mean();
  Eigen::MatrixXd gram = centred * centred.transpose();
  gram.diagonal().array() += lambda;
  const Eigen::VectorXd alpha = gram.ldlt().solve((y.array() - level).matrix());
  Head head;
  head.w = centred.transpose() * alpha;
  head.intercept = level - head.w.dot(centre);
  head.lambda = lambda;
  return head;
}

double left_out_error(const Eigen::MatrixXd& x, const Eigen::VectorXd& y, const std::vector<int>& scenario,
                      double lambda) {
  std::map<int, std::vector<Eigen::Index>> groups;
  for (std::size_t i = 0; i < scenario.size(); ++i)
    groups[scenario[i]].push_back(static_cast<Eigen::Index>(i));
  double error = 0;
  for (const auto& [left, rows] : groups) {
    std::vector<Eigen::Index> kept;
    for (Eigen::Index i = 0; i < x.rows(); ++i)
      if (scenario[static_cast<std::size_t>(i)] != left) kept.push_back(i);
    const Head head = fit(x(kept, Eigen::all), y(kept), lambda);
    for (const Eigen::Index i : rows) error += std::pow(head.score(x.row(i)) - y(i), 2);
  }
  return error;
}

Head choose(const Eigen::MatrixXd& x, const Eigen::VectorXd& y, const std::vector<int>& scenario,
            std::span<const double> lambdas) {
  double best = std::numeric_limits<double>::infinity();
  double chosen = lambdas[0];
  for (const double lambda : lambdas) {
    const double error = left_out_error(x, y, scenario, lambda);
    if (error < best) best = error, chosen = lambda;
  }
  return fit(x, y, chosen);
}

}  // namespace sonder::instrument::detail
