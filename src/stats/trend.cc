#include "stats/trend.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "stats/detail/numbers.h"
#include "stats/mean.h"
#include "stats/order.h"

namespace sonder::stats {
namespace {

constexpr double kMostSteps = 2e8;  // an upper bound of the work: below a second

// J as if every pair were counted twice, so that ties are whole. values ascending, each with its group.
long doubled_j(std::span<const std::pair<double, std::size_t>> sorted, std::size_t n_groups) {
  std::vector<long> below(n_groups, 0);
  std::vector<long> equal(n_groups, 0);
  long total = 0;
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t last = first;
    while (last < sorted.size() && sorted[last].first == sorted[first].first) ++equal[sorted[last++].second];
    for (std::size_t high = 1; high < n_groups; ++high)
      for (std::size_t low = 0; low < high; ++low) total += equal[high] * (2 * below[low] + equal[low]);
    for (std::size_t g = 0; g < n_groups; ++g) below[g] += std::exchange(equal[g], 0L);
    first = last;
  }
  return total;
}

// Moments as Hollander and Wolfe give them; the second and third term vanish without ties.
double variance_given_ties(std::span<const double> sizes, std::span<const double> ties, double n) {
  const auto over = [](std::span<const double> counts, auto of) {
    double total = 0;
    for (const double c : counts) total += of(c);
    return total;
  };
  const auto cubic = [](double c) { return c * (c - 1) * (2 * c + 5); };
  const auto three = [](double c) { return c * (c - 1) * (c - 2); };
  const auto two = [](double c) { return c * (c - 1); };
  double variance = (cubic(n) - over(sizes, cubic) - over(ties, cubic)) / 72;
  if (n > 2) variance += over(sizes, three) * over(ties, three) / (36 * three(n));
  return variance + over(sizes, two) * over(ties, two) / (8 * two(n));
}

// The exact distribution, value by value from the least: a state is how many of each group are placed
// already. Each way to hand one tied set to the groups adds a fixed amount to J.
class ExactJ {
 public:
  ExactJ(std::vector<std::size_t> sizes, std::vector<std::size_t> ties)
      : sizes_(std::move(sizes)), ties_(std::move(ties)) {}

  double steps() const {  // an upper bound of the work
    double states = 1;
    double pairs = 0;
    double n = 0;
    for (const std::size_t size : sizes_) {
      states *= static_cast<double>(size) + 1;
      pairs += n * static_cast<double>(size);
      n += static_cast<double>(size);
    }
    const auto most = static_cast<double>(*std::max_element(ties_.begin(), ties_.end()));
    double ways = 1;  // to hand out the largest tied set
    for (std::size_t g = 1; g < sizes_.size(); ++g)
      ways *= (most + static_cast<double>(g)) / static_cast<double>(g);
    return states * ways * (2 * pairs + 1);
  }

  double upper_tail(long observed) {
    std::map<std::vector<std::size_t>, std::map<long, double>> now;
    now[std::vector<std::size_t>(sizes_.size(), 0)][0] = 1;
    for (const std::size_t tied : ties_) {
      std::map<std::vector<std::size_t>, std::map<long, double>> next;
      for (const auto& [placed, ways] : now) {
        std::vector<std::size_t> given(sizes_.size(), 0);
        hand_out(placed, given, 0, tied, 1, ways, next);
      }
      now = std::move(next);
    }
    double all = 0;
    double reached = 0;
    for (const auto& [j, ways] : now.begin()->second) {
      all += ways;
      if (j >= observed) reached += ways;
    }
    return reached / all;
  }

 private:
  void hand_out(const std::vector<std::size_t>& placed, std::vector<std::size_t>& given, std::size_t group,
                std::size_t left, double orders, const std::map<long, double>& ways,
                std::map<std::vector<std::size_t>, std::map<long, double>>& next) const {
    if (group + 1 == sizes_.size()) {
      if (placed[group] + left > sizes_[group]) return;
      given[group] = left;
      std::vector<std::size_t> after = placed;
      long more = 0;
      for (std::size_t high = 0; high < sizes_.size(); ++high) {
        after[high] += given[high];
        for (std::size_t low = 0; low < high; ++low)
          more += static_cast<long>(given[high] * (2 * placed[low] + given[low]));
      }
      std::map<long, double>& into = next[after];
      for (const auto& [j, count] : ways) into[j + more] += count * orders;
      return;
    }
    double choose = 1;  // left over k
    for (std::size_t k = 0; k <= left && placed[group] + k <= sizes_[group]; ++k) {
      given[group] = k;
      hand_out(placed, given, group + 1, left - k, orders * choose, ways, next);
      choose *= static_cast<double>(left - k) / static_cast<double>(k + 1);
    }
  }

  std::vector<std::size_t> sizes_;
  std::vector<std::size_t> ties_;
};

struct Pooled {
  std::vector<std::pair<double, std::size_t>> sorted;  // value, group
  std::vector<std::size_t> sizes;
  std::vector<std::size_t> ties;
};

Pooled pool(std::span<const std::vector<double>> groups) {
  Pooled pooled;
  for (const auto& group : groups) {
    detail::require_finite(group, "group");
    if (group.empty()) continue;
    for (const double value : group) pooled.sorted.emplace_back(value, pooled.sizes.size());
    pooled.sizes.push_back(group.size());
  }
  std::sort(pooled.sorted.begin(), pooled.sorted.end());
  for (std::size_t i = 0; i < pooled.sorted.size(); ++i) {
    if (i == 0 || pooled.sorted[i].first != pooled.sorted[i - 1].first) pooled.ties.push_back(0);
    ++pooled.ties.back();
  }
  return pooled;
}

std::vector<double> as_doubles(std::span<const std::size_t> counts) { return {counts.begin(), counts.end()}; }

// Group labels of the sorted values, shuffled within the whole.
double permuted_p(Pooled pooled, long observed, Seed seed, int draws) {
  std::vector<std::size_t> labels;
  for (const auto& [value, group] : pooled.sorted) labels.push_back(group);
  long reached = 0;
  for (int b = 0; b < draws; ++b) {
    Stream stream(seed.child(static_cast<std::uint64_t>(b)));
    std::vector<std::size_t> shuffled = labels;
    stream.shuffle(shuffled);
    for (std::size_t i = 0; i < shuffled.size(); ++i) pooled.sorted[i].second = shuffled[i];
    reached += doubled_j(pooled.sorted, pooled.sizes.size()) >= observed ? 1 : 0;
  }
  return (1.0 + static_cast<double>(reached)) / (draws + 1.0);
}

struct Line {
  double slope = 0;
  double squares = 0;  // of the residuals
};

Line line_through(std::span<const double> y, std::span<const double> x, double centre, double sxx) {
  const double level = detail::mean_of(y);
  Line line;
  for (std::size_t i = 0; i < x.size(); ++i) line.slope += (x[i] - centre) * (y[i] - level) / sxx;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double residual = y[i] - level - line.slope * (x[i] - centre);
    line.squares += residual * residual;
  }
  return line;
}

// P(a normal with this mean and variance is below 0).
double below_zero(double mean, double variance) {
  if (!std::isfinite(mean) || !std::isfinite(variance)) return std::nan("");  // settled() has the last word
  if (variance > 0) return detail::normal_cdf(-mean / std::sqrt(variance));
  return mean < 0 ? 1.0 : 0.0;
}

double share_below_zero(std::span<const double> slopes) {
  const auto below = std::count_if(slopes.begin(), slopes.end(), [](double s) { return s < 0; });
  return static_cast<double>(below) / static_cast<double>(slopes.size());
}

Estimate excess_of(const Slopes& found, Seed seed, int draws) {
  const std::size_t n = found.slope.size();
  Estimate out;
  out.value = found.anti_steerable.value - found.expected;
  out.n_units = static_cast<int>(n);
  std::vector<double> replicates(static_cast<std::size_t>(draws));
  std::vector<double> sample(n);
  for (std::size_t b = 0; b < replicates.size(); ++b) {
    Stream stream(seed.child(b));
    for (double& s : sample) s = found.slope[stream.below(n)];
    replicates[b] = share_below_zero(sample) - below_zero(detail::mean_of(sample), found.noise_variance);
  }
  std::sort(replicates.begin(), replicates.end());
  out.se = std::sqrt(detail::variance(replicates));
  out.ci95 = {detail::sorted_quantile(replicates, .025), detail::sorted_quantile(replicates, .975)};
  out.ci90 = {detail::sorted_quantile(replicates, .05), detail::sorted_quantile(replicates, .95)};
  const auto not_above = std::count_if(replicates.begin(), replicates.end(), [](double t) { return t <= 0; });
  const double low = (1 + static_cast<double>(not_above)) / (draws + 1.0);
  out.p = std::min(1.0, 2 * std::min(low, 1 - low + 1 / (draws + 1.0)));
  if (n < 10) detail::flag(out, "fewer than 10 scenarios: the interval is rough");
  return detail::settled(std::move(out));
}

}  // namespace

Jonckheere jonckheere(std::span<const std::vector<double>> groups, Seed seed, int draws) {
  require(draws > 0, "a permutation test needs at least one draw");
  const Pooled pooled = pool(groups);
  Jonckheere out;
  if (pooled.sizes.size() < 2 || pooled.ties.size() < 2) {
    out.status = Status::undefined;
    return out;
  }
  const auto sizes = as_doubles(pooled.sizes);
  const auto ties = as_doubles(pooled.ties);
  const auto n = static_cast<double>(pooled.sorted.size());
  const long observed = doubled_j(pooled.sorted, pooled.sizes.size());
  out.j = static_cast<double>(observed) / 2;
  double squares = 0;
  for (const double size : sizes) squares += size * size;
  out.expected = (n * n - squares) / 4;
  out.variance = variance_given_ties(sizes, {}, n);
  out.variance_ties = variance_given_ties(sizes, ties, n);
  out.z = (out.j - out.expected) / std::sqrt(out.variance);
  out.p_normal = detail::normal_tail(out.z);
  if (out.variance_ties > 0) {
    out.z_ties = (out.j - out.expected) / std::sqrt(out.variance_ties);
    out.p_normal_ties = detail::normal_tail(out.z_ties);
  }
  ExactJ whole(pooled.sizes, pooled.ties);
  out.exact = whole.steps() <= kMostSteps;
  out.p = out.exact ? std::clamp(whole.upper_tail(observed), std::numeric_limits<double>::min(), 1.0)
                    : permuted_p(pooled, observed, seed, draws);
  return out;
}

Slopes dose_slopes(const Numbers& curves, std::span<const double> doses, Seed seed, double noise_sd,
                   int draws) {
  detail::require_finite(curves.data, "curves");
  detail::require_finite(doses, "doses");
  require(curves.d == doses.size() || curves.n == 0, "a curve has one score for every dose");
  require(noise_sd >= 0 && std::isfinite(noise_sd), "the noise of a score is not negative");
  require(draws > 0, "a bootstrap needs at least one draw");
  const double spread = detail::variance(doses) * (static_cast<double>(doses.size()) - 1);
  require(doses.size() >= 2 && spread > 0, "a slope needs two different doses");
  const double centre = detail::mean_of(doses);
  Slopes out;
  double squares = 0;
  for (std::size_t i = 0; i < curves.n; ++i) {
    const Line line = line_through(curves.row(i), doses, centre, spread);
    out.slope.push_back(line.slope);
    squares += line.squares;
  }
  const bool finite =
      std::all_of(out.slope.begin(), out.slope.end(), [](double s) { return std::isfinite(s); });
  const int n = static_cast<int>(curves.n);
  if (!finite || !std::isfinite(squares)) {
    const char* why = "the numbers are too large to compute with";
    std::fill(out.slope.begin(), out.slope.end(), 0.0);
    out.mean = detail::without_interval(Status::undefined, 0, n, why);
    out.anti_steerable = detail::without_interval(Status::undefined, 0, n, why, {0, 1});
    out.excess = detail::without_interval(Status::undefined, 0, n, why, {-1, 1});
    return out;
  }
  out.mean = mean(out.slope);
  const auto below = std::count_if(out.slope.begin(), out.slope.end(), [](double s) { return s < 0; });
  out.anti_steerable = wilson(below, static_cast<long>(curves.n));
  if (n < 2 || (doses.size() < 3 && noise_sd == 0)) {
    out.excess = detail::without_interval(Status::undefined, 0, n,
                                          n < 2 ? "an excess needs at least two scenarios"
                                                : "two doses leave no residual: give the noise of a score",
                                          {-1, 1});
    return out;
  }
  const double residual_df = static_cast<double>(curves.n) * static_cast<double>(doses.size() - 2);
  out.noise_variance = (noise_sd > 0 ? noise_sd * noise_sd : squares / residual_df) / spread;
  out.true_variance = std::max(0.0, detail::variance(out.slope) - out.noise_variance);
  if (!std::isfinite(detail::mean_of(out.slope)) || !std::isfinite(out.noise_variance) ||
      !std::isfinite(out.true_variance)) {
    out.noise_variance = out.true_variance = 0;
    out.excess = detail::without_interval(Status::undefined, 0, n,
                                          "the numbers are too large to compute with", {-1, 1});
    return out;
  }
  out.expected = below_zero(out.mean.value, out.noise_variance);
  out.true_share = below_zero(out.mean.value, out.true_variance);
  out.excess = excess_of(out, seed, draws);
  return out;
}

Reversal reversal(const Numbers& curves, double alpha) {
  detail::require_finite(curves.data, "curves");
  require(alpha > 0 && alpha < 1, "alpha lies inside (0, 1)");
  Reversal out;
  if (curves.n < 2 || curves.d < 2) return out;
  std::vector<double> falls;
  for (std::size_t j = 1; j < curves.d; ++j) {
    std::vector<double> change;
    for (std::size_t i = 0; i < curves.n; ++i) change.push_back(curves.row(i)[j] - curves.row(i)[j - 1]);
    const Estimate step = mean(change);
    out.step.push_back(step.value);
    falls.push_back(step.value < 0 ? step.p / 2 : 1 - step.p / 2);
  }
  out.adjusted = holm(falls);
  for (std::size_t j = 0; j < out.step.size(); ++j)
    out.reversed = out.reversed || (out.step[j] < 0 && out.adjusted[j] <= alpha);
  return out;
}

}  // namespace sonder::stats
