#include "stats/rasch.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stats/detail/numbers.h"
#include "stats/detail/scaled.h"
#include "stats/pairwise.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;

constexpr int kMostSteps = 100;
constexpr double kConverged = 1e-10;
constexpr double kTooFar = 12;  // log-odds from the mean: a finite maximum there asks for e^24 persons

// The distribution of the number right of independent items, [k + 1]; a and b are left out (k: none). This is
// the elementary symmetric function scaled to sum to 1, so that it neither over- nor underflows in its
// middle.
Values number_right(const Values& p, std::size_t a, std::size_t b) {
  Values g{1.0};
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (i == a || i == b) continue;
    g.push_back(0);
    for (std::size_t r = g.size() - 1; r > 0; --r) g[r] = g[r] * (1 - p[i]) + g[r - 1] * p[i];
    g[0] *= 1 - p[i];
  }
  return g;
}

struct Look {
  double value = 0;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd information;
};

// counts: persons per score 0..k; totals: right answers per item among them.
Look look(const Eigen::VectorXd& easiness, const Values& totals, const Values& counts) {
  const auto k = static_cast<std::size_t>(easiness.size());
  Values p(k);
  double log_all_wrong = 0;
  for (std::size_t i = 0; i < k; ++i) {
    const double b = easiness[static_cast<Eigen::Index>(i)];
    p[i] = detail::logistic(b);
    log_all_wrong -= b > 0 ? b + std::log1p(std::exp(-b)) : std::log1p(std::exp(b));
  }
  const Values g = number_right(p, k, k);
  Look out;
  const auto size = static_cast<Eigen::Index>(k);
  out.gradient = Eigen::VectorXd::Zero(size);
  out.information = Eigen::MatrixXd::Zero(size, size);
  for (std::size_t i = 0; i < k; ++i) out.value += totals[i] * easiness[static_cast<Eigen::Index>(i)];
  for (std::size_t r = 1; r < k; ++r) out.value -= counts[r] * (std::log(g[r]) - log_all_wrong);
  // Persons with everything right: their right answers against the one way to have them.
  out.value -= counts[k] * (std::log(g[k]) - log_all_wrong);
  Numbers right(k, k + 1);  // P(item i right | score r)
  for (std::size_t i = 0; i < k; ++i) {
    const Values without = number_right(p, i, k);
    double expected = counts[k];
    for (std::size_t r = 1; r < k; ++r) {
      right.row(i)[r] = p[i] * without[r - 1] / g[r];
      expected += counts[r] * right.row(i)[r];
    }
    out.gradient[static_cast<Eigen::Index>(i)] = totals[i] - expected;
  }
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Values without = number_right(p, i, j);
      double both = 0;
      for (std::size_t r = 1; r < k; ++r) {
        const double joint = r >= 2 ? p[i] * p[j] * without[r - 2] / g[r] : 0;
        both += counts[r] * (joint - right.row(i)[r] * right.row(j)[r]);
      }
      out.information(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = both;
      out.information(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)) = both;
    }
  }
  for (Eigen::Index i = 0; i < size; ++i) out.information(i, i) = -out.information.row(i).sum();
  return out;
}

// Warm's estimate for a raw score: the root of score - expected + J / (2 I), falling in ability.
double warm(const Eigen::VectorXd& easiness, double score) {
  double low = -40;
  double high = 40;
  for (int step = 0; step < 200; ++step) {
    const double middle = (low + high) / 2;
    double expected = 0;
    double information = 0;
    double skew = 0;
    for (const double b : easiness) {
      const double p = detail::logistic(middle + b);
      const double q = detail::logistic(-middle - b);
      expected += p;
      information += p * q;
      skew += p * q * (q - p);
    }
    (score - expected + skew / (2 * information) > 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

Rasch not_defined(std::size_t k, const char* why) {
  Rasch out;
  out.status = Status::undefined;
  out.easiness.assign(k, detail::without_interval(Status::undefined, 0, 0, why));
  out.warnings.emplace_back(why);
  return out;
}

Estimate by_normal(double value, double se, int n_units) {
  Estimate estimate;
  estimate.value = value;
  estimate.se = se;
  estimate.n_units = n_units;
  const double half95 = detail::normal_quantile(0.975) * se;
  const double half90 = detail::normal_quantile(0.95) * se;
  estimate.ci95 = {value - half95, value + half95};
  estimate.ci90 = {value - half90, value + half90};
  estimate.p = se > 0 ? std::min(1.0, 2 * detail::normal_tail(std::abs(value) / se)) : 1;
  return detail::settled(std::move(estimate));
}

constexpr const char* kNoMaximum = "no finite maximum: no mixed answers join all items";

Rasch fit(const std::vector<std::size_t>& kept, std::size_t n_items, const Values& totals,
          const Values& counts) {
  const auto k = static_cast<Eigen::Index>(kept.size());
  double informative = 0;
  for (std::size_t r = 1; r < kept.size(); ++r) informative += counts[r];
  if (kept.size() < 2)
    return not_defined(n_items, "fewer than two items that were not answered alike by all");
  if (informative == 0) return not_defined(n_items, "no person with some, but not all, answers right");
  const Eigen::MatrixXd level = Eigen::MatrixXd::Constant(k, k, 1.0 / static_cast<double>(k));
  Eigen::VectorXd at = Eigen::VectorXd::Zero(k);
  Look here = look(at, totals, counts);
  bool done = false;
  for (int step = 0; step < kMostSteps && !done; ++step) {
    const Eigen::VectorXd move = (here.information + level).ldlt().solve(here.gradient);
    double scale = std::min(1.0, 2 / std::max(1e-300, move.lpNorm<Eigen::Infinity>()));
    Eigen::VectorXd next = at + scale * move;
    Look there = look(next, totals, counts);
    while (scale > 1e-8 && !(there.value >= here.value - 1e-12 * std::abs(here.value))) {
      scale /= 2;
      next = at + scale * move;
      there = look(next, totals, counts);
    }
    at = next.array() - next.mean();
    here = std::move(there);
    done = scale * move.lpNorm<Eigen::Infinity>() < kConverged;
    if (!at.allFinite() || at.lpNorm<Eigen::Infinity>() > kTooFar) break;
  }
  if (!done) return not_defined(n_items, kNoMaximum);
  const Eigen::MatrixXd covariance = (here.information + level).inverse() - level;
  Rasch out;
  out.n_persons = detail::as_units(informative);
  out.log_likelihood = here.value;
  out.easiness.assign(n_items,
                      detail::without_interval(Status::undefined, 0, 0, "all persons answered alike"));
  for (Eigen::Index i = 0; i < k; ++i)
    out.easiness[kept[static_cast<std::size_t>(i)]] =
        by_normal(at[i], std::sqrt(std::max(0.0, covariance(i, i))), out.n_persons);
  for (Eigen::Index r = 0; r <= k; ++r) out.ability.push_back(warm(at, static_cast<double>(r)));
  if (kept.size() < n_items) {
    out.status = Status::flagged;
    out.warnings.emplace_back(std::to_string(n_items - kept.size()) +
                              " items were answered alike by all and left out");
  }
  return out;
}

// Can every item be reached from every other along "right here, wrong there"? Items all answered alike do not
// count.
bool joined(const Numbers& answers, std::span<const long> totals) {
  const auto mixed = [&](std::size_t i) { return totals[i] > 0 && totals[i] < static_cast<long>(answers.n); };
  std::vector<Meeting> meetings;
  int n_kept = 0;
  for (std::size_t i = 0; i < answers.d; ++i) {
    if (!mixed(i)) continue;
    int place = 0;
    for (std::size_t j = 0; j < i; ++j) {
      if (!mixed(j)) continue;
      Meeting m{n_kept, place++, 0, 0, 0};
      for (std::size_t n = 0; n < answers.n; ++n) {
        const double lead = answers.row(n)[i] - answers.row(n)[j];
        (lead > 0 ? m.first_wins : m.second_wins) += std::abs(lead);
      }
      meetings.push_back(m);
    }
    ++n_kept;
  }
  const auto component = win_components(meetings, n_kept, false);
  return std::all_of(component.begin(), component.end(), [](int c) { return c == 0; });
}

}  // namespace

Rasch rasch_of_totals(std::span<const long> item_totals, std::span<const long> score_counts) {
  const std::size_t k = item_totals.size();
  require(score_counts.size() == k + 1, "k items have k + 1 possible scores");
  require(std::all_of(score_counts.begin(), score_counts.end(), [](long n) { return n >= 0; }),
          "counts are 0 or more");
  long persons = 0;
  long right = 0;
  for (std::size_t r = 0; r <= k; ++r) {
    persons += score_counts[r];
    right += static_cast<long>(r) * score_counts[r];
  }
  std::vector<std::size_t> kept;
  Values totals;
  std::size_t all_right = 0;
  for (std::size_t i = 0; i < k; ++i) {
    require(item_totals[i] >= 0 && item_totals[i] <= persons, "an item is right between no and all times");
    right -= item_totals[i];
    if (item_totals[i] == 0 || item_totals[i] == persons) {
      all_right += item_totals[i] == persons && persons > 0 ? 1 : 0;
      continue;
    }
    kept.push_back(i);
    totals.push_back(static_cast<double>(item_totals[i]));
  }
  require(right == 0, "items and scores count the same right answers");
  Values counts(kept.size() + 1);  // an item all had right lowers every score by one
  for (std::size_t r = 0; r < counts.size(); ++r)
    counts[r] = static_cast<double>(score_counts[r + all_right]);
  return fit(kept, k, totals, counts);
}

Rasch rasch(const Numbers& answers) {
  std::vector<long> totals(answers.d);
  std::vector<long> counts(answers.d + 1);
  for (std::size_t n = 0; n < answers.n; ++n) {
    std::size_t score = 0;
    for (std::size_t i = 0; i < answers.d; ++i) {
      const double x = answers.row(n)[i];
      require(x == 0 || x == 1, "an answer is 0 or 1");
      totals[i] += x == 1 ? 1 : 0;
      score += x == 1 ? 1 : 0;
    }
    ++counts[score];
  }
  const Rasch found = rasch_of_totals(totals, counts);
  return found.status != Status::undefined && !joined(answers, totals) ? not_defined(answers.d, kNoMaximum)
                                                                       : found;
}

}  // namespace sonder::stats
