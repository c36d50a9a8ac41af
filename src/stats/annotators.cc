#include "stats/annotators.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "stats/detail/draw.h"
#include "stats/detail/numbers.h"

namespace sonder::stats {
namespace {

constexpr int kMostSteps = 5000;
constexpr double kSettled = 1e-10;  // largest change of a posterior
constexpr double kNever = -std::numeric_limits<double>::infinity();

// Labels in the order of items, so that a step walks the memory once.
struct ByItem {
  struct Vote {
    std::uint32_t judge = 0, label = 0;
  };
  std::vector<Vote> votes;
  std::vector<std::size_t> first;  // [n items + 1]
  std::vector<double> of_judge;    // [n judges] labels
  std::size_t q = 0;

  std::size_t items() const { return first.size() - 1; }
  std::size_t judges() const { return of_judge.size(); }
};

ByItem by_item(std::span<const Label> labels, Sizes sizes) {
  require(sizes.n_items >= 0 && sizes.n_judges >= 0 && sizes.n_labels >= 0, "sizes are 0 or more");
  ByItem data;
  data.q = static_cast<std::size_t>(sizes.n_labels);
  data.first.assign(static_cast<std::size_t>(sizes.n_items) + 1, 0);
  data.of_judge.assign(static_cast<std::size_t>(sizes.n_judges), 0);
  for (const Label& l : labels) {
    require(l.item >= 0 && l.item < sizes.n_items && l.judge >= 0 && l.judge < sizes.n_judges &&
                l.label >= 0 && l.label < sizes.n_labels,
            "items, judges and labels are numbered from 0 to one below their number");
    ++data.first[static_cast<std::size_t>(l.item) + 1];
    ++data.of_judge[static_cast<std::size_t>(l.judge)];
  }
  std::partial_sum(data.first.begin(), data.first.end(), data.first.begin());
  std::vector<std::size_t> next(data.first.begin(), data.first.end() - 1);
  data.votes.resize(labels.size());
  for (const Label& l : labels)
    data.votes[next[static_cast<std::size_t>(l.item)]++] = {static_cast<std::uint32_t>(l.judge),
                                                            static_cast<std::uint32_t>(l.label)};
  // The order of rows must not show in the last digit.
  for (std::size_t i = 0; i < data.items(); ++i)
    std::sort(data.votes.begin() + static_cast<std::ptrdiff_t>(data.first[i]),
              data.votes.begin() + static_cast<std::ptrdiff_t>(data.first[i + 1]),
              [](const auto& a, const auto& b) { return std::pair(a.judge, a.label) < std::pair(b.judge, b.label); });
  return data;
}

// weight: how often each item counts (a resample); empty: once.
double weight_of(std::span<const double> weight, std::size_t i) { return weight.empty() ? 1.0 : weight[i]; }

Numbers vote_shares(const ByItem& data) {
  Numbers truth(data.items(), data.q);
  for (std::size_t i = 0; i < data.items(); ++i) {
    const auto n = static_cast<double>(data.first[i + 1] - data.first[i]);
    for (std::size_t v = data.first[i]; v < data.first[i + 1]; ++v) truth.row(i)[data.votes[v].label] += 1 / n;
  }
  return truth;
}

// log-weights → probabilities in place; the log of their sum.
double normalise(std::span<double> logs) {
  const double top = *std::max_element(logs.begin(), logs.end());
  double total = 0;
  for (double& x : logs) total += x = std::exp(x - top);
  for (double& x : logs) x /= total;
  return top + std::log(total);
}

// Flags and the last touches that both models share; false when there is nothing to fit.
bool begin(const ByItem& data, Annotation& out) {
  for (std::size_t i = 0; i < data.items(); ++i) out.n_units += data.first[i + 1] > data.first[i] ? 1 : 0;
  if (data.votes.empty()) {
    out.status = Status::undefined;
    out.warnings.emplace_back("there are no labels");
    out.truth = Numbers(data.items(), data.q);
    out.best.assign(data.items(), 0);
    out.share.assign(data.q, 0);
    return false;
  }
  const auto flag = [&](bool when, const char* why) {
    if (!when) return;
    out.status = Status::flagged;
    out.warnings.emplace_back(why);
  };
  const auto idle = std::count(data.of_judge.begin(), data.of_judge.end(), 0.0);
  flag(static_cast<std::size_t>(out.n_units) < data.items(), "some items have no label: nothing is known of them");
  flag(idle > 0, "judges without labels were left out");
  flag(data.judges() - static_cast<std::size_t>(idle) < 2,
       "one judge alone: nothing tells the judge from the truth");
  return true;
}

void finish(const ByItem& data, bool settled, Annotation& out) {
  for (std::size_t i = 0; i < data.items(); ++i) {
    const auto row = out.truth.row(i);
    if (data.first[i] == data.first[i + 1]) std::copy(out.share.begin(), out.share.end(), row.begin());
    out.best.push_back(static_cast<int>(std::max_element(row.begin(), row.end()) - row.begin()));
  }
  if (settled) return;
  out.status = Status::flagged;
  out.warnings.emplace_back("EM had not settled");
}

// [judges × label × truth]: the truths of one vote lie side by side.
struct Confusion {
  std::size_t q;
  std::vector<double> cell;
  std::span<double> at(std::size_t judge, std::size_t label) {
    return std::span<double>(cell).subspan((judge * q + label) * q, q);
  }
};

// M step: counts of votes by posterior, normalised over labels; logs of them in `logs`.
void count_votes(const ByItem& data, const Numbers& truth, std::span<const double> weight, double smoothing,
                 Confusion& counts, Confusion& logs) {
  std::fill(counts.cell.begin(), counts.cell.end(), smoothing);
  for (std::size_t i = 0; i < data.items(); ++i) {
    const double w = weight_of(weight, i);
    if (w == 0) continue;
    const auto row = truth.row(i);
    for (std::size_t v = data.first[i]; v < data.first[i + 1]; ++v) {
      const auto to = counts.at(data.votes[v].judge, data.votes[v].label);
      for (std::size_t k = 0; k < data.q; ++k) to[k] += w * row[k];
    }
  }
  std::vector<double> total(data.q);
  for (std::size_t j = 0; j < data.judges(); ++j) {
    std::fill(total.begin(), total.end(), 0.0);
    for (std::size_t l = 0; l < data.q; ++l) {
      for (std::size_t k = 0; k < data.q; ++k) total[k] += counts.at(j, l)[k];
    }
    for (std::size_t l = 0; l < data.q; ++l) {
      for (std::size_t k = 0; k < data.q; ++k) {
        double& x = counts.at(j, l)[k];
        if (total[k] > 0) x /= total[k];
        logs.at(j, l)[k] = x > 0 ? std::log(x) : kNever;
      }
    }
  }
}

struct Em {
  Numbers truth;
  std::vector<double> share;
  Confusion confusion;
  double log_likelihood = 0;
  int n_steps = 0;
  bool settled = false;
};

Em run_dawid_skene(const ByItem& data, std::span<const double> weight, double smoothing) {
  const std::size_t cells = data.judges() * data.q * data.q;
  Em em{vote_shares(data), std::vector<double>(data.q), {data.q, std::vector<double>(cells)}, 0, 0, false};
  Confusion logs = em.confusion;
  std::vector<double> posterior(data.q);
  while (!em.settled && em.n_steps < kMostSteps) {
    ++em.n_steps;
    count_votes(data, em.truth, weight, smoothing, em.confusion, logs);
    std::fill(em.share.begin(), em.share.end(), 0.0);
    double n = 0;
    for (std::size_t i = 0; i < data.items(); ++i) {
      if (data.first[i] == data.first[i + 1]) continue;
      n += weight_of(weight, i);
      for (std::size_t k = 0; k < data.q; ++k) em.share[k] += weight_of(weight, i) * em.truth.row(i)[k];
    }
    std::vector<double> prior(data.q);
    for (std::size_t k = 0; k < data.q; ++k) {
      em.share[k] /= n;
      prior[k] = em.share[k] > 0 ? std::log(em.share[k]) : kNever;
    }
    double moved = 0;
    em.log_likelihood = 0;
    for (std::size_t i = 0; i < data.items(); ++i) {
      const double w = weight_of(weight, i);
      if (data.first[i] == data.first[i + 1] || w == 0) continue;
      posterior = prior;
      for (std::size_t v = data.first[i]; v < data.first[i + 1]; ++v) {
        const auto of = logs.at(data.votes[v].judge, data.votes[v].label);
        for (std::size_t k = 0; k < data.q; ++k) posterior[k] += of[k];
      }
      em.log_likelihood += w * normalise(posterior);
      const auto row = em.truth.row(i);
      for (std::size_t k = 0; k < data.q; ++k) {
        moved = std::max(moved, std::abs(row[k] - posterior[k]));
        row[k] = posterior[k];
      }
    }
    em.settled = moved < kSettled;
  }
  return em;
}

}  // namespace

DawidSkene dawid_skene(std::span<const Label> labels, Sizes sizes, double smoothing) {
  require(std::isfinite(smoothing) && smoothing >= 0, "smoothing is 0 or more");
  const ByItem data = by_item(labels, sizes);
  DawidSkene out;
  if (!begin(data, out)) return out;
  Em em = run_dawid_skene(data, {}, smoothing);
  out.truth = std::move(em.truth);
  out.share = std::move(em.share);
  out.log_likelihood = em.log_likelihood;
  out.n_steps = em.n_steps;
  for (std::size_t j = 0; j < data.judges(); ++j) {
    Numbers table(data.q, data.q);
    for (std::size_t l = 0; l < data.q && data.of_judge[j] > 0; ++l) {
      for (std::size_t k = 0; k < data.q; ++k) table.row(k)[l] = em.confusion.at(j, l)[k];
    }
    out.confusion.push_back(std::move(table));
  }
  finish(data, em.settled, out);
  return out;
}

std::vector<Estimate> dawid_skene_shares(std::span<const Label> labels, Sizes sizes, Seed seed, int draws,
                                         double smoothing) {
  require(draws >= 1, "a bootstrap needs at least one draw");
  require(std::isfinite(smoothing) && smoothing >= 0, "smoothing is 0 or more");
  const ByItem data = by_item(labels, sizes);
  Annotation seen;
  std::vector<Estimate> out(data.q);
  const bool any = begin(data, seen);
  const Em fitted = any ? run_dawid_skene(data, {}, smoothing) : Em{{}, {}, {0, {}}, 0, 0, true};
  if (seen.n_units < 10) {
    for (std::size_t k = 0; k < data.q; ++k)
      out[k] = detail::without_interval(any ? Status::refused : Status::undefined, any ? fitted.share[k] : 0,
                                        seen.n_units, "an interval over items needs ten of them", {0, 1});
    return out;
  }
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < data.items(); ++i) {
    if (data.first[i] < data.first[i + 1]) used.push_back(i);
  }
  std::vector<std::vector<double>> drawn(data.q);
  for (int b = 0; b < draws; ++b) {
    Stream stream(seed.child(static_cast<std::uint64_t>(b)));
    std::vector<double> weight(data.items());
    for (std::size_t i = 0; i < used.size(); ++i)
      weight[used[detail::index_below(stream, static_cast<std::uint32_t>(used.size()))]] += 1;
    const Em em = run_dawid_skene(data, weight, smoothing);
    for (std::size_t k = 0; k < data.q; ++k) drawn[k].push_back(em.share[k]);
  }
  for (std::size_t k = 0; k < data.q; ++k) {
    std::sort(drawn[k].begin(), drawn[k].end());
    Estimate& share = out[k];
    share.value = fitted.share[k];
    share.n_units = seen.n_units;
    share.se = std::sqrt(detail::variance(drawn[k]));
    share.ci95 = {detail::sorted_quantile(drawn[k], 0.025), detail::sorted_quantile(drawn[k], 0.975)};
    share.ci90 = {detail::sorted_quantile(drawn[k], 0.05), detail::sorted_quantile(drawn[k], 0.95)};
    const double null = 1 / static_cast<double>(data.q);
    const auto tail = std::min(
        std::count_if(drawn[k].begin(), drawn[k].end(), [&](double x) { return x <= null; }),
        std::count_if(drawn[k].begin(), drawn[k].end(), [&](double x) { return x >= null; }));
    share.p = std::min(1.0, 2 * static_cast<double>(tail + 1) / (draws + 1));
    for (const std::string& warning : seen.warnings) detail::flag(share, warning);
    if (share.se == 0) detail::flag(share, "every resample gives the same share");
  }
  return out;
}

Mace mace(std::span<const Label> labels, Sizes sizes, double smoothing) {
  require(std::isfinite(smoothing), "smoothing is a number");
  const ByItem data = by_item(labels, sizes);
  Mace out;
  out.competence.assign(data.judges(), 0);
  out.habit = Numbers(data.judges(), data.q);
  if (!begin(data, out)) return out;
  const auto q = static_cast<double>(data.q);
  const double added = smoothing < 0 ? 0.01 / q : smoothing;
  out.truth = vote_shares(data);
  out.share.assign(data.q, 0);
  std::vector<double> knew(data.judges());
  Numbers habits(data.judges(), data.q);
  std::vector<double> posterior(data.q);
  // Before the first step a judge who is right by the votes knew it half of the time.
  std::fill(out.competence.begin(), out.competence.end(), 0.5);
  std::fill(out.habit.data.begin(), out.habit.data.end(), 1 / q);
  bool settled = false;
  while (!settled && out.n_steps < kMostSteps) {
    ++out.n_steps;
    std::fill(knew.begin(), knew.end(), added);
    std::fill(habits.data.begin(), habits.data.end(), added);
    for (std::size_t i = 0; i < data.items(); ++i) {
      for (std::size_t v = data.first[i]; v < data.first[i + 1]; ++v) {
        const auto [j, l] = data.votes[v];
        const double both = out.competence[j] + (1 - out.competence[j]) * out.habit.row(j)[l];
        const double known = both > 0 ? out.truth.row(i)[l] * out.competence[j] / both : 0;
        knew[j] += known;
        habits.row(j)[l] += 1 - known;
      }
    }
    for (std::size_t j = 0; j < data.judges(); ++j) {
      const auto habit = habits.row(j);
      const double total = detail::sum(habit);
      out.competence[j] = data.of_judge[j] > 0 ? knew[j] / (data.of_judge[j] + 2 * added) : 0;
      for (std::size_t l = 0; l < data.q; ++l) out.habit.row(j)[l] = total > 0 ? habit[l] / total : 1 / q;
    }
    double moved = 0;
    out.log_likelihood = 0;
    for (std::size_t i = 0; i < data.items(); ++i) {
      if (data.first[i] == data.first[i + 1]) continue;
      std::fill(posterior.begin(), posterior.end(), -std::log(q));
      for (std::size_t v = data.first[i]; v < data.first[i + 1]; ++v) {
        const auto [j, l] = data.votes[v];
        const double guess = (1 - out.competence[j]) * out.habit.row(j)[l];
        const double other = guess > 0 ? std::log(guess) : kNever;
        const double right = out.competence[j] + guess;
        for (std::size_t k = 0; k < data.q; ++k)
          posterior[k] += k == l ? (right > 0 ? std::log(right) : kNever) : other;
      }
      // Two judges who never guess and differ leave no truth possible.
      if (*std::max_element(posterior.begin(), posterior.end()) == kNever)
        std::fill(posterior.begin(), posterior.end(), -std::log(q));
      out.log_likelihood += normalise(posterior);
      const auto row = out.truth.row(i);
      for (std::size_t k = 0; k < data.q; ++k) {
        moved = std::max(moved, std::abs(row[k] - posterior[k]));
        row[k] = posterior[k];
      }
    }
    settled = moved < kSettled;
  }
  for (std::size_t i = 0; i < data.items(); ++i) {
    if (data.first[i] == data.first[i + 1]) continue;
    for (std::size_t k = 0; k < data.q; ++k) out.share[k] += out.truth.row(i)[k] / out.n_units;
  }
  finish(data, settled, out);
  return out;
}

double effective_judges(int k, double mean_correlation) {
  require(k >= 1 && std::isfinite(mean_correlation) && mean_correlation <= 1 &&
              1 + (k - 1) * mean_correlation > 0,
          "at least one judge, and a correlation between -1 / (k - 1) and 1");
  return k / (1 + (k - 1) * mean_correlation);
}

}  // namespace sonder::stats
