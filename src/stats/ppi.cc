#include "stats/ppi.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "stats/detail/by_normal.h"
#include "stats/detail/numbers.h"

namespace sonder::stats {
namespace {

constexpr int kFewest = 30;  // labelled units under which the normal interval is too short

// Sums over units taken from a common centre, so that one unit can be taken out again.
struct Sums {
  double n = 0, f = 0, ff = 0;
  void add(double x, double sign = 1) {
    n += sign;
    f += sign * x;
    ff += sign * x * x;
  }
  double squares() const { return n > 0 ? std::max(0.0, ff - f * f / n) : 0; }
};

struct Tuner {
  Sums labelled, all;
  double y = 0, yf = 0;
  double n_unlabelled = 0;
  double least = 0;  // squares below this are arithmetic, not data

  // cov(Y, F) with 1/n over ((1 + n/N) var(F of all) with n - 1), clipped to [0, 1].
  double lambda() const {
    const double n = labelled.n;
    if (n < 1 || all.n < 2 || n_unlabelled < 1 || all.squares() <= least) return 0;
    const double covariance = (yf - y * labelled.f / n) / n;
    const double variance = all.squares() / (all.n - 1);
    return std::clamp(covariance / ((1 + n / n_unlabelled) * variance), 0.0, 1.0);
  }
  void add(double human, double judge, double sign = 1) {
    labelled.add(judge, sign);
    all.add(judge, sign);
    y += sign * human;
    yf += sign * human * judge;
  }
};

Tuner tuner(std::span<const double> human, std::span<const double> judge, std::span<const double> judge_only,
            double centre_y, double centre_f) {
  Tuner tuner;
  for (std::size_t i = 0; i < human.size(); ++i) tuner.add(human[i] - centre_y, judge[i] - centre_f);
  double largest = 0;
  for (const double x : judge) largest = std::max(largest, std::abs(x));
  for (const double x : judge_only) {
    tuner.all.add(x - centre_f);
    largest = std::max(largest, std::abs(x));
  }
  tuner.n_unlabelled = static_cast<double>(judge_only.size());
  tuner.least = largest * largest * 1e-26;
  return tuner;
}

// The parts a mean and a weighted mean of means are made of.
struct Part {
  double value = 0, variance = 0, lambda = 0, variance_human = 0;
  std::size_t n = 0;
  bool silent = false;  // the judge has nothing to say
};

Part part_of(const PpiStratum& s, const PpiOptions& options) {
  const std::size_t n = s.human.size();
  const double centre_y = detail::mean_of(s.human);
  const double centre_f = detail::mean_of(s.judge);
  Tuner all = tuner(s.human, s.judge, s.judge_only, centre_y, centre_f);
  std::vector<double> lambda(n, options.tuning == Tuning::fixed ? options.lambda : all.lambda());
  Part part;
  part.n = n;
  part.silent = s.judge_only.empty() || all.all.squares() <= all.least;
  if (part.silent) std::fill(lambda.begin(), lambda.end(), 0.0);
  if (options.tuning == Tuning::cross_fitted && !part.silent) {
    for (std::size_t i = 0; i < n; ++i) {
      Tuner others = all;
      others.add(s.human[i] - centre_y, s.judge[i] - centre_f, -1);
      lambda[i] = others.lambda();
    }
  }
  std::vector<double> rectified(n);
  for (std::size_t i = 0; i < n; ++i)
    rectified[i] = (s.human[i] - centre_y) - lambda[i] * (s.judge[i] - centre_f);
  part.lambda = detail::mean_of(lambda);
  std::vector<double> moved(s.judge_only.size());
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = s.judge_only[i] - centre_f;
  part.value = centre_y + detail::mean_of(rectified) + part.lambda * detail::mean_of(moved);
  const auto shrink = [&](std::size_t count) {
    const auto c = static_cast<double>(count);
    return options.interval == PpiInterval::normal ? (c - 1) / c : 1.0;
  };
  part.variance = detail::variance(rectified) * shrink(n) / static_cast<double>(n);
  part.variance_human = detail::variance(s.human) * shrink(n) / static_cast<double>(n);
  if (!moved.empty())
    part.variance += part.lambda * part.lambda * detail::variance(moved) * shrink(moved.size()) /
                     static_cast<double>(moved.size());
  return part;
}

void require_stratum(const PpiStratum& s, const PpiOptions& options) {
  require(s.human.size() == s.judge.size(), "every labelled unit has a human score and a judge's");
  require(std::isfinite(s.weight) && s.weight > 0, "the weight of a stratum is positive");
  require(std::isfinite(options.lambda), "lambda is a number");
  detail::require_finite(s.human, "human scores");
  detail::require_finite(s.judge, "judge scores of labelled units");
  detail::require_finite(s.judge_only, "judge scores of unlabelled units");
}

Ppi conclude(Part whole, double df, std::size_t fewest, const PpiOptions& options) {
  Ppi out;
  const int n_units = static_cast<int>(whole.n);
  const double se = std::sqrt(whole.variance);
  out.lambda = whole.lambda;
  out.se_human = std::sqrt(whole.variance_human);
  const bool small = fewest < kFewest;
  if (options.interval == PpiInterval::normal && small) {
    out.estimate = detail::without_interval(Status::refused, whole.value, n_units,
                                            "a normal interval needs 30 labelled units; ask for Student's t");
    out.estimate.se = se;
  } else if (options.interval == PpiInterval::normal) {
    out.estimate = detail::by_normal(whole.value, se, n_units);
  } else {
    out.estimate = detail::by_t(whole.value, se, df, n_units);
    if (small) detail::flag(out.estimate, "fewer than 30 labelled units: the interval is rough");
  }
  if (whole.silent) detail::flag(out.estimate, "the judge adds nothing here: lambda is 0");
  const Status status = out.estimate.status;
  out.estimate = detail::settled(std::move(out.estimate));
  if (out.estimate.status == status) {
    out.normal95 = detail::normal_interval(whole.value, se, 0.95);
  } else {
    out.lambda = out.se_human = 0;
  }
  return out;
}

}  // namespace

Ppi ppi_stratified(std::span<const PpiStratum> strata, PpiOptions options) {
  double weights = 0;
  std::size_t fewest = strata.empty() ? 0 : strata[0].human.size();
  std::size_t n = 0;
  for (const PpiStratum& s : strata) {
    require_stratum(s, options);
    weights += s.weight;
    fewest = std::min(fewest, s.human.size());
    n += s.human.size();
  }
  if (fewest < 2) {
    Ppi out;
    out.estimate = detail::without_interval(Status::undefined, 0, static_cast<int>(n),
                                            "every stratum needs two labelled units");
    return out;
  }
  Part whole;
  double spread = 0;  // Σ variance² / df
  for (const PpiStratum& s : strata) {
    const Part part = part_of(s, options);
    const double w = s.weight / weights;
    whole.value += w * part.value;
    whole.variance += w * w * part.variance;
    whole.variance_human += w * w * part.variance_human;
    whole.lambda += w * part.lambda;
    whole.n += part.n;
    whole.silent = whole.silent || part.silent;
    const double own = w * w * part.variance;
    spread += own * own / static_cast<double>(part.n - 1);
  }
  if (!std::isfinite(whole.variance) || !std::isfinite(spread)) {
    Ppi out;
    out.estimate = detail::without_interval(Status::undefined, 0, static_cast<int>(n),
                                            "the numbers are too large to compute with");
    return out;
  }
  const auto most = static_cast<double>(n - strata.size());
  const double df = spread > 0 ? std::clamp(whole.variance * whole.variance / spread, 1.0, most) : most;
  return conclude(whole, df, fewest, options);
}

Ppi ppi_mean(std::span<const double> human, std::span<const double> judge, std::span<const double> judge_only,
             PpiOptions options) {
  const PpiStratum one{human, judge, judge_only, 1};
  return ppi_stratified({&one, 1}, options);
}

Ppi ppi_difference(const Arms& human, const Arms& judge, const Arms& judge_only, PpiOptions options) {
  return ppi_mean(detail::minus(human.first, human.second), detail::minus(judge.first, judge.second),
                  detail::minus(judge_only.first, judge_only.second), options);
}

}  // namespace sonder::stats
