// How often each 95 % interval about raters, comparisons, items, few labels and sequences holds the truth
// under its own assumptions: slow, so disabled by default. Run as coverage_effects_test.cc.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/agreement.h"
#include "stats/annotators.h"
#include "stats/detail/coverage.h"
#include "stats/detail/numbers.h"
#include "stats/dif.h"
#include "stats/eprocess.h"
#include "stats/mixed.h"
#include "stats/pairwise.h"
#include "stats/ppi.h"
#include "stats/prevalence.h"
#include "stats/rasch.h"
#include "stats/reliability.h"

namespace sonder::stats {
namespace {

using detail::covers;
using detail::Kind;
using detail::Trial;
using Values = std::vector<double>;

// Raters who know with probability `skill`, else draw one of 1..5: every chance-corrected agreement is
// skill².
Ratings rated(Stream& s, std::size_t n, std::size_t raters, double skill) {
  Ratings ratings(n, raters);
  for (std::size_t u = 0; u < n; ++u) {
    const double truth = 1 + static_cast<double>(s.below(5));
    for (auto& rating : ratings.row(u)) {
      const double guess = 1 + static_cast<double>(s.below(5));
      rating = s.uniform() < skill ? truth : guess;
    }
  }
  return ratings;
}

Numbers scored(Stream& s, std::size_t n, std::size_t k, double rater) {
  Values severity(k);
  for (double& x : severity) x = rater * s.normal();
  Numbers scores(n, k);
  for (std::size_t i = 0; i < n; ++i) {
    const double unit = s.normal();
    for (std::size_t j = 0; j < k; ++j) scores.row(i)[j] = unit + severity[j] + s.normal();
  }
  return scores;
}

TEST(DISABLED_Coverage, OfAgreementAndReliability) {
  covers("Krippendorff, nominal, 80 units × 4, 499 draws", 2000, [](Stream& s, Seed seed) {
    return Trial{krippendorff(rated(s, 80, 4, .6), Metric::nominal, seed, 499).ci95, .36};
  });
  covers("Krippendorff, interval, 150 units × 3, 499 draws", 2000, [](Stream& s, Seed seed) {
    return Trial{krippendorff(rated(s, 150, 3, .6), Metric::interval, seed, 499).ci95, .36};
  });
  covers("AC1, 100 units × 3", 6000, [](Stream& s, Seed) {
    return Trial{agreement(rated(s, 100, 3, .6), Chance::gwet).estimate.ci95, .36};
  });
  covers("Cohen's kappa, 100 units", 6000, [](Stream& s, Seed) {
    return Trial{agreement(rated(s, 100, 2, .6), Chance::cohen).estimate.ci95, .36};
  });
  covers("Fleiss' kappa, 100 units × 3", 6000, [](Stream& s, Seed) {
    return Trial{agreement(rated(s, 100, 3, .6), Chance::fleiss).estimate.ci95, .36};
  });
  covers("Brennan–Prediger, 100 units × 3", 6000, [](Stream& s, Seed) {
    return Trial{agreement(rated(s, 100, 3, .6), Chance::brennan_prediger).estimate.ci95, .36};
  });
  covers("ICC(1,1), 30 × 4", 6000, [](Stream& s, Seed) {
    return Trial{icc(scored(s, 30, 4, 0), IccForm::one_single).ci95, .5};
  });
  covers("ICC(2,1), 30 × 6", 6000, [](Stream& s, Seed) {
    return Trial{icc(scored(s, 30, 6, .5), IccForm::two_single).ci95, 1 / 2.25};
  });
  covers("ICC(3,k), 30 × 4", 6000, [](Stream& s, Seed) {
    return Trial{icc(scored(s, 30, 4, 1), IccForm::three_mean).ci95, .8};
  });
  covers("Kendall's tau-b, n 60", 6000, [](Stream& s, Seed) {
    Values x;
    Values y;
    for (int i = 0; i < 60; ++i) {
      x.push_back(s.normal());
      y.push_back(.5 * x.back() + std::sqrt(.75) * s.normal());
    }
    return Trial{kendall_tau_b(x, y).ci95, 1.0 / 3};
  });
  covers("dependability, 40 items × 3 × 4", 2000, [](Stream& s, Seed) {
    Cube cube{40, 3, 4, {}};
    for (int i = 0; i < 40; ++i) {
      const double item = s.normal();
      Values of_judge(4);
      for (double& x : of_judge) x = .5 * s.normal();
      for (int r = 0; r < 3; ++r) {
        const double of_rubric = .5 * s.normal();
        for (const double x : of_judge) cube.data.push_back(item + of_rubric + x + .5 * s.normal());
      }
    }
    return Trial{generalizability(cube).dependability.ci95, 1 / (1 + .25 / 3 + .25 / 4 + .25 / 12)};
  });
}

TEST(DISABLED_Coverage, OfModels) {
  covers("Bradley–Terry, 4 players, 60 each pair", 4000, [](Stream& s, Seed) {
    const Values ability = {0, .7, -.7, 1.2};
    std::vector<Meeting> meetings;
    for (int i = 0; i < 4; ++i) {
      for (int j = i + 1; j < 4; ++j) {
        Meeting m{i, j, 0, 0, 0};
        const double p =
            detail::logistic(ability[static_cast<std::size_t>(i)] - ability[static_cast<std::size_t>(j)]);
        for (int k = 0; k < 60; ++k) (s.uniform() < p ? m.first_wins : m.second_wins) += 1;
        meetings.push_back(m);
      }
    }
    return Trial{abilities(meetings, 4, TieModel::half_wins).ability[1].ci95, .7};
  });
  covers("Rasch, easiness, 5 items × 200", 2000, [](Stream& s, Seed) {
    const Values easiness = {-1.5, -.5, 0, .5, 1.5};
    Numbers answers(200, 5);
    for (std::size_t p = 0; p < 200; ++p) {
      const double ability = 1.5 * s.normal();
      for (std::size_t i = 0; i < 5; ++i)
        answers.row(p)[i] = s.uniform() < detail::logistic(ability + easiness[i]) ? 1 : 0;
    }
    return Trial{rasch(answers).easiness[1].ci95, -.5};
  });
  covers("Dawid–Skene, prevalence, 150 items × 5, 199 draws", 800, [](Stream& s, Seed seed) {
    std::vector<Label> labels;
    for (int i = 0; i < 150; ++i) {
      const int truth = s.uniform() < .7 ? 0 : 1;
      for (int a = 0; a < 5; ++a) labels.push_back({i, a, s.uniform() < .85 ? truth : 1 - truth});
    }
    return Trial{dawid_skene_prevalence(labels, 2, seed, 199, {.tolerance = 1e-6})[0].ci95, .7};
  });
  covers("mixed model, condition, 30 scenarios × 2 × 3 judges", 800, [](Stream& s, Seed) {
    Values y;
    std::vector<int> cond;
    std::vector<int> facet;
    std::vector<int> scenario;
    std::vector<int> judge;
    Values severity(3);
    for (double& x : severity) x = .3 * s.normal();
    for (int g = 0; g < 30; ++g) {
      const double level = s.normal();
      const double slope = .4 + .5 * s.normal();
      for (int c = 0; c < 2; ++c) {
        for (int f = 0; f < 2; ++f) {
          for (int j = 0; j < 3; ++j) {
            y.push_back(level + slope * c + .2 * f + severity[static_cast<std::size_t>(j)] + .7 * s.normal());
            cond.push_back(c);
            facet.push_back(f);
            scenario.push_back(g);
            judge.push_back(j);
          }
        }
      }
    }
    return Trial{condition_by_facet(y, {cond, facet, scenario, judge}).fixed[1].ci95, .4};
  });
  covers("Mantel–Haenszel odds, 5 strata of 80", 4000, [](Stream& s, Seed) {
    std::vector<Stratum> strata;
    for (int k = 0; k < 5; ++k) {
      Stratum stratum;
      for (int i = 0; i < 40; ++i) {
        (s.uniform() < detail::logistic(.4 * (k - 2) + .5) ? stratum.reference_right
                                                           : stratum.reference_wrong) += 1;
        (s.uniform() < detail::logistic(.4 * (k - 2)) ? stratum.focal_right : stratum.focal_wrong) += 1;
      }
      strata.push_back(stratum);
    }
    return Trial{mantel_haenszel(strata).odds.ci95, std::exp(.5)};
  });
}

TEST(DISABLED_Coverage, OfFewLabelsAndSequences) {
  const auto draw = [](Stream& s, std::size_t n, Values& human, Values& judge) {
    for (std::size_t i = 0; i < n; ++i) {
      human.push_back(.3 + s.normal());
      judge.push_back(1 + .7 * human.back() + .7 * s.normal());
    }
  };
  covers("PPI++, cross-fitted, 40 labelled of 400", 6000, [&](Stream& s, Seed) {
    Values human;
    Values judge;
    Values unseen;
    Values rest;
    draw(s, 40, human, judge);
    draw(s, 360, unseen, rest);
    return Trial{ppi_mean(human, judge, rest).estimate.ci95, .3};
  });
  covers("Rogan–Gladen (Lee), n 1000, 100 + 100", 6000, [](Stream& s, Seed) {
    const auto binomial = [&](long n, double p) {
      long k = 0;
      for (long i = 0; i < n; ++i) k += s.uniform() < p ? 1 : 0;
      return Count{k, n};
    };
    const Count yes = binomial(1000, .5 * .9 + .5 * .2);
    const Count sensitivity = binomial(100, .9);
    const Count specificity = binomial(100, .8);
    return Trial{rogan_gladen(yes, sensitivity, specificity).ci95, .5};
  });
  covers(
      "normal mixture, the whole path to n 200", 2000,
      [](Stream& s, Seed) {
        Values x;
        Interval all{-1e300, 1e300};
        for (int n = 1; n <= 200; ++n) {
          x.push_back(.2 + s.normal());
          const Interval now = mixture_mean(x, 1, 50).ci95;
          all = {std::max(all.low, now.low), std::min(all.high, now.high)};
        }
        return Trial{all, .2};
      },
      Kind::conservative);
  covers(
      "betting, the whole path to n 200", 2000,
      [](Stream& s, Seed) {
        Values x;
        for (int n = 1; n <= 200; ++n) x.push_back(s.uniform() * s.uniform());
        return Trial{betting_mean(x, 0, 1, .25).ci95, .25};
      },
      Kind::conservative);
}

}  // namespace
}  // namespace sonder::stats
