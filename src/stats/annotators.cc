#include "stats/annotators.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "stats/detail/draw.h"
#include "stats/detail/numbers.h"
#include "stats/detail/scaled.h"
#include "stats/detail/votes.h"

namespace sonder::stats {
namespace {

using detail::Votes;

double log_or_nothing(double p) { return p > 0 ? std::log(p) : -std::numeric_limits<double>::infinity(); }

// Dawid and Skene's parameters and posterior. confusion is [annotator][label][truth], so that one vote adds a
// whole row.
class Em {
 public:
  Em(const Votes& votes, const EmOptions& options)
      : votes_(votes),
        options_(options),
        posterior_(detail::vote_shares(votes)),
        prevalence_(votes.k),
        confusion_(votes.annotators.size() * votes.k * votes.k),
        log_confusion_(confusion_.size()),
        times_(votes.items.size(), 1.0) {}

  // Item i counts times[i] times.
  void weigh(std::vector<double> times) { times_ = std::move(times); }
  void start_from(const Em& other) { posterior_ = other.posterior_; }

  // Until nothing moves any more; false when the steps ran out.
  bool run() {
    for (steps_ = 1; steps_ <= options_.most_steps; ++steps_) {
      maximise();
      if (expect() < options_.tolerance) return true;
    }
    steps_ = options_.most_steps;
    return false;
  }

  double log_likelihood() const { return log_likelihood_; }
  int steps() const { return steps_; }
  const std::vector<double>& prevalence() const { return prevalence_; }
  const Numbers& posterior() const { return posterior_; }

  std::vector<Numbers> confusion() const {
    const std::size_t k = votes_.k;
    std::vector<Numbers> out;
    for (std::size_t a = 0; a < votes_.annotators.size(); ++a) {
      Numbers own(k, k);
      for (std::size_t label = 0; label < k; ++label) {
        for (std::size_t truth = 0; truth < k; ++truth)
          own.row(truth)[label] = confusion_[(a * k + label) * k + truth];
      }
      out.push_back(std::move(own));
    }
    return out;
  }

 private:
  void maximise() {
    const std::size_t k = votes_.k;
    std::fill(prevalence_.begin(), prevalence_.end(), options_.smoothing);
    std::fill(confusion_.begin(), confusion_.end(), options_.smoothing);
    for (std::size_t i = 0; i < votes_.items.size(); ++i) {
      if (times_[i] == 0) continue;
      const auto belief = posterior_.row(i);
      for (std::size_t t = 0; t < k; ++t) prevalence_[t] += times_[i] * belief[t];
      for (const auto& vote : votes_.of(i)) {
        double* cell = &confusion_[(vote.annotator * k + vote.category) * k];
        for (std::size_t t = 0; t < k; ++t) cell[t] += times_[i] * belief[t];
      }
    }
    const double all = detail::sum(prevalence_);
    for (double& p : prevalence_) p /= all;
    for (std::size_t a = 0; a < votes_.annotators.size(); ++a) {
      double* own = &confusion_[a * k * k];
      for (std::size_t t = 0; t < k; ++t) {
        double total = 0;
        for (std::size_t label = 0; label < k; ++label) total += own[label * k + t];
        for (std::size_t label = 0; label < k && total > 0; ++label) own[label * k + t] /= total;
      }
    }
  }

  // The largest change of a belief.
  double expect() {
    const std::size_t k = votes_.k;
    std::transform(confusion_.begin(), confusion_.end(), log_confusion_.begin(), log_or_nothing);
    std::vector<double> log_prevalence(k);
    std::transform(prevalence_.begin(), prevalence_.end(), log_prevalence.begin(), log_or_nothing);
    std::vector<double> belief(k);
    double change = 0;
    log_likelihood_ = 0;
    for (std::size_t i = 0; i < votes_.items.size(); ++i) {
      if (times_[i] == 0) continue;
      belief = log_prevalence;
      for (const auto& vote : votes_.of(i)) {
        const double* cell = &log_confusion_[(vote.annotator * k + vote.category) * k];
        for (std::size_t t = 0; t < k; ++t) belief[t] += cell[t];
      }
      log_likelihood_ += times_[i] * detail::normalise(belief);
      const auto old = posterior_.row(i);
      for (std::size_t t = 0; t < k; ++t) {
        change = std::max(change, std::abs(belief[t] - old[t]));
        old[t] = belief[t];
      }
    }
    return change;
  }

  const Votes& votes_;
  EmOptions options_;
  Numbers posterior_;
  std::vector<double> prevalence_;
  std::vector<double> confusion_, log_confusion_;
  std::vector<double> times_;
  double log_likelihood_ = 0;
  int steps_ = 0;
};

void require_options(const EmOptions& options) {
  require(options.most_steps >= 1 && options.tolerance > 0 && options.smoothing >= 0,
          "EM takes at least one step, a tolerance above 0 and a smoothing of 0 or more");
}

Estimate with_draws(double value, std::span<double> drawn, int n_units) {
  Estimate estimate;
  estimate.value = value;
  estimate.n_units = n_units;
  estimate.se = std::sqrt(detail::variance(drawn));
  std::sort(drawn.begin(), drawn.end());
  estimate.ci95 = {detail::sorted_quantile(drawn, 0.025), detail::sorted_quantile(drawn, 0.975)};
  estimate.ci90 = {detail::sorted_quantile(drawn, 0.05), detail::sorted_quantile(drawn, 0.95)};
  if (n_units < 10) detail::flag(estimate, "fewer than 10 items: the bootstrap interval is too short");
  return estimate;
}

}  // namespace

int LabelModel::best(std::size_t item) const {
  require(item < posterior.n, "an item is one of those labelled");
  const auto row = posterior.row(item);
  return static_cast<int>(std::max_element(row.begin(), row.end()) - row.begin());
}

DawidSkene dawid_skene(std::span<const Label> labels, int n_categories, EmOptions options) {
  require_options(options);
  const Votes votes = detail::gather(labels, n_categories);
  DawidSkene out;
  detail::begin(out, votes);
  if (labels.empty()) {
    out.prevalence.assign(votes.k, 1.0 / static_cast<double>(votes.k));
    return out;
  }
  Em em(votes, options);
  if (!em.run()) detail::flag(out, "the largest number of steps was reached before the fit settled");
  out.prevalence = em.prevalence();
  out.confusion = em.confusion();
  out.posterior = em.posterior();
  out.log_likelihood = em.log_likelihood();
  out.steps = em.steps();
  if (votes.annotators.size() < 2) detail::flag(out, "with one annotator the truth is what she says");
  if (labels.size() < 3 * votes.items.size())
    detail::flag(out, "fewer than three labels per item: the truth is barely identified");
  if (n_categories > 2)
    out.warnings.emplace_back("with more than two categories judges alone do not identify the truth");
  return out;
}

std::vector<Estimate> dawid_skene_prevalence(std::span<const Label> labels, int n_categories, Seed seed,
                                             int draws, EmOptions options) {
  require_options(options);
  require(draws >= 1, "a bootstrap needs at least one draw");
  const Votes votes = detail::gather(labels, n_categories);
  const std::size_t n = votes.items.size();
  const int n_units = static_cast<int>(n);
  if (n == 0) {
    const double even = 1.0 / static_cast<double>(votes.k);
    return std::vector<Estimate>(votes.k,
                                 detail::without_interval(Status::undefined, even, 0, "no labels", {0, 1}));
  }
  Em whole(votes, options);
  const bool settled = whole.run();
  if (n < 2) {
    std::vector<Estimate> out;
    for (const double p : whole.prevalence())
      out.push_back(
          detail::without_interval(Status::refused, p, n_units, "a bootstrap needs two items", {0, 1}));
    return out;
  }
  Numbers drawn(votes.k, static_cast<std::size_t>(draws));
  for (int b = 0; b < draws; ++b) {
    Stream stream(seed.child(static_cast<std::uint64_t>(b)));
    std::vector<double> times(n);
    for (std::size_t i = 0; i < n; ++i)
      times[detail::index_below(stream, static_cast<std::uint32_t>(n))] += 1;
    Em em(votes, options);
    em.start_from(whole);
    em.weigh(std::move(times));
    em.run();
    for (std::size_t t = 0; t < votes.k; ++t) drawn.row(t)[static_cast<std::size_t>(b)] = em.prevalence()[t];
  }
  std::vector<Estimate> out;
  for (std::size_t t = 0; t < votes.k; ++t) {
    out.push_back(with_draws(whole.prevalence()[t], drawn.row(t), n_units));
    if (!settled) detail::flag(out.back(), "the largest number of steps was reached before the fit settled");
  }
  return out;
}

PanelSize effective_judges(const Numbers& errors) {
  detail::require_finite(errors.data, "errors");
  const auto k = static_cast<double>(errors.d);
  std::vector<std::vector<double>> judge(errors.d, std::vector<double>(errors.n));
  for (std::size_t i = 0; i < errors.n; ++i) {
    for (std::size_t j = 0; j < errors.d; ++j) judge[j][i] = errors.row(i)[j];
  }
  for (auto& own : judge) own = detail::scaled(own).x;
  double total = 0;
  double pairs = 0;
  for (std::size_t a = 0; a < errors.d; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const double spread = std::sqrt(detail::variance(judge[a])) * std::sqrt(detail::variance(judge[b]));
      if (!(spread > 0)) continue;
      total += std::clamp(detail::covariance(judge[a], judge[b]) / spread, -1.0, 1.0);
      pairs += 1;
    }
  }
  if (pairs == 0) return {k, 0};
  const double r = total / pairs;
  return {k / (1 + (k - 1) * std::max(0.0, r)), r};
}

}  // namespace sonder::stats
