#include "latent/detect.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "latent/detail/design.h"
#include "latent/detail/nested.h"
#include "stats/mean.h"
#include "stats/order.h"

namespace sonder::latent {
namespace {

using detail::Matrix;
using detail::Vector;

// All texts of all layers as f64, rows 2i and 2i+1 the high and low text of the i-th pair in canonical order.
// Shifted by the mean of all texts of the layer: no reader sees a common shift, and the Grams keep their
// digits.
std::vector<Matrix> texts_by_layer(const Pairs& pairs, const std::vector<std::size_t>& order) {
  std::vector<Matrix> out;
  for (std::size_t l = 0; l < pairs.layers.size(); ++l) {
    require(pairs.high[l].n == order.size(), "every layer holds every pair");
    const Matrix x = detail::stacked(pairs.high[l], pairs.low[l]);
    Matrix texts(x.rows(), x.cols());
    const auto n = static_cast<Eigen::Index>(order.size());
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto from = static_cast<Eigen::Index>(order[static_cast<std::size_t>(i)]);
      texts.row(2 * i) = x.row(from);
      texts.row(2 * i + 1) = x.row(n + from);
    }
    texts.rowwise() -= texts.colwise().mean().eval();
    out.push_back(std::move(texts));
  }
  return out;
}

void check(const Pairs& pairs, const DetectOptions& options) {
  require(!pairs.layers.empty(), "detection needs at least one layer");
  require(pairs.high.size() == pairs.layers.size() && pairs.low.size() == pairs.layers.size(),
          "there is one table of high and of low texts a layer");
  require(pairs.scenario.size() == pairs.family.size(), "every pair has a scenario and a family");
  require(options.permutations >= 0 && options.random_directions >= 0, "counts of draws are not negative");
}

detail::Design design_of(const Pairs& pairs, const std::vector<std::size_t>& order,
                         const DetectOptions& options, Seed seed) {
  auto design = detail::plain_design(detail::in_order(pairs.family, order), options, seed);
  const auto scenario = detail::in_order(pairs.scenario, order);
  std::map<int, std::pair<int, int>> known;  // scenario → its number here, its family
  design.scenario.clear();
  for (std::size_t i = 0; i < scenario.size(); ++i) {
    const int family = pairs.family[order[i]];
    const auto [at, is_new] =
        known.try_emplace(scenario[i], std::pair(static_cast<int>(known.size()), family));
    require(at->second.second == family, "all pairs of a scenario belong to one family");
    design.scenario.push_back(at->second.first);
  }
  design.n_scenarios = static_cast<int>(known.size());
  design.n_layers = static_cast<int>(pairs.layers.size());
  return design;
}

std::vector<detail::Labeling> labelings(int n_scenarios, int permutations, Seed seed) {
  std::vector<detail::Labeling> out(static_cast<std::size_t>(permutations) + 1,
                                    detail::Labeling(static_cast<std::size_t>(n_scenarios), 0));
  for (std::size_t b = 1; b < out.size(); ++b) {
    Stream stream(seed.child("permutations").child(b));
    for (char& swapped : out[b]) swapped = stream.coin() ? 1 : 0;
  }
  return out;
}

double permutation_p(const std::vector<detail::Held>& held) {
  constexpr double kSame = 1e-9;
  const detail::Held& observed = held[0];
  const auto reaches = [&](const detail::Held& null) {
    if (std::abs(null.concordance - observed.concordance) > kSame)
      return null.concordance > observed.concordance;
    return null.auroc >= observed.auroc - kSame;
  };
  const auto n = std::count_if(held.begin() + 1, held.end(), reaches);
  return (1.0 + static_cast<double>(n)) / static_cast<double>(held.size());
}

// Over scenarios: by the pairs' scores where each scenario has one pair, else by scenario means.
stats::Estimate concordance_of(const detail::Design& design, const detail::Held& held) {
  if (static_cast<std::size_t>(design.n_scenarios) == design.n_pairs())
    return stats::concordance(held.high, held.low);
  std::vector<double> sum(static_cast<std::size_t>(design.n_scenarios), 0.0);
  std::vector<double> n(sum.size(), 0.0);
  for (std::size_t i = 0; i < design.n_pairs(); ++i) {
    const auto s = static_cast<std::size_t>(design.scenario[i]);
    sum[s] += detail::won(held.high[i], held.low[i]);
    n[s] += 1;
  }
  for (std::size_t s = 0; s < sum.size(); ++s) sum[s] /= n[s];
  auto out = stats::mean(sum);
  for (auto* interval : {&out.ci95, &out.ci90})
    *interval = {std::max(interval->low, 0.0), std::min(interval->high, 1.0)};
  return out;
}

Null summary(const std::string& kind, std::vector<double> separations) {
  std::sort(separations.begin(), separations.end());
  const auto at = [&](double q) {
    const auto i = static_cast<std::size_t>(std::ceil(q * static_cast<double>(separations.size())));
    return separations[std::max<std::size_t>(i, 1) - 1];
  };
  const double sum = std::accumulate(separations.begin(), separations.end(), 0.0);
  return {kind, sum / static_cast<double>(separations.size()), at(.95), at(.99),
          static_cast<int>(separations.size())};
}

// Scores of random directions need no direction: with G = XX' of centred texts, the scores of an isotropic u
// are N(0, G), and those of u ~ N(0, X'X) are N(0, GG). With G = V D V': V D^(1/2) z and V D z.
std::vector<Null> random_nulls(const Matrix& texts, int n, Seed seed) {
  if (n == 0) return {};
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(texts * texts.transpose());
  const Vector variance = eigen.eigenvalues().cwiseMax(0);
  std::vector<Null> out;
  for (const bool matched : {false, true}) {
    const std::string kind = matched ? "variance-matched" : "isotropic";
    const Matrix scale =
        eigen.eigenvectors() * (matched ? variance : variance.cwiseSqrt().eval()).asDiagonal();
    std::vector<double> separations;
    for (int i = 0; i < n; ++i) {
      Stream stream(seed.child(kind).child(static_cast<std::uint64_t>(i)));
      Vector z(texts.rows());
      for (double& value : z) value = stream.normal();
      const Vector scores = scale * z;
      std::vector<double> high;
      std::vector<double> low;
      for (Eigen::Index t = 0; t < scores.size(); ++t) (t % 2 == 0 ? high : low).push_back(scores[t]);
      const double a = stats::auroc(high, low);
      separations.push_back(std::max(a, 1 - a));
    }
    out.push_back(summary(kind, std::move(separations)));
  }
  return out;
}

Rival rival_of(const std::string& name, const detail::Design& design, const detail::KernelOf& kernel,
               const std::vector<std::size_t>& order) {
  const std::vector<detail::Labeling> observed(1, detail::Labeling(design.n_pairs(), 0));
  const auto result = detail::nested(design, kernel, observed, {}, Cancel());
  Rival out{name, result.held[0].auroc, result.held[0].concordance, {}};
  out.concordance_by_pair = detail::by_pair(result.held[0], order);
  return out;
}

detail::Design rival_design(std::span<const int> family, const std::vector<std::size_t>& order,
                            DetectOptions options, Seed seed) {
  options.methods = {"logistic"};
  return detail::plain_design(detail::in_order(family, order), options, seed);
}

}  // namespace

Detected detect(const Pairs& pairs, const DetectOptions& options, Seed seed, const OnProgress& progress,
                const Cancel& cancel) {
  check(pairs, options);
  const auto order = detail::canonical_order(pairs.family, pairs.scenario);
  const auto texts = texts_by_layer(pairs, order);
  const auto design = design_of(pairs, order, options, seed);
  const auto kernel = [&](int layer, bool raw, const std::vector<char>& is_training) {
    return detail::table_kernel(texts[static_cast<std::size_t>(layer)], raw, is_training);
  };
  const auto result = detail::nested(
      design, kernel, labelings(design.n_scenarios, options.permutations, seed), progress, cancel);

  Detected out;
  const auto chosen = static_cast<std::size_t>(result.chosen.layer);
  out.layer = pairs.layers[chosen];
  out.method = name_of(result.chosen.method);
  out.lambda = result.chosen.lambda;
  out.auroc = result.held[0].auroc;
  out.concordance = concordance_of(design, result.held[0]);
  out.concordance_by_pair = detail::by_pair(result.held[0], order);
  out.p = permutation_p(result.held);
  for (std::size_t i = 0; i < result.sweep.size(); ++i)
    out.sweep.push_back({pairs.layers[i / design.methods.size()],
                         name_of(design.methods[i % design.methods.size()]), result.sweep[i].auroc,
                         result.sweep[i].concordance});
  out.nulls = random_nulls(texts[chosen], options.random_directions, seed.child("random directions"));
  return out;
}

Rival rival(const std::string& name, const Rows& high, const Rows& low, std::span<const int> family,
            const DetectOptions& options, Seed seed) {
  require(high.n == family.size(), "every pair has a family");
  const auto order = detail::canonical_order(family, family);
  Pairs pairs;
  pairs.layers = {0};
  pairs.high = {high};
  pairs.low = {low};
  const auto texts = texts_by_layer(pairs, order);
  const auto kernel = [&](int, bool raw, const std::vector<char>& is_training) {
    return detail::table_kernel(texts[0], raw, is_training);
  };
  return rival_of(name, rival_design(family, order, options, seed), kernel, order);
}

Rival bag_of_words(std::span<const std::string> high, std::span<const std::string> low,
                   std::span<const int> family, const DetectOptions& options, Seed seed) {
  require(high.size() == family.size() && low.size() == family.size(),
          "every pair has two texts and a family");
  const auto order = detail::canonical_order(family, family);
  std::vector<std::string> texts;
  for (const std::size_t i : order) texts.insert(texts.end(), {high[i], low[i]});
  const detail::Vocabulary words(texts);
  const auto kernel = [&](int, bool, const std::vector<char>& is_training) {
    return detail::Kernel{words.tf_idf_gram(is_training), 1};
  };
  return rival_of("bag of words", rival_design(family, order, options, seed), kernel, order);
}

}  // namespace sonder::latent
