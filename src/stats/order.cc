#include "stats/order.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "stats/detail/numbers.h"

namespace sonder::stats {
namespace {

constexpr std::size_t kExactLevels = 7;   // 7! permutations of one block
constexpr std::size_t kExactCells = 400;  // n k: the convolution stays below a tenth of a second

// A distribution over whole numbers: probability[i] belongs to first + i. Ranks are doubled, so that
// mid-ranks fit.
struct Whole {
  long first = 0;
  std::vector<double> probability{1.0};
};

// Of sum_j j R_j when one block's doubled ranks are handed out at random. `ranks` sorted.
Whole of_one_block(std::vector<int> ranks) {
  const auto score = [](const std::vector<int>& order) {
    long total = 0;
    for (std::size_t j = 0; j < order.size(); ++j) total += static_cast<long>(j + 1) * order[j];
    return total;
  };
  const long most = score(ranks);
  std::vector<int> falling(ranks.rbegin(), ranks.rend());
  Whole whole{score(falling), {}};
  whole.probability.assign(static_cast<std::size_t>(most - whole.first + 1), 0.0);
  double n_orders = 0;
  do {  // each distinct order of the tied ranks stands for equally many permutations
    whole.probability[static_cast<std::size_t>(score(ranks) - whole.first)] += 1;
    n_orders += 1;
  } while (std::next_permutation(ranks.begin(), ranks.end()));
  for (double& p : whole.probability) p /= n_orders;
  return whole;
}

Whole add(const Whole& a, const Whole& b) {
  Whole both{a.first + b.first, std::vector<double>(a.probability.size() + b.probability.size() - 1, 0.0)};
  for (std::size_t j = 0; j < b.probability.size(); ++j) {
    if (b.probability[j] == 0) continue;
    for (std::size_t i = 0; i < a.probability.size(); ++i)
      both.probability[i + j] += a.probability[i] * b.probability[j];
  }
  return both;
}

// P(at least `observed`), smallest terms first.
double upper_tail(const Whole& whole, long observed) {
  double p = 0;
  for (std::size_t i = whole.probability.size(); i-- > 0 && whole.first + static_cast<long>(i) >= observed;)
    p += whole.probability[i];
  return std::clamp(p, std::numeric_limits<double>::min(), 1.0);
}

double squares_about(std::span<const double> x) {
  const double centre = detail::mean_of(x);
  double squares = 0;
  for (const double value : x) squares += (value - centre) * (value - centre);
  return squares;
}

struct Explained {
  double part = 0;   // SST - SSE_iso: spread of the fit about the mean
  double total = 0;  // SST
};

Explained explained(const Numbers& curves) {
  std::vector<double> means(curves.d, 0.0);
  for (std::size_t i = 0; i < curves.n; ++i)
    for (std::size_t j = 0; j < curves.d; ++j) means[j] += curves.row(i)[j];
  for (double& m : means) m /= static_cast<double>(curves.n);
  return {squares_about(isotonic(means)), squares_about(means)};
}

std::vector<std::size_t> rising(std::span<const double> p) {
  for (const double one : p) require(one >= 0 && one <= 1, "a p value lies in [0, 1]");
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  return order;
}

}  // namespace

Page page(const Numbers& blocks) {
  detail::require_finite(blocks.data, "blocks");
  Page page;
  if (blocks.n == 0 || blocks.d < 2) {
    page.status = Status::undefined;
    return page;
  }
  const auto k = static_cast<double>(blocks.d);
  const bool small = blocks.d <= kExactLevels && blocks.n * blocks.d <= kExactCells;
  std::map<std::vector<int>, Whole> known;
  Whole total;
  for (std::size_t i = 0; i < blocks.n; ++i) {
    const auto ranks = detail::mid_ranks(blocks.row(i));
    for (std::size_t j = 0; j < ranks.size(); ++j) page.l += static_cast<double>(j + 1) * ranks[j];
    page.expected += k * (k + 1) * (k + 1) / 4;
    page.variance += k * (k * k - 1) / 12 * squares_about(ranks) / (k - 1);
    if (!small) continue;
    std::vector<int> doubled(ranks.size());
    std::transform(ranks.begin(), ranks.end(), doubled.begin(),
                   [](double r) { return static_cast<int>(2 * r); });
    std::sort(doubled.begin(), doubled.end());
    auto at = known.find(doubled);
    if (at == known.end()) at = known.emplace(doubled, of_one_block(doubled)).first;
    total = add(total, at->second);
  }
  if (page.variance <= 0) {
    page.status = Status::undefined;
    return page;
  }
  page.z = (page.l - page.expected) / std::sqrt(page.variance);
  page.p_normal = detail::normal_tail(page.z);
  page.exact = small;
  page.p = small ? upper_tail(total, std::lround(2 * page.l)) : page.p_normal;
  return page;
}

std::vector<double> isotonic(std::span<const double> y) {
  detail::require_finite(y, "isotonic fit");
  struct Pool {
    double total;
    std::size_t size;
    double level() const { return total / static_cast<double>(size); }
  };
  std::vector<Pool> pools;
  for (const double value : y) {
    pools.push_back({value, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].level() >= pools.back().level()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().total += last.total;
      pools.back().size += last.size;
    }
  }
  std::vector<double> fit;
  fit.reserve(y.size());
  for (const Pool& pool : pools) fit.insert(fit.end(), pool.size, pool.level());
  return fit;
}

Monotonicity monotonicity(const Numbers& curves, Seed seed, int draws) {
  detail::require_finite(curves.data, "curves");
  require(draws > 0, "a permutation test needs at least one draw");
  Monotonicity result;
  if (curves.n == 0 || curves.d < 2) return result;
  const Explained observed = explained(curves);
  if (!(observed.total > 0) || !std::isfinite(observed.total)) return result;  // flat, or too large to square
  result.index =
      std::clamp(observed.part / observed.total, 0.0, 1.0);  // the fit and its residual are orthogonal
  std::vector<double> null(static_cast<std::size_t>(draws));
  for (std::size_t b = 0; b < null.size(); ++b) {
    Numbers permuted = curves;
    Stream stream(seed.child(b));
    for (std::size_t i = 0; i < permuted.n; ++i) stream.shuffle(permuted.row(i));
    null[b] = explained(permuted).part;
  }
  result.p = permutation_p(observed.part, null);
  return result;
}

double permutation_p(double observed, std::span<const double> null) {
  require(std::isfinite(observed), "the observed statistic must be a finite number");
  detail::require_finite(null, "null statistics");
  const double tie = 1e-12 * std::abs(observed);
  const auto reached = std::count_if(null.begin(), null.end(), [&](double t) { return t >= observed - tie; });
  return (1 + static_cast<double>(reached)) / (static_cast<double>(null.size()) + 1);
}

std::vector<double> holm(std::span<const double> p) {
  const auto order = rising(p);
  std::vector<double> adjusted(p.size());
  double most = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    most = std::max(most, std::min(1.0, p[order[i]] * static_cast<double>(p.size() - i)));
    adjusted[order[i]] = most;
  }
  return adjusted;
}

std::vector<double> benjamini_hochberg(std::span<const double> p) {
  const auto order = rising(p);
  std::vector<double> adjusted(p.size());
  double least = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    least = std::min(least, p[order[i]] * static_cast<double>(p.size()) / static_cast<double>(i + 1));
    adjusted[order[i]] = least;
  }
  return adjusted;
}

}  // namespace sonder::stats
