#include "latent/detect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "latent/detail/design.h"
#include "latent/direction.h"
#include "stats/order.h"

namespace sonder::latent {
namespace {

constexpr std::size_t kPairs = 12;

// Pairs share a topic; `shift[l]` of layer l parts high from low along the first column. Two scenarios a
// family.
Pairs planted(const std::vector<double>& shift, std::size_t d, Seed seed, std::size_t n = kPairs) {
  Pairs pairs;
  for (std::size_t i = 0; i < n; ++i) {
    pairs.scenario.push_back(static_cast<int>(i));
    pairs.family.push_back(static_cast<int>(i / 2));
  }
  for (std::size_t l = 0; l < shift.size(); ++l) {
    Stream stream(seed.child(l));
    Rows high(n, d);
    Rows low(n, d);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < d; ++j) {
        const double topic = stream.normal();
        high.row(i)[j] = static_cast<float>(topic + stream.normal() + (j == 0 ? shift[l] : 0));
        low.row(i)[j] = static_cast<float>(topic + stream.normal());
      }
    pairs.layers.push_back(static_cast<int>(2 * l + 1));
    pairs.high.push_back(std::move(high));
    pairs.low.push_back(std::move(low));
  }
  return pairs;
}

DetectOptions small() {
  DetectOptions options;
  options.lambdas = {1, 100};
  options.folds = 3;
  options.permutations = 19;
  options.random_directions = 50;
  return options;
}

Detected run(const Pairs& pairs, const DetectOptions& options, Seed seed = Seed(1)) {
  return detect(pairs, options, seed, {}, Cancel());
}

TEST(Detect, APlantedDirectionIsFoundAtItsLayer) {
  const auto pairs = planted({0, 0, 8, 1}, 10, Seed(1));
  const auto found = run(pairs, small());
  EXPECT_EQ(found.layer, 5);
  EXPECT_GE(found.concordance.value, 11.0 / 12);
  EXPECT_GT(found.auroc, 0.9);
  EXPECT_EQ(found.p, 0.05);  // the least that 19 permutations allow
  ASSERT_EQ(found.sweep.size(), 12U);
  for (const auto& point : found.sweep) EXPECT_TRUE(point.layer != 5 || point.auroc > 0.9) << point.method;
  ASSERT_EQ(found.nulls.size(), 2U);
  for (const auto& null : found.nulls) {
    EXPECT_GT(null.mean, 0.5);
    EXPECT_GE(null.p99, null.p95);
    EXPECT_EQ(null.n, 50);
  }
}

TEST(Detect, NothingPlantedIsNothingFound) {
  double sum = 0;
  for (std::uint64_t i = 0; i < 10; ++i) {
    auto options = small();
    options.permutations = 0;
    sum += run(planted({0, 0}, 10, Seed(2).child(i)), options, Seed(i)).concordance.value / 10;
  }
  EXPECT_NEAR(sum, 0.5, 0.15);
}

// 40 data sets without an effect: p of 20 possible values is uniform. Mean .525, SD of the mean .046.
TEST(Detect, WithoutAnEffectThePermutationPIsUniform) {
  auto options = small();
  options.methods = {"dom", "logistic"};
  options.lambdas = {10};
  options.random_directions = 0;
  std::vector<double> p;
  for (std::uint64_t i = 0; i < 40; ++i)
    p.push_back(run(planted({0, 0}, 6, Seed(3).child(i)), options, Seed(4).child(i)).p);
  const double mean = std::accumulate(p.begin(), p.end(), 0.0) / 40;
  EXPECT_NEAR(mean, 0.525, 0.15);
  std::ranges::sort(p);
  double distance = 0;  // Kolmogorov–Smirnov; .257 is the 1 % point for n = 40
  for (std::size_t i = 0; i < p.size(); ++i)
    distance = std::max(distance, static_cast<double>(i + 1) / 40 - p[i]);
  EXPECT_LT(distance, 0.257);
}

// Each family has a difference of its own with a sign of its own: whoever sees a family's other pairs can
// tell, whoever does not cannot.
TEST(Detect, AFamilyNeverTeachesItsOwnTest) {
  auto pairs = planted({0}, 40, Seed(5), 24);
  for (std::size_t i = 0; i < 24; ++i) {
    pairs.family[i] = static_cast<int>(i / 4);
    pairs.high[0].row(i)[static_cast<std::size_t>(pairs.family[i])] += 30;
  }
  for (std::size_t i = 0; i < 24; ++i)  // half of the families the other way round
    if (pairs.family[i] % 2 == 1) pairs.high[0].row(i)[static_cast<std::size_t>(pairs.family[i])] -= 60;
  auto options = small();
  options.permutations = 0;
  options.folds = 6;
  const double grouped = run(pairs, options).concordance.value;
  for (std::size_t i = 0; i < 24; ++i) pairs.family[i] = static_cast<int>(i);
  const double leaky = run(pairs, options).concordance.value;
  EXPECT_LT(grouped, 0.75);
  EXPECT_GT(leaky, 0.9);
}

TEST(Detect, FoldsKeepFamiliesWholeAndAreEven) {
  std::vector<int> family(30);
  for (int i = 0; i < 30; ++i) family[static_cast<std::size_t>(i)] = 100 + (i * 7) % 10;
  const auto folds = detail::assign_folds(family, 5, Seed(1));
  std::vector<int> size(5, 0);
  for (std::size_t i = 0; i < family.size(); ++i) {
    ++size[static_cast<std::size_t>(folds.fold[i])];
    for (std::size_t j = 0; j < i; ++j) EXPECT_TRUE(family[i] != family[j] || folds.fold[i] == folds.fold[j]);
  }
  EXPECT_EQ(size, std::vector<int>(5, 6));
  EXPECT_EQ(detail::assign_folds(family, 5, Seed(1)).fold, folds.fold);
  EXPECT_NE(detail::assign_folds(family, 5, Seed(2)).fold, folds.fold);
  EXPECT_EQ(detail::assign_folds(std::vector<int>{4, 7, 9}, 5, Seed(1)).n_folds, 3);
  EXPECT_THROW(detail::assign_folds(std::vector<int>{4, 7}, 5, Seed(1)), Error);
}

TEST(Detect, TheSameSeedGivesTheSameResultInAnyOrderOfPairs) {
  const auto pairs = planted({1, 2}, 8, Seed(6));
  const auto first = run(pairs, small());
  const auto again = run(pairs, small());
  EXPECT_EQ(first.p, again.p);
  EXPECT_EQ(first.nulls[1].p95, again.nulls[1].p95);

  std::vector<std::size_t> order(kPairs);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Stream(Seed(7)).shuffle(order);
  Pairs mixed = pairs;
  for (std::size_t i = 0; i < kPairs; ++i) {
    mixed.scenario[i] = pairs.scenario[order[i]];
    mixed.family[i] = pairs.family[order[i]];
    for (std::size_t l = 0; l < 2; ++l) {
      std::ranges::copy(pairs.high[l].row(order[i]), mixed.high[l].row(i).begin());
      std::ranges::copy(pairs.low[l].row(order[i]), mixed.low[l].row(i).begin());
    }
  }
  const auto other = run(mixed, small());
  EXPECT_EQ(other.p, first.p);
  EXPECT_EQ(other.auroc, first.auroc);
  EXPECT_EQ(other.layer, first.layer);
  EXPECT_EQ(other.method, first.method);
  for (std::size_t i = 0; i < kPairs; ++i)
    EXPECT_EQ(other.concordance_by_pair[i], first.concordance_by_pair[order[i]]);
}

TEST(Detect, CallingHighLowAndLowHighChangesNothing) {
  auto pairs = planted({0.5, 1.5}, 8, Seed(8));
  const auto first = run(pairs, small());
  std::swap(pairs.high, pairs.low);
  const auto other = run(pairs, small());
  EXPECT_EQ(other.concordance_by_pair, first.concordance_by_pair);
  EXPECT_EQ(other.method, first.method);
  EXPECT_NEAR(other.auroc, first.auroc, 1e-12);
  EXPECT_EQ(other.p, first.p);
}

// Referee: the same nested folds in slow, plain code on whole tables, with the public readers. A reader's w
// is enough: neither concordance nor AUROC within a fold sees a shift.
struct Slow {
  const Pairs& pairs;
  const DetectOptions& options;
  std::vector<int> fold;
  int n_folds;

  std::vector<double> reader(const std::string& method, double lambda, const Rows& high,
                             const Rows& low) const {
    if (method == "dom") return difference_of_means(high, low);
    if (method == "lda") return lda(high, low);
    Rows x = high;
    for (std::size_t i = 0; i < low.n; ++i) x.append(low.row(i));
    std::vector<int> z(high.n, 1);
    z.resize(x.n, 0);
    return logistic(x, z, lambda).w;
  }

  // Scores of the pairs of `test`, trained on all pairs in no fold of `out`.
  detail::Score score(std::size_t layer, const std::string& method, double lambda, std::vector<int> out,
                      int test, std::vector<double>* by_pair = nullptr) const {
    Rows high;
    Rows low;
    for (std::size_t i = 0; i < fold.size(); ++i) {
      if (std::ranges::find(out, fold[i]) != out.end()) continue;
      high.append(pairs.high[layer].row(i));
      low.append(pairs.low[layer].row(i));
    }
    std::vector<double> scale(high.d, 1.0);
    for (std::size_t j = 0; j < high.d && method != "dom"; ++j) {
      double sum = 0;
      double squares = 0;
      for (const Rows* t : {&high, &low})
        for (std::size_t i = 0; i < t->n; ++i) {
          sum += static_cast<double>(t->row(i)[j]);
          squares += std::pow(static_cast<double>(t->row(i)[j]), 2);
        }
      const auto n = static_cast<double>(2 * high.n);
      scale[j] = std::sqrt(squares / n - sum * sum / n / n);
      for (Rows* t : {&high, &low})
        for (std::size_t i = 0; i < t->n; ++i)
          t->row(i)[j] = static_cast<float>(static_cast<double>(t->row(i)[j]) / scale[j]);
    }
    const auto w = reader(method, lambda, high, low);
    std::vector<double> up;
    std::vector<double> down;
    double concordance = 0;
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < fold.size(); ++i) {
      if (fold[i] != test) continue;
      double h = 0;
      double l = 0;
      for (std::size_t j = 0; j < high.d; ++j) {
        h += w[j] * static_cast<double>(pairs.high[layer].row(i)[j]) / scale[j];
        l += w[j] * static_cast<double>(pairs.low[layer].row(i)[j]) / scale[j];
      }
      up.push_back(h);
      down.push_back(l);
      concordance += h > l ? 1 : 0;
      sum += h - l;
      squares += (h - l) * (h - l);
      if (by_pair != nullptr) (*by_pair)[i] = h > l ? 1 : 0;
    }
    return {concordance, stats::auroc(up, down), sum / std::sqrt(squares * static_cast<double>(up.size()))};
  }

  // Nested concordance of each pair, and AUROC.
  std::pair<std::vector<double>, double> nested() const {
    std::vector<double> by_pair(fold.size());
    double auroc = 0;
    for (int k = 0; k < n_folds; ++k) {
      detail::Score best{-1, 0, 0};
      detail::Candidate chosen;
      for (std::size_t layer = 0; layer < pairs.layers.size(); ++layer)
        for (const auto& method : options.methods)
          for (const double lambda : method == "logistic" ? options.lambdas : std::vector<double>{0}) {
            detail::Score sum;
            for (int j = 0; j < n_folds; ++j) {
              if (j == k) continue;
              const auto s = score(layer, method, lambda, {j, k}, j);
              sum = {sum.concordance + s.concordance, sum.auroc + s.auroc, sum.margin + s.margin};
            }
            if (!detail::better(sum, best)) continue;
            best = sum;
            chosen = {static_cast<int>(layer), detail::method_named(method), lambda};
          }
      auroc += score(static_cast<std::size_t>(chosen.layer), detail::name_of(chosen.method), chosen.lambda,
                     {k}, k, &by_pair)
                   .auroc /
               n_folds;
    }
    return {by_pair, auroc};
  }
};

TEST(Detect, AgreesWithSlowPlainCode) {
  for (std::uint64_t i = 0; i < 3; ++i) {
    const auto pairs = planted({0.7, 1.0, 0.7}, 7, Seed(9).child(i));
    auto options = small();
    options.lambdas = {100, 1};
    options.permutations = 0;
    const auto folds = detail::assign_folds(pairs.family, options.folds, Seed(1));
    const auto [by_pair, auroc] = Slow{pairs, options, folds.fold, folds.n_folds}.nested();
    const auto found = run(pairs, options);
    EXPECT_EQ(found.concordance_by_pair, by_pair);
    EXPECT_NEAR(found.auroc, auroc, 1e-12);
  }
}

// A permutation must be worth exactly as much as swapping the tables themselves.
TEST(Detect, APermutedLabelingIsTheSameAsSwappedTexts) {
  const auto pairs = planted({0.5, 2, 0.5}, 7, Seed(17));
  const detail::Labeling swapped = {1, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0};
  auto options = small();
  auto design = detail::plain_design(pairs.family, options, Seed(1));
  design.n_layers = 3;
  const auto run_on = [&](bool swap_texts, const std::vector<detail::Labeling>& labelings) {
    std::vector<detail::Matrix> texts;
    for (std::size_t l = 0; l < 3; ++l) {
      detail::Matrix x(2 * kPairs, 7);
      for (std::size_t i = 0; i < kPairs; ++i)
        for (std::size_t j = 0; j < 7; ++j) {
          const auto at = static_cast<Eigen::Index>(2 * i);
          const bool swap = swap_texts && swapped[i] != 0;
          x(at + (swap ? 1 : 0), static_cast<Eigen::Index>(j)) = pairs.high[l].row(i)[j];
          x(at + (swap ? 0 : 1), static_cast<Eigen::Index>(j)) = pairs.low[l].row(i)[j];
        }
      texts.push_back(std::move(x));
    }
    const auto kernel = [&](int layer, bool raw, const std::vector<char>& is_training) {
      return detail::table_kernel(texts[static_cast<std::size_t>(layer)], raw, is_training);
    };
    return detail::nested(design, kernel, labelings, {}, Cancel());
  };
  const detail::Labeling plain(kPairs, 0);
  const auto permuted = run_on(false, {plain, swapped}).held[1];
  const auto by_hand = run_on(true, {plain}).held[0];
  for (std::size_t i = 0; i < kPairs; ++i) {
    EXPECT_NEAR(permuted.high[i], by_hand.high[i], 1e-6 * (1 + std::abs(by_hand.high[i])));
    EXPECT_NEAR(permuted.low[i], by_hand.low[i], 1e-6 * (1 + std::abs(by_hand.low[i])));
  }
  EXPECT_EQ(permuted.concordance, by_hand.concordance);
  EXPECT_EQ(permuted.auroc, by_hand.auroc);
}

TEST(Detect, SeveralPairsOfAScenarioCountAsOne) {
  auto pairs = planted({6}, 8, Seed(10), 16);
  for (std::size_t i = 0; i < 16; ++i) pairs.scenario[i] = 50 + static_cast<int>(i / 2);
  const auto found = run(pairs, small());
  EXPECT_EQ(found.concordance.n_units, 8);
  EXPECT_EQ(found.p, 0.05);
  pairs.family[1] = 5;  // a scenario in two families
  EXPECT_THROW(run(pairs, small()), Error);
}

TEST(Detect, RefusesWhatItCannotUse) {
  auto pairs = planted({1}, 4, Seed(11));
  auto options = small();
  options.methods = {"magic"};
  EXPECT_THROW(run(pairs, options), Error);
  options.methods = {"dom", "dom"};
  EXPECT_THROW(run(pairs, options), Error);
  options = small();
  options.lambdas = {0};
  EXPECT_THROW(run(pairs, options), Error);
  Cancel cancel;
  cancel.ask();
  EXPECT_THROW(detect(pairs, small(), Seed(1), {}, cancel), Error);
  pairs.high[0].data[3] = NAN;
  EXPECT_THROW(run(pairs, small()), Error);
}

TEST(Detect, TellsHowFarItIs) {
  std::int64_t last = -1;
  std::int64_t total = 0;
  detect(
      planted({1, 1}, 4, Seed(12)), small(), Seed(1),
      [&](const Progress& progress) {
        EXPECT_EQ(progress.done, last + 1);
        last = progress.done;
        total = progress.total;
      },
      Cancel());
  EXPECT_EQ(last + 1, total);
}

// Random directions drawn one by one on the table itself.
TEST(Detect, RandomNullsAreThoseOfRandomDirections) {
  auto pairs = planted({0}, 30, Seed(13));
  for (std::size_t i = 0; i < kPairs; ++i) {  // the shift lies where the variance is
    pairs.high[0].row(i)[3] = 5 * pairs.high[0].row(i)[3] + 6;
    pairs.low[0].row(i)[3] *= 5;
  }
  auto options = small();
  options.permutations = 0;
  options.random_directions = 400;
  const auto found = run(pairs, options);
  Direction like;
  like.unit.assign(30, 0);
  Rows all = pairs.high[0];
  for (std::size_t i = 0; i < kPairs; ++i) all.append(pairs.low[0].row(i));
  for (std::size_t kind = 0; kind < 2; ++kind) {
    double mean = 0;
    for (std::uint64_t b = 0; b < 400; ++b) {
      const auto u = kind == 0 ? random_direction(like, Seed(14).child(b))
                               : variance_matched(like, all, Seed(14).child(b));
      std::vector<double> high;
      std::vector<double> low;
      for (std::size_t i = 0; i < all.n; ++i) {
        double s = 0;
        for (std::size_t j = 0; j < all.d; ++j) s += static_cast<double>(u.unit[j] * all.row(i)[j]);
        (i < kPairs ? high : low).push_back(s);
      }
      const double a = stats::auroc(high, low);
      mean += std::max(a, 1 - a) / 400;
    }
    EXPECT_NEAR(found.nulls[kind].mean, mean, 0.02) << found.nulls[kind].kind;
  }
  EXPECT_GT(found.nulls[1].mean, found.nulls[0].mean + 0.02)
      << ".5 is the wrong null where variance is uneven";
}

// Hidden states that hold nothing but which words were used.
TEST(Rivals, WhereOnlyWordsDifferABagOfWordsDoesAsWell) {
  const auto pairs = planted({20}, 6, Seed(15));
  std::vector<std::string> high;
  std::vector<std::string> low;
  for (std::size_t i = 0; i < kPairs; ++i) {
    const std::string topic = "about topic" + std::to_string(i);
    high.push_back("I am Sorry to hear this " + topic);
    low.push_back("That is fine to hear now " + topic);
  }
  auto options = small();
  const auto found = run(pairs, options);
  const auto bag = bag_of_words(high, low, pairs.family, options, Seed(1));
  EXPECT_EQ(found.concordance.value, 1);
  EXPECT_EQ(bag.concordance, 1);
  EXPECT_EQ(bag.auroc, 1);
  EXPECT_EQ(bag.concordance_by_pair, found.concordance_by_pair);
}

TEST(Rivals, ABagOfWordsThatCannotGeneraliseStaysAtChance) {
  std::vector<std::string> high;
  std::vector<std::string> low;
  std::vector<int> family;
  for (int i = 0; i < 12; ++i) {
    high.push_back("same words, only once: warm" + std::to_string(i));
    low.push_back("same words, only once: cold" + std::to_string(i));
    family.push_back(i);
  }
  const auto bag = bag_of_words(high, low, family, small(), Seed(1));
  EXPECT_EQ(bag.concordance, 0.5);
  EXPECT_EQ(bag.auroc, 0.5);
}

TEST(Rivals, LengthAloneIsFoundWhenItTells) {
  Rows high(kPairs, 1);
  Rows low(kPairs, 1);
  std::vector<int> family;
  Stream stream(Seed(16));
  for (std::size_t i = 0; i < kPairs; ++i) {
    low.row(i)[0] = static_cast<float>(20 + stream.below(5));
    high.row(i)[0] = static_cast<float>(30 + stream.below(5));
    family.push_back(static_cast<int>(i / 2));
  }
  EXPECT_EQ(rival("length", high, low, family, small(), Seed(1)).concordance, 1);
  EXPECT_EQ(rival("length", low, high, family, small(), Seed(1)).auroc, 1);
  const auto flat = rival("length", low, low, family, small(), Seed(1));
  EXPECT_EQ(flat.concordance, 0.5);
  EXPECT_EQ(flat.name, "length");
}

TEST(Rivals, WordsAreLowerCasedAndCutAsReadersWould) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(detail::words_of("I DON'T know \xe2\x80\x94 it\xe2\x80\x99s Zo\xc3\xab's well-being, 'really'."),
            (Words{"i", "don't", "know", "it's", "zo\xc3\xab's", "well-being", "really"}));
  EXPECT_TRUE(detail::words_of(" ... ").empty());
}

// Reference: scikit-learn's TfidfVectorizer(ngram_range=(1, 2)) on the two training texts, by hand.
TEST(Rivals, TfIdfComesFromTheTrainingTextsAlone) {
  const detail::Vocabulary words({"aa bb", "aa cc", "aa dd zz"});
  const auto gram = words.tf_idf_gram({1, 1, 0});
  const double idf = std::log(3.0 / 2) + 1;  // of a term in one of two texts; "aa" has 1
  EXPECT_NEAR(gram(0, 0), 1, 1e-12);
  EXPECT_NEAR(gram(0, 1), 1 / (1 + 2 * idf * idf), 1e-12);
  EXPECT_NEAR(gram(2, 0), 1 / std::sqrt(1 + 2 * idf * idf), 1e-12) << "unknown words are left out";
}

}  // namespace
}  // namespace sonder::latent
