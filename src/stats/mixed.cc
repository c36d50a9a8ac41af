#include "stats/mixed.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/error.h"
#include "stats/detail/labels.h"
#include "stats/detail/minimise.h"
#include "stats/detail/numbers.h"
#include "stats/detail/reml.h"

namespace sonder::stats {
namespace {

using detail::Grouping;
using detail::Reml;

constexpr double kAllOfIt = 1e4;    // a relative standard deviation beyond which nothing is residual
constexpr double kSingular = 1e-4;  // a relative standard deviation below this is none, as in lme4

struct Term {
  Grouping grouping;
  std::vector<Eigen::Index> kept;  // slopes by their number in the caller's table
  Eigen::VectorXd scale;           // [s] root mean square of each slope
};

// Everything that one fit is made of; the terms shrink until the fit is not singular.
struct Model {
  Eigen::VectorXd y;  // without its least-squares fit
  Eigen::MatrixXd x;
  Eigen::VectorXd least_squares;
  std::vector<Term> terms;

  std::vector<Grouping> groupings() const {
    std::vector<Grouping> out;
    for (const Term& t : terms) out.push_back(t.grouping);
    return out;
  }
};

void flag(Mixed& out, std::string why) {
  if (out.status == Status::ok) out.status = Status::flagged;
  out.warnings.push_back(std::move(why));
}

Mixed without(Mixed out, Status status, std::size_t p, int n_units, const std::string& why) {
  out.status = status;
  out.warnings.push_back(why);
  out.fixed.assign(p, detail::without_interval(status, 0, n_units, why));
  out.df.assign(p, 0);
  out.covariance = Numbers(p, p);
  return out;
}

// Slopes as they are kept now, scaled.
Eigen::MatrixXd columns_of(const RandomTerm& given, const Term& term) {
  const auto n = static_cast<Eigen::Index>(given.group.size());
  Eigen::MatrixXd z = Eigen::MatrixXd::Ones(n, 1 + static_cast<Eigen::Index>(term.kept.size()));
  for (Eigen::Index c = 1; c < z.cols(); ++c) {
    const Eigen::Index slope = term.kept[static_cast<std::size_t>(c - 1)];
    for (Eigen::Index i = 0; i < n; ++i)
      z(i, c) =
          given.slopes.row(static_cast<std::size_t>(i))[static_cast<std::size_t>(slope)] / term.scale[slope];
  }
  return z;
}

Term term_of(const RandomTerm& given) {
  Term term;
  const detail::Labels labels = detail::dense(given.group);
  term.grouping.of = labels.of;
  term.grouping.count = labels.count;
  term.grouping.correlated = given.correlated;
  const std::size_t s = given.slopes.n == 0 ? 0 : given.slopes.d;
  term.scale.resize(static_cast<Eigen::Index>(s));
  for (std::size_t c = 0; c < s; ++c) {
    double squares = 0;
    for (std::size_t i = 0; i < given.slopes.n; ++i)
      squares += given.slopes.row(i)[c] * given.slopes.row(i)[c];
    const double rms = std::sqrt(squares / static_cast<double>(given.slopes.n));
    term.scale[static_cast<Eigen::Index>(c)] = rms > 0 ? rms : 1;
    term.kept.push_back(static_cast<Eigen::Index>(c));
  }
  term.grouping.z = columns_of(given, term);
  return term;
}

// Takes out what has no variance; true when the model became smaller.
bool simplify(Model& model, std::span<const RandomTerm> given, const Eigen::VectorXd& theta, Mixed& out) {
  Eigen::Index first = 0;
  bool smaller = false;
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    Term& term = model.terms[t];
    const Eigen::MatrixXd factor = detail::factor_of(term.grouping, theta, first);
    first += term.grouping.parameters();
    if (term.kept.empty() || factor.diagonal().cwiseAbs().minCoeff() > kSingular) continue;
    if (term.grouping.correlated) {
      term.grouping.correlated = false;
      flag(out, given[t].name + ": a singular fit, so the correlations were dropped");
      smaller = true;
      continue;
    }
    std::vector<Eigen::Index> left;
    for (Eigen::Index c = 1; c < factor.rows(); ++c) {
      if (std::abs(factor(c, c)) > kSingular) left.push_back(term.kept[static_cast<std::size_t>(c - 1)]);
    }
    if (left.size() == term.kept.size()) continue;
    flag(out, given[t].name + ": slopes without variance were dropped");
    term.kept = std::move(left);
    term.grouping.z = columns_of(given[t], term);
    smaller = true;
  }
  return smaller;
}

// Slopes that leave as many effects as rows cannot be told from the residual.
void drop_unknowable(Model& model, std::span<const RandomTerm> given, Mixed& out) {
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    Term& term = model.terms[t];
    if (term.kept.empty()) continue;
    if (term.grouping.count * static_cast<std::size_t>(term.grouping.columns()) <
        static_cast<std::size_t>(model.y.size()))
      continue;
    term.kept.clear();
    term.grouping.z = columns_of(given[t], term);
    flag(out, given[t].name + ": too few rows to tell its slopes from the residual, so they were dropped");
  }
}

RandomPart part_of(const RandomTerm& given, const Term& term, const Eigen::MatrixXd& factor, double sigma) {
  const auto all = static_cast<std::size_t>(term.scale.size()) + 1;
  RandomPart part{given.name,
                  std::vector<double>(all),
                  Numbers(all, all),
                  static_cast<int>(term.grouping.count),
                  static_cast<int>(term.kept.size()),
                  term.grouping.correlated && !term.kept.empty()};
  const Eigen::MatrixXd covariance = sigma * sigma * factor * factor.transpose();
  const auto place = [&](Eigen::Index c) {
    return c == 0 ? std::size_t{0} : static_cast<std::size_t>(term.kept[static_cast<std::size_t>(c - 1)]) + 1;
  };
  for (Eigen::Index i = 0; i < covariance.rows(); ++i) {
    part.sd[place(i)] =
        std::sqrt(covariance(i, i)) / (i == 0 ? 1 : term.scale[static_cast<Eigen::Index>(place(i)) - 1]);
    for (Eigen::Index j = 0; j < covariance.rows(); ++j) {
      const double both = std::sqrt(covariance(i, i)) * std::sqrt(covariance(j, j));
      part.correlation.row(place(i))[place(j)] =
          both > 0 ? std::clamp(covariance(i, j) / both, -1.0, 1.0) : 0;
    }
  }
  for (std::size_t i = 0; i < all; ++i) part.correlation.row(i)[i] = 1;
  return part;
}

// 2 v² / (g' A g) for every fixed effect: v its variance, g its gradient by the variance parameters, A their
// covariance from the curvature of the criterion. Source: [Kuznetsova2017].
Eigen::VectorXd satterthwaite(const Reml& reml, const Eigen::VectorXd& theta, double sigma) {
  const Eigen::Index k = theta.size();
  Eigen::VectorXd all(k + 1);
  all << theta, std::log(sigma);
  const auto variances = [&](const Eigen::VectorXd& at) -> Eigen::VectorXd {
    return std::exp(2 * at[k]) * reml.at(at.head(k)).covariance.diagonal();
  };
  const Eigen::MatrixXd curvature =
      detail::hessian([&](const Eigen::VectorXd& at) { return reml.criterion(at.head(k), at[k]); }, all);
  const Eigen::VectorXd v = variances(all);
  if (!curvature.allFinite()) return Eigen::VectorXd::Zero(v.size());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(curvature);
  const double most = eigen.eigenvalues().cwiseAbs().maxCoeff();
  const Eigen::MatrixXd slopes = detail::jacobian(variances, all) * eigen.eigenvectors();
  Eigen::VectorXd df(v.size());
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    double spread = 0;
    for (Eigen::Index j = 0; j <= k; ++j) {
      const double l = eigen.eigenvalues()[j];
      if (l > 1e-8 * most) spread += 2 * slopes(i, j) * slopes(i, j) / l;
    }
    df[i] = spread > 0 ? 2 * v[i] * v[i] / spread : 0;
  }
  return df;
}

// What makes any fit impossible; empty when nothing does.
std::string obstacle(const Model& model, std::span<const RandomTerm> given) {
  const Eigen::Index n = model.y.size();
  if (n <= model.x.cols()) return "as many fixed effects as rows";
  for (std::size_t t = 0; t < given.size(); ++t) {
    const std::size_t count = model.terms[t].grouping.count;
    if (count < 2) return given[t].name + ": there is one group only";
    if (count >= static_cast<std::size_t>(n)) return given[t].name + ": as many groups as rows";
  }
  return {};
}

void fill(Mixed& out, const Model& model, std::span<const RandomTerm> given, const Reml& reml,
          const Eigen::VectorXd& theta) {
  const Reml::Point point = reml.at(theta);
  const double sigma = reml.sigma(point);
  const Eigen::VectorXd df = satterthwaite(reml, theta, sigma);
  const int n_units = static_cast<int>(model.terms[0].grouping.count);
  const auto p = static_cast<std::size_t>(model.x.cols());
  const double most = static_cast<double>(model.y.size() - model.x.cols());
  out.covariance = Numbers(p, p);
  for (std::size_t i = 0; i < p; ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    for (std::size_t j = 0; j < p; ++j)
      out.covariance.row(i)[j] = sigma * sigma * point.covariance(at, static_cast<Eigen::Index>(j));
    out.df.push_back(df[at] > 0 ? std::clamp(df[at], 1.0, most) : std::max(1.0, n_units - 1.0));
    Estimate e = detail::by_t(model.least_squares[at] + point.fixed[at], std::sqrt(out.covariance.row(i)[i]),
                              out.df.back(), n_units);
    for (const std::string& warning : out.warnings) detail::flag(e, warning);
    out.fixed.push_back(detail::settled(std::move(e)));
  }
  out.residual_sd = sigma;
  out.criterion = reml.criterion(theta);
  Eigen::Index first = 0;
  for (std::size_t t = 0; t < given.size(); ++t) {
    const Grouping& g = model.terms[t].grouping;
    out.random.push_back(part_of(given[t], model.terms[t], detail::factor_of(g, theta, first), sigma));
    first += g.parameters();
  }
}

}  // namespace

Mixed mixed(std::span<const double> y, const Numbers& x, std::span<const RandomTerm> terms,
            std::span<const std::string> names) {
  detail::require_finite(y, "y");
  detail::require_finite(x.data, "x");
  require(x.n == y.size(), "x has one row for each y");
  require(!terms.empty(), "a mixed model has a random term");
  require(names.empty() || names.size() == x.d, "one name for each column of x");
  Mixed out;
  out.names.assign(names.begin(), names.end());
  Model model;
  for (const RandomTerm& term : terms) {
    require(term.group.size() == y.size() && (term.slopes.n == 0 || term.slopes.n == y.size()),
            "a random term has one group, and one row of slopes, for each y");
    detail::require_finite(term.slopes.data, "slopes");
    model.terms.push_back(term_of(term));
  }
  const int n_units = static_cast<int>(model.terms[0].grouping.count);
  model.x = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      x.data.data(), static_cast<Eigen::Index>(x.n), static_cast<Eigen::Index>(x.d));
  model.y = Eigen::Map<const Eigen::VectorXd>(y.data(), static_cast<Eigen::Index>(y.size()));
  if (const std::string why = obstacle(model, terms); !why.empty())
    return without(std::move(out), Status::undefined, x.d, n_units, why);
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(model.x);
  if (qr.rank() < model.x.cols())
    return without(std::move(out), Status::undefined, x.d, n_units, "the columns of x depend on each other");
  model.least_squares = qr.solve(model.y);
  const double level = model.y.norm();
  model.y -= model.x * model.least_squares;
  const double scale = model.y.norm() / std::sqrt(static_cast<double>(y.size()));
  if (!std::isfinite(scale) || scale <= 1e-14 * level)
    return without(
        std::move(out), Status::undefined, x.d, n_units,
        std::isfinite(scale) ? "the fixed effects fit exactly" : "the numbers are too large to compute with");
  drop_unknowable(model, terms, out);
  if (n_units < 10) flag(out, "fewer than 10 groups: their variance is hardly known");
  for (;;) {
    const std::vector<Grouping> groupings = model.groupings();
    const Reml reml(model.y, model.x, groupings);
    const detail::Minimum found =
        detail::minimise([&](const Eigen::VectorXd& theta) { return reml.criterion(theta); }, reml.start());
    if (!std::isfinite(found.value))
      return without(std::move(out), Status::undefined, x.d, n_units, "the likelihood cannot be computed");
    if (found.at.lpNorm<Eigen::Infinity>() > kAllOfIt)
      return without(std::move(out), Status::undefined, x.d, n_units,
                     "the groups fit exactly: no residual is left");
    if (simplify(model, terms, found.at, out)) continue;
    if (!found.settled) flag(out, "the maximum was not reached");
    Eigen::Index first = 0;
    for (std::size_t t = 0; t < terms.size(); ++t) {
      if (std::abs(found.at[first]) <= kSingular) flag(out, terms[t].name + ": no variance between groups");
      first += groupings[t].parameters();
    }
    fill(out, model, terms, reml, found.at);
    return out;
  }
}

Mixed condition_by_facet(std::span<const double> y, const Design& design) {
  require(design.cond.size() == y.size() && design.facet.size() == y.size() &&
              design.scenario.size() == y.size() && (design.judge.empty() || design.judge.size() == y.size()),
          "one condition, facet, scenario and judge for each y");
  const std::set<int> conds(design.cond.begin(), design.cond.end());
  const std::set<int> facets(design.facet.begin(), design.facet.end());
  std::vector<std::string> names = {"1"};
  const auto others = [](const std::set<int>& levels) {
    return levels.empty() ? std::vector<int>{} : std::vector<int>(std::next(levels.begin()), levels.end());
  };
  const std::vector<int> cond = others(conds);
  const std::vector<int> facet = others(facets);
  for (const int c : cond) names.push_back("cond " + std::to_string(c));
  for (const int f : facet) names.push_back("facet " + std::to_string(f));
  for (const int c : cond) {
    for (const int f : facet) names.push_back("cond " + std::to_string(c) + " : facet " + std::to_string(f));
  }
  Numbers x;
  RandomTerm scenario{"scenario", design.scenario, {}, true};
  std::vector<double> row;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < y.size(); ++i) {
    row.assign(1, 1.0);
    slopes.clear();
    for (const int c : cond) slopes.push_back(design.cond[i] == c ? 1 : 0);
    row.insert(row.end(), slopes.begin(), slopes.end());
    for (const int f : facet) row.push_back(design.facet[i] == f ? 1 : 0);
    for (const int c : cond) {
      for (const int f : facet) row.push_back(design.cond[i] == c && design.facet[i] == f ? 1 : 0);
    }
    x.append(row);
    if (!cond.empty()) scenario.slopes.append(slopes);
  }
  if (y.empty()) x.d = 1;
  std::vector<RandomTerm> terms = {std::move(scenario)};
  if (!design.judge.empty()) terms.push_back({"judge", design.judge, {}, true});
  return mixed(y, x, terms, names);
}

}  // namespace sonder::stats
