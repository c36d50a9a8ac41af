// Properties of the estimators about raters, comparisons, annotators and items that hold for any data.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/seed.h"
#include "stats/agreement.h"
#include "stats/annotators.h"
#include "stats/detail/property.h"
#include "stats/pairwise.h"
#include "stats/rasch.h"
#include "stats/reliability.h"

namespace sonder::stats {
namespace {

using detail::close;
using detail::holds;
using detail::quarters;
using detail::sound;
using detail::wild;
using Values = std::vector<double>;

constexpr Seed kSeed(77);
constexpr Metric kMetrics[] = {Metric::nominal, Metric::ordinal, Metric::interval, Metric::ratio};
constexpr Chance kChances[] = {Chance::gwet, Chance::fleiss, Chance::cohen, Chance::brennan_prediger};
constexpr IccForm kForms[] = {IccForm::one_single, IccForm::two_single, IccForm::three_single,
                              IccForm::one_mean,   IccForm::two_mean,   IccForm::three_mean};

std::size_t size_between(int low, int high) {
  return static_cast<std::size_t>(*rc::gen::inRange(low, high + 1));
}

std::vector<std::size_t> any_order(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Stream stream(Seed(*rc::gen::arbitrary<std::uint64_t>()));
  stream.shuffle(order);
  return order;
}

// Values 0..4, a fifth missing.
Ratings any_ratings() {
  Ratings ratings(size_between(1, 9), size_between(2, 4));
  for (auto& rating : ratings.data) {
    const int drawn = *rc::gen::inRange(-1, 5);
    if (drawn >= 0) rating = drawn;
  }
  return ratings;
}

template <class T>
Table<T> turned(const Table<T>& table, const std::vector<std::size_t>& rows,
                const std::vector<std::size_t>& columns) {
  Table<T> out(table.n, table.d);
  for (std::size_t i = 0; i < table.n; ++i) {
    for (std::size_t j = 0; j < table.d; ++j) out.row(i)[j] = table.row(rows[i])[columns[j]];
  }
  return out;
}

template <class Change>
Ratings changed(Ratings ratings, const Change& change) {
  for (auto& rating : ratings.data) {
    if (rating) rating = change(*rating);
  }
  return ratings;
}

bool same(const Estimate& a, const Estimate& b, double tolerance = 1e-9) {
  return a.status == b.status && a.n_units == b.n_units && close(a.value, b.value, tolerance) &&
         close(a.se, b.se, tolerance) && close(a.ci95.low, b.ci95.low, tolerance) &&
         close(a.ci95.high, b.ci95.high, tolerance);
}

double alpha(const Ratings& ratings, Metric metric) { return krippendorff(ratings, metric, kSeed, 2).value; }

TEST(Properties, AgreementAsksNeitherForTheOrderOfUnitsNorOfRaters) {
  holds("units and raters reordered", [] {
    const Ratings ratings = any_ratings();
    const Ratings other = turned(ratings, any_order(ratings.n), any_order(ratings.d));
    for (const Metric metric : kMetrics) RC_ASSERT(close(alpha(ratings, metric), alpha(other, metric)));
    for (const Chance chance : kChances)
      RC_ASSERT(same(agreement(ratings, chance).estimate, agreement(other, chance).estimate));
  });
}

TEST(Properties, EachMetricKnowsItsOwnScale) {
  holds("names, order, origin and unit", [] {
    const Ratings ratings = any_ratings();
    const double unit = 1 + *rc::gen::inRange(0, 5);
    const double origin = *rc::gen::inRange(-100, 100);
    RC_ASSERT(
        close(alpha(ratings, Metric::nominal),
              alpha(changed(ratings, [](double x) { return std::fmod(x * 3 + 1, 5); }), Metric::nominal)));
    RC_ASSERT(close(alpha(ratings, Metric::ordinal),
                    alpha(changed(ratings, [](double x) { return x * x * x - 7; }), Metric::ordinal)));
    RC_ASSERT(close(alpha(ratings, Metric::interval),
                    alpha(changed(ratings, [&](double x) { return origin - unit * x; }), Metric::interval)));
    RC_ASSERT(close(alpha(ratings, Metric::ratio),
                    alpha(changed(ratings, [&](double x) { return unit * x; }), Metric::ratio)));
    for (const Weighting weighting : {Weighting::linear, Weighting::quadratic})
      for (const Chance chance : kChances)
        RC_ASSERT(
            same(agreement(ratings, chance, weighting).estimate,
                 agreement(changed(ratings, [&](double x) { return origin - unit * x; }), chance, weighting)
                     .estimate));
  });
}

TEST(Properties, AgreementNeverExceedsOneAndIsOneForCopies) {
  holds("at most 1", [] {
    const Ratings ratings = any_ratings();
    for (const Metric metric : kMetrics) RC_ASSERT(alpha(ratings, metric) <= 1 + 1e-12);
    Ratings copies = ratings;
    for (std::size_t u = 0; u < copies.n; ++u) {
      for (auto& rating : copies.row(u)) rating = copies.row(u)[0];
    }
    for (const Chance chance : kChances) {
      const Estimate found = agreement(copies, chance).estimate;
      RC_ASSERT(agreement(ratings, chance).estimate.value <= 1 + 1e-12);
      if (found.usable()) RC_ASSERT(close(found.value, 1));
    }
  });
}

TEST(Properties, IccAsksNeitherForOriginNorUnitNorOrder) {
  holds("a + b x, reordered", [] {
    Numbers scores(size_between(2, 8), size_between(2, 5));
    scores.data = *quarters(scores.data.size());
    Numbers other = turned(scores, any_order(scores.n), any_order(scores.d));
    const double unit = *rc::gen::element(-4.0, .25, 1e6);
    for (double& x : other.data) x = 1024 + unit * x;
    for (const IccForm form : kForms) {
      const Estimate a = icc(scores, form);
      const Estimate b = icc(other, form);
      RC_ASSERT(a.status == b.status);
      RC_ASSERT(close(a.value, b.value, 1e-7));
      RC_ASSERT(close(a.ci95.low, b.ci95.low, 1e-6));
    }
  });
}

TEST(Properties, TauIsSymmetricAndTurnsItsSign) {
  holds("swap and negate", [] {
    const std::size_t n = size_between(2, 14);
    const Values x = *quarters(n);
    const Values y = *quarters(n);
    Values minus = y;
    for (double& v : minus) v = -v;
    const Estimate tau = kendall_tau_b(x, y);
    RC_ASSERT(same(tau, kendall_tau_b(y, x)));
    const Estimate turned_round = kendall_tau_b(x, minus);
    RC_ASSERT(close(tau.value, -turned_round.value));
    RC_ASSERT(close(tau.p, turned_round.p));
    RC_ASSERT(std::abs(tau.value) <= 1);
  });
}

TEST(Properties, WLiesBetweenNothingAndOne) {
  holds("0..1, any monotone scale", [] {
    Numbers scores(size_between(2, 5), size_between(2, 8));
    scores.data = *quarters(scores.data.size());
    const Estimate w = kendall_w(scores);
    RC_ASSERT(w.value >= 0);
    RC_ASSERT(w.value <= 1 + 1e-12);
    for (double& x : scores.data) x = std::exp(x / 4) * 3;
    RC_ASSERT(same(w, kendall_w(scores)));
  });
}

TEST(Properties, DependabilityAsksForOrderNowhere) {
  holds("axes reordered", [] {
    Cube cube{size_between(2, 6), size_between(2, 3), size_between(2, 3), {}};
    cube.data = *quarters(cube.n_items * cube.n_rubrics * cube.n_judges);
    const auto i_order = any_order(cube.n_items);
    const auto r_order = any_order(cube.n_rubrics);
    const auto j_order = any_order(cube.n_judges);
    Cube other = cube;
    for (std::size_t i = 0; i < cube.n_items; ++i)
      for (std::size_t r = 0; r < cube.n_rubrics; ++r)
        for (std::size_t j = 0; j < cube.n_judges; ++j)
          other.data[(i * cube.n_rubrics + r) * cube.n_judges + j] =
              cube.data[(i_order[i] * cube.n_rubrics + r_order[r]) * cube.n_judges + j_order[j]];
    const Generalizability a = generalizability(cube);
    const Generalizability b = generalizability(other);
    RC_ASSERT(a.dependability.status == b.dependability.status);
    RC_ASSERT(close(a.dependability.value, b.dependability.value));
    RC_ASSERT(close(a.raw.item, b.raw.item));
    RC_ASSERT(close(a.raw.error, b.raw.error));
    RC_ASSERT(a.decision.generalizability >= a.decision.dependability - 1e-12);
  });
}

std::vector<Meeting> any_meetings(int n_players, bool ties) {
  std::vector<Meeting> meetings;
  for (int i = 0; i < n_players; ++i) {
    for (int j = i + 1; j < n_players; ++j) {
      if (*rc::gen::inRange(0, 4) > 0)
        meetings.push_back({i, j, static_cast<double>(*rc::gen::inRange(0, 8)),
                            static_cast<double>(*rc::gen::inRange(0, 8)),
                            ties ? static_cast<double>(*rc::gen::inRange(0, 4)) : 0});
    }
  }
  return meetings;
}

TEST(Properties, AbilitiesTurnRoundWithTheResults) {
  holds("winners and losers swapped, players renamed", [] {
    const int n = *rc::gen::inRange(2, 6);
    const TieModel model = *rc::gen::element(TieModel::half_wins, TieModel::davidson, TieModel::rao_kupper);
    const auto meetings = any_meetings(n, model != TieModel::half_wins);
    const Abilities found = abilities(meetings, n, model);
    auto swapped = meetings;
    for (Meeting& m : swapped) std::swap(m.first_wins, m.second_wins);
    auto renamed = meetings;
    for (Meeting& m : renamed) m = {n - 1 - m.second, n - 1 - m.first, m.second_wins, m.first_wins, m.ties};
    const Abilities turned_round = abilities(swapped, n, model);
    const Abilities other = abilities(renamed, n, model, {.reference = n - 1});
    RC_ASSERT(found.status == turned_round.status);
    RC_ASSERT(found.status == other.status);
    for (int i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const auto mirror = static_cast<std::size_t>(n - 1 - i);
      RC_ASSERT(close(found.ability[at].value, -turned_round.ability[at].value, 1e-6));
      RC_ASSERT(close(found.ability[at].value, other.ability[mirror].value, 1e-6));
      RC_ASSERT(close(found.ability[at].se, other.ability[mirror].se, 1e-6));
      RC_ASSERT(sound(found.ability[at]));
    }
    RC_ASSERT(std::isfinite(found.log_likelihood));
  });
}

std::vector<Label> any_labels(int k) {
  std::vector<Label> labels;
  const int items = *rc::gen::inRange(1, 10);
  const int annotators = *rc::gen::inRange(1, 5);
  for (int i = 0; i < items; ++i) {
    for (int a = 0; a < annotators; ++a) {
      if (*rc::gen::inRange(0, 4) > 0) labels.push_back({i, a, *rc::gen::inRange(0, k)});
    }
  }
  return labels;
}

TEST(Properties, DawidAndSkeneFollowEveryRenaming) {
  holds("rows reordered, annotators and classes renamed", [] {
    const int k = *rc::gen::inRange(2, 4);
    const auto labels = any_labels(k);
    const EmOptions options{.most_steps = 30, .tolerance = 1e-9, .smoothing = *rc::gen::element(0.0, .5)};
    const DawidSkene found = dawid_skene(labels, k, options);
    std::vector<Label> other;
    for (const std::size_t l : any_order(labels.size()))
      other.push_back({labels[l].item, 7 - labels[l].annotator, k - 1 - labels[l].category});
    const DawidSkene renamed = dawid_skene(other, k, options);
    RC_ASSERT(close(found.log_likelihood, renamed.log_likelihood, 1e-7));
    for (int t = 0; t < k; ++t)
      RC_ASSERT(close(found.prevalence[static_cast<std::size_t>(t)],
                      renamed.prevalence[static_cast<std::size_t>(k - 1 - t)], 1e-6));
    double all = 0;
    for (const double p : found.prevalence) all += p;
    RC_ASSERT(close(all, 1));
  });
}

TEST(Properties, EmNeverLosesLikelihood) {
  holds("a step more is no worse", [] {
    const int k = *rc::gen::inRange(2, 4);
    const auto labels = any_labels(k);
    if (labels.empty()) return;
    double before = -1e300;
    for (int steps = 1; steps < 8; ++steps) {
      const double now = dawid_skene(labels, k, {.most_steps = steps, .tolerance = 1e-300}).log_likelihood;
      RC_ASSERT(now >= before - 1e-9);
      before = now;
    }
  });
}

TEST(Properties, MaceStaysInsideItsBounds) {
  holds("competence and posterior are probabilities", [] {
    const int k = *rc::gen::inRange(2, 4);
    const Mace found = mace(
        any_labels(k), k, kSeed,
        {.em = {.most_steps = 20, .tolerance = 1e-6, .smoothing = *rc::gen::element(0.0, .1)}, .starts = 2});
    for (const double c : found.competence) RC_ASSERT(c >= 0 && c <= 1);
    for (std::size_t i = 0; i < found.posterior.n; ++i) {
      double all = 0;
      for (const double p : found.posterior.row(i)) all += p;
      RC_ASSERT(close(all, 1));
    }
  });
}

TEST(Properties, RaschTurnsRoundWithTheAnswersAndFollowsTheItems) {
  holds("answers complemented, items and persons reordered", [] {
    Numbers answers(size_between(2, 14), size_between(2, 5));
    for (double& x : answers.data) x = *rc::gen::inRange(0, 2);
    Numbers opposite = answers;
    for (double& x : opposite.data) x = 1 - x;
    const Rasch found = rasch(answers);
    const Rasch against = rasch(opposite);
    const auto columns = any_order(answers.d);
    const Rasch other = rasch(turned(answers, any_order(answers.n), columns));
    RC_ASSERT(found.status == against.status);
    RC_ASSERT(found.status == other.status);
    for (std::size_t i = 0; i < answers.d; ++i) {
      RC_ASSERT(sound(found.easiness[i]));
      RC_ASSERT(close(found.easiness[i].value, -against.easiness[i].value, 1e-6));
      RC_ASSERT(close(found.easiness[columns[i]].value, other.easiness[i].value, 1e-6));
    }
  });
}

TEST(Properties, NothingAboutRatersIsEverNaN) {
  holds("wild numbers", [] {
    Numbers scores(size_between(0, 6), size_between(0, 4));
    scores.data = *wild(scores.data.size());
    Ratings ratings(scores.n, scores.d);
    for (std::size_t i = 0; i < scores.data.size(); ++i) {
      if (*rc::gen::inRange(0, 5) > 0) ratings.data[i] = scores.data[i];
    }
    for (const Metric metric : kMetrics)
      RC_ASSERT(sound(krippendorff(
          metric == Metric::ratio ? changed(ratings, [](double x) { return std::abs(x); }) : ratings, metric,
          kSeed, 15)));
    for (const Chance chance : kChances) {
      for (const Weighting w :
           {Weighting::identity, Weighting::linear, Weighting::quadratic, Weighting::ordinal})
        RC_ASSERT(sound(agreement(ratings, chance, w).estimate));
    }
    for (const IccForm form : kForms) RC_ASSERT(sound(icc(scores, form)));
    RC_ASSERT(sound(kendall_w(scores)));
    const PanelSize panel = effective_judges(scores);
    RC_ASSERT(std::isfinite(panel.effective) && std::isfinite(panel.mean_correlation));
    const std::size_t n = size_between(0, 12);
    RC_ASSERT(sound(kendall_tau_b(*wild(n), *wild(n))));
    Cube cube{size_between(0, 6), size_between(1, 3), size_between(1, 3), {}};
    cube.data = *wild(cube.n_items * cube.n_rubrics * cube.n_judges);
    const Generalizability g = generalizability(cube);
    RC_ASSERT(sound(g.dependability));
    RC_ASSERT(std::isfinite(g.components.item) && std::isfinite(g.components.error));
  });
}

TEST(Properties, NothingAboutManyFacetsIsEverNaN) {
  holds("few scores, any design", [] {
    std::vector<FacetScore> scores;
    const int n = *rc::gen::inRange(0, 17);
    for (int i = 0; i < n; ++i)
      scores.push_back({*rc::gen::inRange(0, 5), *rc::gen::inRange(0, 2), *rc::gen::inRange(0, 3),
                        *rc::gen::inRange(0, 3)});
    const ManyFacet found = many_facet(scores, 2);
    for (const auto* facet : {&found.texts, &found.criteria, &found.judges}) {
      for (const FacetElement& element : *facet) {
        RC_ASSERT(sound(element.measure));
        RC_ASSERT(std::isfinite(element.infit) && std::isfinite(element.outfit));
      }
    }
  });
}

}  // namespace
}  // namespace sonder::stats
