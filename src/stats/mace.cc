// MACE: the part of annotators.h in which an annotator knows or spams.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stats/annotators.h"
#include "stats/detail/numbers.h"
#include "stats/detail/votes.h"

namespace sonder::stats {
namespace {

using detail::Votes;

struct Fit {
  std::vector<double> competence;
  Numbers spam;
  Numbers posterior;
  double log_likelihood = -std::numeric_limits<double>::infinity();
  int steps = 0;
  bool settled = false;
};

double log_or_nothing(double p) { return p > 0 ? std::log(p) : -std::numeric_limits<double>::infinity(); }

// One step; returns the largest change of a parameter.
double step(const Votes& votes, double smoothing, Fit& fit) {
  const std::size_t k = votes.k;
  const std::size_t n_annotators = votes.annotators.size();
  std::vector<double> knew(n_annotators, smoothing);
  std::vector<double> spammed(n_annotators, smoothing);
  Numbers spam(n_annotators, k);
  std::fill(spam.data.begin(), spam.data.end(), smoothing);
  const double log_uniform = -std::log(static_cast<double>(k));
  Numbers log_other(n_annotators, k);  // of a label under another truth: only by chance
  Numbers log_same(n_annotators, k);   // under its own truth
  for (std::size_t a = 0; a < n_annotators; ++a) {
    for (std::size_t label = 0; label < k; ++label) {
      const double by_chance = (1 - fit.competence[a]) * fit.spam.row(a)[label];
      log_other.row(a)[label] = log_or_nothing(by_chance);
      log_same.row(a)[label] = log_or_nothing(by_chance + fit.competence[a]);
    }
  }
  fit.log_likelihood = 0;
  for (std::size_t i = 0; i < votes.items.size(); ++i) {
    const auto belief = fit.posterior.row(i);
    std::fill(belief.begin(), belief.end(), log_uniform);
    for (const auto& vote : votes.of(i)) {
      const double other = log_other.row(vote.annotator)[vote.category];
      const double own = belief[vote.category] + log_same.row(vote.annotator)[vote.category];
      for (double& x : belief) x += other;
      belief[vote.category] = own;
    }
    fit.log_likelihood += detail::normalise(belief);
    for (const auto& vote : votes.of(i)) {
      const double competence = fit.competence[vote.annotator];
      const double by_chance = (1 - competence) * fit.spam.row(vote.annotator)[vote.category];
      const double both = competence + by_chance;
      const double known = both > 0 ? belief[vote.category] * competence / both : 0;
      knew[vote.annotator] += known;
      spammed[vote.annotator] += 1 - known;
      spam.row(vote.annotator)[vote.category] += 1 - known;
    }
  }
  double change = 0;
  for (std::size_t a = 0; a < n_annotators; ++a) {
    const double all = knew[a] + spammed[a];
    const double competence = all > 0 ? knew[a] / all : 0;
    change = std::max(change, std::abs(competence - fit.competence[a]));
    fit.competence[a] = competence;
    const double total = detail::sum(spam.row(a));
    for (std::size_t t = 0; t < k; ++t) {
      const double share = total > 0 ? spam.row(a)[t] / total : 1 / static_cast<double>(k);
      change = std::max(change, std::abs(share - fit.spam.row(a)[t]));
      fit.spam.row(a)[t] = share;
    }
  }
  return change;
}

Fit from_votes(const Votes& votes) {
  const std::size_t n_annotators = votes.annotators.size();
  Fit fit{std::vector<double>(n_annotators, 0.5), Numbers(n_annotators, votes.k), detail::vote_shares(votes)};
  std::fill(fit.spam.data.begin(), fit.spam.data.end(), 1 / static_cast<double>(votes.k));
  std::vector<double> agree(n_annotators);
  std::vector<double> given(n_annotators);
  for (std::size_t i = 0; i < votes.items.size(); ++i) {
    for (const auto& vote : votes.of(i)) {
      agree[vote.annotator] += fit.posterior.row(i)[vote.category];
      given[vote.annotator] += 1;
    }
  }
  for (std::size_t a = 0; a < n_annotators; ++a)
    fit.competence[a] = std::clamp(agree[a] / std::max(1.0, given[a]), 0.05, 0.95);
  return fit;
}

Fit random(const Votes& votes, Seed seed) {
  Stream stream(seed);
  Fit fit = from_votes(votes);
  for (double& competence : fit.competence) competence = 0.05 + 0.9 * stream.uniform();
  for (std::size_t a = 0; a < fit.spam.n; ++a) {
    double total = 0;
    for (double& share : fit.spam.row(a)) total += share = 0.1 + stream.uniform();
    for (double& share : fit.spam.row(a)) share /= total;
  }
  return fit;
}

}  // namespace

Mace mace(std::span<const Label> labels, int n_categories, Seed seed, const MaceOptions& options) {
  require(options.starts >= 1 && options.em.most_steps >= 1 && options.em.tolerance > 0 &&
              options.em.smoothing >= 0,
          "MACE takes at least one start and one step, a tolerance above 0 and a smoothing of 0 or more");
  const Votes votes = detail::gather(labels, n_categories);
  Mace out;
  detail::begin(out, votes);
  if (labels.empty()) return out;
  Fit best;
  for (int start = 0; start < options.starts; ++start) {
    Fit fit = start == 0 ? from_votes(votes) : random(votes, seed.child(static_cast<std::uint64_t>(start)));
    for (fit.steps = 1; fit.steps < options.em.most_steps && !fit.settled; ++fit.steps)
      fit.settled = step(votes, options.em.smoothing, fit) < options.em.tolerance;
    if (start == 0 || fit.log_likelihood > best.log_likelihood) best = std::move(fit);
  }
  out.competence = std::move(best.competence);
  out.spam = std::move(best.spam);
  out.posterior = std::move(best.posterior);
  out.log_likelihood = best.log_likelihood;
  out.steps = best.steps;
  if (!best.settled) detail::flag(out, "the largest number of steps was reached before the fit settled");
  if (votes.annotators.size() < 3)
    detail::flag(out, "with fewer than three annotators competence is barely identified");
  return out;
}

}  // namespace sonder::stats
