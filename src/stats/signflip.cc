#include "stats/signflip.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"
#include "stats/detail/flips.h"
#include "stats/detail/labels.h"
#include "stats/detail/numbers.h"
#include "stats/mean.h"

namespace sonder::stats {
namespace {

constexpr std::size_t kExactFlips = 20;
constexpr int kFewestUnits = 6;

// theta rejects a subset's flip exactly when it lies beyond sum / size of the flipped ones.
std::vector<double> all_subset_means(std::span<const double> sum, std::span<const double> size) {
  std::vector<std::pair<double, double>> parts{{0, 0}};
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const std::size_t have = parts.size();
    for (std::size_t j = 0; j < have; ++j)
      parts.emplace_back(parts[j].first + sum[i], parts[j].second + size[i]);
  }
  std::vector<double> means;
  for (std::size_t i = 1; i < parts.size(); ++i) means.push_back(parts[i].first / parts[i].second);
  return means;
}

std::vector<double> drawn_subset_means(std::span<const double> sum, std::span<const double> size, Seed seed,
                                       int draws) {
  const bool equal = std::all_of(size.begin(), size.end(), [&](double s) { return s == size[0]; });
  const detail::Flips sums(sum);
  const detail::Flips sizes(size);
  std::vector<double> means(static_cast<std::size_t>(draws));
  for (std::size_t b = 0; b < means.size(); ++b) {
    for (std::uint64_t attempt = 0;; ++attempt) {  // an empty subset says nothing
      const Seed own = seed.child(b).child(attempt);
      Stream stream(own);
      const auto part = sums.subset(stream);
      if (part.size == 0) continue;
      double rows = static_cast<double>(part.size) * size[0];
      if (!equal) {
        Stream same(own);
        rows = sizes.subset(same).sum;
      }
      means[b] = part.sum / rows;
      break;
    }
  }
  return means;
}

Estimate invert(std::span<const double> sum, std::span<const double> size, double value, double se, Seed seed,
                int draws) {
  const int n = static_cast<int>(sum.size());
  if (n < kFewestUnits)
    return detail::without_interval(Status::refused, value, n, "no 95 % sign-flip interval below 6 units");
  const bool exact = sum.size() <= kExactFlips;
  auto means =
      exact ? all_subset_means(sum, size) : drawn_subset_means(sum, size, seed.child("subsets"), draws);
  std::sort(means.begin(), means.end());
  const auto interval = [&](double alpha) {
    const auto k = static_cast<std::size_t>(alpha / 2 * (static_cast<double>(means.size()) + 1));
    return Interval{means[k - 1], means[means.size() - k]};
  };
  Estimate out;
  out.value = value;
  out.se = se;
  out.n_units = n;
  out.ci95 = interval(.05);
  out.ci90 = interval(.10);
  out.p = sign_flip(sum, seed.child("flips"), draws).p;
  if (se == 0) detail::flag(out, "all units agree exactly, so the spread and the interval are zero");
  return detail::settled(std::move(out));
}

}  // namespace

Estimate sign_flip_interval(std::span<const double> x, Seed seed, int draws) {
  detail::require_finite(x, "sign flip");
  require(draws >= 99, "a sign-flip interval needs at least 99 draws");
  const std::vector<double> ones(x.size(), 1.0);
  const double se = x.empty() ? 0 : std::sqrt(detail::variance(x) / static_cast<double>(x.size()));
  return invert(x, ones, detail::mean_of(x), se, seed, draws);
}

Estimate sign_flip_interval(std::span<const double> x, std::span<const int> cluster, Seed seed, int draws) {
  detail::require_finite(x, "sign flip");
  require(x.size() == cluster.size(), "every row needs its cluster");
  require(draws >= 99, "a sign-flip interval needs at least 99 draws");
  const detail::Labels labels = detail::dense(cluster);
  std::vector<double> sum(labels.count, 0.0);
  std::vector<double> size(labels.count, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum[labels.of[i]] += x[i];
    size[labels.of[i]] += 1;
  }
  const double se = labels.count < 2 ? 0 : clustered_mean(x, cluster, ClusterError::cr1).mean.se;
  return invert(sum, size, detail::mean_of(x), se, seed, draws);
}

}  // namespace sonder::stats
