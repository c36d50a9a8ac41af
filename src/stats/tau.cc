// Kendall's tau-b: the part of reliability.h that counts pairs.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "stats/detail/numbers.h"
#include "stats/reliability.h"

namespace sonder::stats {
namespace {

using Indices = std::vector<std::size_t>;

// Places counted so far, prefix sums in O(log n).
class Fenwick {
 public:
  explicit Fenwick(std::size_t n) : tree_(n + 1) {}
  void add(std::size_t place) {
    for (std::size_t i = place + 1; i < tree_.size(); i += i & (~i + 1)) ++tree_[i];
  }
  long below(std::size_t place) const {
    long total = 0;
    for (std::size_t i = place; i > 0; i -= i & (~i + 1)) total += tree_[i];
    return total;
  }

 private:
  std::vector<long> tree_;
};

// Rank among the distinct values, and how many share each.
struct Dense {
  Indices of;
  std::vector<double> size;
};

Dense dense(std::span<const double> x) {
  std::vector<double> levels(x.begin(), x.end());
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  Dense out{Indices(x.size()), std::vector<double>(levels.size())};
  for (std::size_t i = 0; i < x.size(); ++i) {
    out.of[i] =
        static_cast<std::size_t>(std::lower_bound(levels.begin(), levels.end(), x[i]) - levels.begin());
    out.size[out.of[i]] += 1;
  }
  return out;
}

// For each i: concordant minus discordant pairs with i in it.
std::vector<double> lean(const Dense& x, const Dense& y) {
  const std::size_t n = x.of.size();
  Indices order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x.of[a] < x.of[b]; });
  std::vector<double> out(n);
  const auto sweep = [&](double sign) {
    Fenwick seen(y.size.size());
    long n_seen = 0;
    for (std::size_t first = 0; first < n;) {
      std::size_t last = first;
      for (; last < n && x.of[order[last]] == x.of[order[first]]; ++last) {
        const std::size_t place = y.of[order[last]];
        const long below = seen.below(place);
        const long above = n_seen - seen.below(place + 1);
        out[order[last]] += sign * static_cast<double>(below - above);
      }
      for (std::size_t i = first; i < last; ++i) seen.add(y.of[order[i]]);
      n_seen += static_cast<long>(last - first);
      first = last;
    }
  };
  sweep(1);
  std::reverse(order.begin(), order.end());
  sweep(-1);
  return out;
}

// P(discordant pairs <= fewest or >= the mirror image) over all orders of n. Kendall's recurrence.
double exact_p(std::size_t n, double discordant) {
  const std::size_t pairs = n * (n - 1) / 2;
  std::vector<double> share{1.0};
  for (std::size_t k = 2; k <= n; ++k) {
    std::vector<double> next(share.size() + k - 1);
    for (std::size_t i = 0; i < share.size(); ++i) {
      for (std::size_t j = 0; j < k; ++j) next[i + j] += share[i] / static_cast<double>(k);
    }
    share = std::move(next);
  }
  const auto fewest = static_cast<std::size_t>(std::min(discordant, static_cast<double>(pairs) - discordant));
  double tail = 0;
  for (std::size_t i = 0; i <= fewest; ++i) tail += share[i];
  return std::clamp(2 * tail, std::numeric_limits<double>::min(), 1.0);
}

double normal_p(double n, double score, const Dense& x, const Dense& y) {
  double pairs[2] = {};
  double triples[2] = {};
  double fives[2] = {};
  for (const int side : {0, 1}) {
    for (const double t : (side == 0 ? x : y).size) {
      pairs[side] += t * (t - 1);
      triples[side] += t * (t - 1) * (t - 2);
      fives[side] += t * (t - 1) * (2 * t + 5);
    }
  }
  const double m = n * (n - 1);
  double variance = (m * (2 * n + 5) - fives[0] - fives[1]) / 18 + pairs[0] * pairs[1] / (2 * m);
  if (n > 2) variance += triples[0] * triples[1] / (9 * m * (n - 2));
  return variance > 0 ? std::min(1.0, 2 * detail::normal_tail(std::abs(score) / std::sqrt(variance))) : 1;
}

double tied_pairs(const Dense& x) {
  double total = 0;
  for (const double t : x.size) total += t * (t - 1) / 2;
  return total;
}

}  // namespace

Estimate kendall_tau_b(std::span<const double> x, std::span<const double> y) {
  require(x.size() == y.size(), "two series of equal length");
  detail::require_finite(x, "x");
  detail::require_finite(y, "y");
  const int n_units = static_cast<int>(x.size());
  const Dense dx = dense(x);
  const Dense dy = dense(y);
  if (dx.size.size() < 2 || dy.size.size() < 2)
    return detail::without_interval(Status::undefined, 0, n_units,
                                    "tau needs two different values in each series", {-1, 1});
  const auto n = static_cast<double>(x.size());
  const double all = n * (n - 1) / 2;
  const std::vector<double> own = lean(dx, dy);
  const double score = detail::sum(own) / 2;
  const double free_x = all - tied_pairs(dx);
  const double free_y = all - tied_pairs(dy);
  const double value = std::clamp(score / std::sqrt(free_x * free_y), -1.0, 1.0);
  const bool ties = free_x < all || free_y < all;
  const double p =
      !ties && x.size() <= 33 ? exact_p(x.size(), (all - score) / 2) : normal_p(n, score, dx, dy);
  Estimate estimate;
  if (x.size() < 5) {
    estimate = detail::without_interval(Status::refused, value, n_units,
                                        "an interval needs at least five pairs", {-1, 1});
    estimate.p = p;
    return estimate;
  }
  std::vector<double> without;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double left_x = free_x - (n - dx.size[dx.of[i]]);
    const double left_y = free_y - (n - dy.size[dy.of[i]]);
    if (left_x > 0 && left_y > 0) without.push_back((score - own[i]) / std::sqrt(left_x * left_y));
  }
  estimate.value = value;
  estimate.n_units = n_units;
  estimate.p = p;
  estimate.se = std::sqrt(detail::variance(without) * (n - 1) * (n - 1) / n);
  if (without.size() < x.size()) detail::flag(estimate, "without one unit a series is constant");
  if (std::abs(value) == 1) {
    estimate.ci95 = estimate.ci90 = {value, value};
    detail::flag(estimate, "the orders agree exactly, so the interval is the point");
    return estimate;
  }
  const auto ends = [&](double level) {
    const double half = detail::t_quantile(level, n - 1) * estimate.se / (1 - value * value);
    return Interval{std::tanh(std::atanh(value) - half), std::tanh(std::atanh(value) + half)};
  };
  estimate.ci95 = ends(0.975);
  estimate.ci90 = ends(0.95);
  return detail::settled(std::move(estimate));
}

}  // namespace sonder::stats
