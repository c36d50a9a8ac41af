// Folds by family, and how held-out scores are counted.
#include <algorithm>
#include <cmath>
#include <map>

#include "latent/detail/nested.h"

namespace sonder::latent::detail {
namespace {

constexpr double kSame = 1e-9;  // scores this close are a tie

}  // namespace

double pairwise_auroc(const std::vector<double>& high, const std::vector<double>& low) {
  double sum = 0;
  for (const double h : high)
    for (const double l : low) sum += won(h, l);
  return sum / static_cast<double>(high.size() * low.size());
}

Method method_named(const std::string& name) {
  if (name == "dom") return Method::dom;
  if (name == "lda") return Method::lda;
  require(name == "logistic", "a reader is one of dom, lda, logistic");
  return Method::logistic;
}

std::string name_of(Method method) {
  return method == Method::dom ? "dom" : method == Method::lda ? "lda" : "logistic";
}

bool better(const Score& a, const Score& b) {
  if (std::abs(a.concordance - b.concordance) > kSame) return a.concordance > b.concordance;
  if (std::abs(a.auroc - b.auroc) > kSame) return a.auroc > b.auroc;
  return a.margin > b.margin + kSame;
}

Folds assign_folds(std::span<const int> family, int n_folds, Seed seed) {
  std::map<int, int> size;  // ascending family, so that the order of pairs does not matter
  for (const int f : family) ++size[f];
  require(size.size() >= 3, "nested folds need pairs from at least three families");
  require(n_folds >= 3, "nested folds need at least three folds");
  std::vector<std::pair<int, int>> families(size.begin(), size.end());
  Stream(seed.child("folds")).shuffle(families);
  std::ranges::stable_sort(families, std::ranges::greater{}, &std::pair<int, int>::second);
  Folds out;
  out.n_folds = std::min(n_folds, static_cast<int>(families.size()));
  std::vector<int> filled(static_cast<std::size_t>(out.n_folds), 0);
  std::map<int, int> fold_of;
  for (const auto& [f, n] : families) {
    const auto emptiest = std::ranges::min_element(filled);
    *emptiest += n;
    fold_of[f] = static_cast<int>(emptiest - filled.begin());
  }
  for (const int f : family) out.fold.push_back(fold_of[f]);
  return out;
}

void summarise(const Design& design, Held& held) {
  std::vector<double> by_scenario(static_cast<std::size_t>(design.n_scenarios), 0.0);
  std::vector<double> pairs(by_scenario.size(), 0.0);
  for (std::size_t i = 0; i < design.n_pairs(); ++i) {
    const auto s = static_cast<std::size_t>(design.scenario[i]);
    by_scenario[s] += won(held.high[i], held.low[i]);
    pairs[s] += 1;
  }
  held.concordance = 0;
  for (std::size_t s = 0; s < pairs.size(); ++s)
    held.concordance += by_scenario[s] / pairs[s] / static_cast<double>(design.n_scenarios);
  held.auroc = 0;
  for (int k = 0; k < design.folds.n_folds; ++k) {
    std::vector<double> high;
    std::vector<double> low;
    for (std::size_t i = 0; i < design.n_pairs(); ++i) {
      if (design.folds.fold[i] != k) continue;
      high.push_back(held.high[i]);
      low.push_back(held.low[i]);
    }
    held.auroc += pairwise_auroc(high, low) / design.folds.n_folds;
  }
}

}  // namespace sonder::latent::detail
