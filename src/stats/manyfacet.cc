// The many-facet model: the part of rasch.h about judges.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "stats/detail/numbers.h"
#include "stats/rasch.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;

constexpr int kMostSteps = 2000;
constexpr double kConverged = 1e-8;  // logits
constexpr std::size_t kText = 0;
constexpr std::size_t kFacets = 3;

struct Facet {
  std::vector<int> ids;    // rising
  Values measure;          // + for texts, - for criteria and judges in the model
  std::vector<char> kept;  // has a finite measure
};

struct Score {
  std::array<std::size_t, kFacets> of{};
  int score = 0;
  bool kept = true;
};

double sign_of(std::size_t facet) { return facet == kText ? 1 : -1; }

// Probabilities of 0..M, and from them the mean and variance of a score.
struct Moments {
  double mean = 0, variance = 0;
};
Moments moments_of(double location, const Values& steps, Values& p) {
  p.assign(steps.size() + 1, 0.0);
  for (std::size_t k = 0; k < steps.size(); ++k) p[k + 1] = p[k] + location - steps[k];
  const double top = *std::max_element(p.begin(), p.end());
  double all = 0;
  for (double& x : p) all += x = std::exp(x - top);
  Moments m;
  for (std::size_t k = 0; k < p.size(); ++k) {
    p[k] /= all;
    m.mean += static_cast<double>(k) * p[k];
  }
  for (std::size_t k = 0; k < p.size(); ++k)
    m.variance += (static_cast<double>(k) - m.mean) * (static_cast<double>(k) - m.mean) * p[k];
  return m;
}

class Model {
 public:
  Model(std::span<const FacetScore> scores, int n_steps) : steps_(static_cast<std::size_t>(n_steps)) {
    for (const FacetScore& s : scores) {
      facets_[0].ids.push_back(s.text);
      facets_[1].ids.push_back(s.criterion);
      facets_[2].ids.push_back(s.judge);
    }
    for (Facet& facet : facets_) {
      std::sort(facet.ids.begin(), facet.ids.end());
      facet.ids.erase(std::unique(facet.ids.begin(), facet.ids.end()), facet.ids.end());
      facet.measure.assign(facet.ids.size(), 0.0);
      facet.kept.assign(facet.ids.size(), 1);
    }
    for (const FacetScore& s : scores)
      scores_.push_back({{place(0, s.text), place(1, s.criterion), place(2, s.judge)}, s.score});
  }

  const Facet& facet(std::size_t f) const { return facets_[f]; }
  const Values& steps() const { return steps_; }
  std::size_t n_kept() const {
    return static_cast<std::size_t>(
        std::count_if(scores_.begin(), scores_.end(), [](const Score& s) { return s.kept; }));
  }

  // Leaves out elements whose scores are all lowest or all highest, until none is left; how many there were.
  int drop_extremes() {
    int dropped = 0;
    const auto top = static_cast<long>(steps_.size());
    for (bool again = true; again;) {
      again = false;
      for (std::size_t f = 0; f < kFacets; ++f) {
        std::vector<long> total(facets_[f].ids.size());
        std::vector<long> count(facets_[f].ids.size());
        for (const Score& s : scores_) {
          if (!s.kept) continue;
          total[s.of[f]] += s.score;
          ++count[s.of[f]];
        }
        for (std::size_t e = 0; e < total.size(); ++e) {
          if (facets_[f].kept[e] == 0 || (total[e] > 0 && total[e] < top * count[e])) continue;
          facets_[f].kept[e] = 0;
          ++dropped;
          again = true;
        }
        for (Score& s : scores_) s.kept = s.kept && facets_[f].kept[s.of[f]] != 0;
      }
    }
    return dropped;
  }

  bool every_score_given() const {
    std::vector<char> given(steps_.size() + 1);
    for (const Score& s : scores_) {
      if (s.kept) given[static_cast<std::size_t>(s.score)] = 1;
    }
    return std::all_of(given.begin(), given.end(), [](char g) { return g != 0; });
  }

  // Subsets of elements joined by scores.
  int subsets() const {
    std::array<std::size_t, kFacets> first{};
    std::size_t n = 0;
    for (std::size_t f = 0; f < kFacets; ++f) {
      first[f] = n;
      n += facets_[f].ids.size();
    }
    std::vector<std::size_t> parent(n);
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root = [&](std::size_t i) {
      while (parent[i] != i) i = parent[i] = parent[parent[i]];
      return i;
    };
    for (const Score& s : scores_) {
      if (!s.kept) continue;
      for (std::size_t f = 1; f < kFacets; ++f) parent[root(s.of[0])] = root(first[f] + s.of[f]);
    }
    int count = 0;
    for (std::size_t e = 0; e < facets_[kText].ids.size(); ++e)
      count += facets_[kText].kept[e] != 0 && root(e) == e ? 1 : 0;
    int others = 0;  // roots that lie in another facet
    for (std::size_t i = facets_[kText].ids.size(); i < n; ++i) {
      bool used = false;
      for (const Score& s : scores_) used = used || (s.kept && root(s.of[0]) == i);
      others += used ? 1 : 0;
    }
    return count + others;
  }

  // Newton, one facet after the other; false when the steps ran out.
  bool solve() {
    for (int step = 0; step < kMostSteps; ++step) {
      double change = 0;
      for (std::size_t f = 0; f < kFacets; ++f) change = std::max(change, move_facet(f));
      change = std::max(change, move_steps());
      if (change < kConverged) return true;
    }
    return false;
  }

  void shrink(double factor) {
    for (Facet& facet : facets_) {
      for (double& x : facet.measure) x *= factor;
    }
    for (double& x : steps_) x *= factor;
  }

  // infit, outfit and information per element of a facet.
  struct Fit {
    Values information, infit, outfit, count;
  };
  Fit fit_of(std::size_t f) const {
    const std::size_t n = facets_[f].ids.size();
    Fit out{Values(n), Values(n), Values(n), Values(n)};
    Values p;
    for (const Score& s : scores_) {
      if (!s.kept) continue;
      const std::size_t e = s.of[f];
      const Moments m = moments_of(location(s), steps_, p);
      const double residual = s.score - m.mean;
      out.information[e] += m.variance;
      out.infit[e] += residual * residual;
      out.outfit[e] += residual * residual / std::max(m.variance, 1e-12);
      out.count[e] += 1;
    }
    for (std::size_t e = 0; e < n; ++e) {
      out.infit[e] /= std::max(out.information[e], 1e-12);
      out.outfit[e] /= std::max(out.count[e], 1.0);
    }
    return out;
  }

 private:
  std::size_t place(std::size_t f, int id) const {
    const auto& ids = facets_[f].ids;
    return static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
  }

  double location(const Score& s) const {
    double at = 0;
    for (std::size_t f = 0; f < kFacets; ++f) at += sign_of(f) * facets_[f].measure[s.of[f]];
    return at;
  }

  double move_facet(std::size_t f) {
    Facet& facet = facets_[f];
    Values residual(facet.ids.size());
    Values information(facet.ids.size());
    Values p;
    for (const Score& s : scores_) {
      if (!s.kept) continue;
      const Moments m = moments_of(location(s), steps_, p);
      residual[s.of[f]] += s.score - m.mean;
      information[s.of[f]] += m.variance;
    }
    Values next = facet.measure;
    for (std::size_t e = 0; e < next.size(); ++e) {
      if (facet.kept[e] != 0 && information[e] > 0)
        next[e] += sign_of(f) * std::clamp(residual[e] / information[e], -1.0, 1.0);
    }
    if (f != kText) centre(next, facet.kept);
    double change = 0;
    for (std::size_t e = 0; e < next.size(); ++e)
      change = std::max(change, std::abs(next[e] - facet.measure[e]));
    facet.measure = std::move(next);
    return change;
  }

  static void centre(Values& x, const std::vector<char>& kept) {
    double total = 0;
    double count = 0;
    for (std::size_t e = 0; e < x.size(); ++e) {
      if (kept[e] == 0) continue;
      total += x[e];
      count += 1;
    }
    for (std::size_t e = 0; e < x.size() && count > 0; ++e) {
      if (kept[e] != 0) x[e] -= total / count;
    }
  }

  // A step moves by the log-odds of reaching it, observed against expected.
  double move_steps() {
    Values reached(steps_.size());
    Values expected(steps_.size());
    Values information(steps_.size());
    Values p;
    for (const Score& s : scores_) {
      if (!s.kept) continue;
      moments_of(location(s), steps_, p);
      double above = 0;
      for (std::size_t k = steps_.size(); k-- > 0;) {
        above += p[k + 1];
        reached[k] += s.score > static_cast<int>(k) ? 1 : 0;
        expected[k] += above;
        information[k] += above * (1 - above);
      }
    }
    Values next = steps_;
    for (std::size_t k = 0; k < next.size(); ++k)
      next[k] -= std::clamp((reached[k] - expected[k]) / std::max(information[k], 1e-12), -1.0, 1.0);
    const double middle = detail::mean_of(next);
    for (double& x : next) x -= middle;
    double change = 0;
    for (std::size_t k = 0; k < next.size(); ++k) change = std::max(change, std::abs(next[k] - steps_[k]));
    steps_ = std::move(next);
    return change;
  }

  std::array<Facet, kFacets> facets_;
  std::vector<Score> scores_;
  Values steps_;
};

std::vector<FacetElement> elements_of(const Model& model, std::size_t f, double factor,
                                      const Model::Fit& fit) {
  std::vector<FacetElement> out;
  const Facet& facet = model.facet(f);
  for (std::size_t e = 0; e < facet.ids.size(); ++e) {
    FacetElement element;
    element.id = facet.ids[e];
    if (facet.kept[e] == 0) {
      element.measure =
          detail::without_interval(Status::undefined, 0, 0, "only lowest or only highest scores");
    } else {
      Estimate& m = element.measure;
      m.value = facet.measure[e];
      m.se = factor / std::sqrt(std::max(fit.information[e], 1e-12));
      m.n_units = static_cast<int>(fit.count[e]);
      const double half95 = detail::normal_quantile(0.975) * m.se;
      const double half90 = detail::normal_quantile(0.95) * m.se;
      m.ci95 = {m.value - half95, m.value + half95};
      m.ci90 = {m.value - half90, m.value + half90};
      m.p = std::min(1.0, 2 * detail::normal_tail(std::abs(m.value) / m.se));
      element.infit = fit.infit[e];
      element.outfit = fit.outfit[e];
      m = detail::settled(std::move(m));
    }
    out.push_back(std::move(element));
  }
  return out;
}

}  // namespace

ManyFacet many_facet(std::span<const FacetScore> scores, int n_steps) {
  require(n_steps >= 1, "a scale has at least one step");
  for (const FacetScore& s : scores) {
    require(s.text >= 0 && s.criterion >= 0 && s.judge >= 0,
            "texts, criteria and judges are numbered from 0");
    require(s.score >= 0 && s.score <= n_steps, "a score lies between 0 and the number of steps");
  }
  ManyFacet out;
  Model model(scores, n_steps);
  const int dropped = model.drop_extremes();
  const auto give_up = [&](const char* why) {
    out.status = Status::undefined;
    out.warnings.emplace_back(why);
    return out;
  };
  if (model.n_kept() == 0) return give_up("no text with scores between lowest and highest");
  if (!model.every_score_given()) return give_up("a score that nobody gave: merge it with a neighbour");
  const auto flag = [&](std::string why) {
    out.status = Status::flagged;
    out.warnings.push_back(std::move(why));
  };
  if (dropped > 0)
    flag(std::to_string(dropped) + " elements with only lowest or only highest scores were left out");
  out.n_subsets = model.subsets();
  if (out.n_subsets > 1)
    flag("the design falls into subsets that no score joins; compare within a subset only");
  if (!model.solve()) flag("the largest number of steps was reached before the fit settled");
  const auto& kept = model.facet(kText).kept;
  out.n_units = static_cast<int>(std::count(kept.begin(), kept.end(), char{1}));
  const double per_text = static_cast<double>(model.n_kept()) / out.n_units;
  if (per_text < 5) flag("fewer than five scores per text: joint maximum likelihood stretches the measures");
  const double factor = per_text > 1 ? (per_text - 1) / per_text : 1;
  const Model::Fit fits[] = {model.fit_of(0), model.fit_of(1), model.fit_of(2)};
  model.shrink(factor);
  out.texts = elements_of(model, 0, factor, fits[0]);
  out.criteria = elements_of(model, 1, factor, fits[1]);
  out.judges = elements_of(model, 2, factor, fits[2]);
  out.steps = model.steps();
  return out;
}

}  // namespace sonder::stats
