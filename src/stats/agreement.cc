#include "stats/agreement.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "stats/detail/numbers.h"
#include "stats/detail/scaled.h"

namespace sonder::stats {
namespace {

using Values = std::vector<double>;

Numbers weights_for(std::span<const double> categories, Weighting weighting) {
  const std::size_t q = categories.size();
  const Values scale = detail::scaled(categories).x;
  const auto span_pairs = [](double steps) { return steps * (steps + 1) / 2; };
  Numbers weights(q, q);
  for (std::size_t i = 0; i < q; ++i) {
    for (std::size_t j = 0; j < q; ++j) {
      const double distance = std::abs(scale[i] - scale[j]) / 2;
      const double steps = std::abs(static_cast<double>(i) - static_cast<double>(j));
      double& weight = weights.row(i)[j];
      if (i == j) {
        weight = 1;
      } else if (weighting == Weighting::linear) {
        weight = 1 - distance;
      } else if (weighting == Weighting::quadratic) {
        weight = 1 - distance * distance;
      } else if (weighting == Weighting::ordinal) {
        weight = 1 - span_pairs(steps) / span_pairs(static_cast<double>(q) - 1);
      }
    }
  }
  return weights;
}

double total(const Numbers& table) { return detail::sum(table.data); }

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// weights × share; weights are symmetric.
Values spread(const Numbers& weights, std::span<const double> share) {
  Values out(weights.n);
  for (std::size_t k = 0; k < weights.n; ++k) out[k] = dot(weights.row(k), share);
  return out;
}

// Chance agreement, and how much the ratings of each unit move it: the mean of `of_unit` is `value` times
// `degree`, the number of category shares multiplied.
struct Expected {
  double value = 0;
  Values of_unit;  // [n units], its derivative by the unit's share, plus what keeps the mean; see linearise()
};

struct Counted {
  Numbers counts;  // [n units with a rating × q]
  Values rated;    // [n units] how many ratings
};

Values shares(const Counted& data) {
  Values share(data.counts.d);
  for (std::size_t i = 0; i < data.counts.n; ++i) {
    for (std::size_t k = 0; k < share.size(); ++k) share[k] += data.counts.row(i)[k] / data.rated[i];
  }
  for (double& x : share) x /= static_cast<double>(data.counts.n);
  return share;
}

// One distribution for all raters: pe is a function of the mean over units of each unit's shares, and of_unit
// is the unit's pull on pe, twice: that of a product of two shares.
Expected expected_common(const Counted& data, Chance chance, const Numbers& weights) {
  const auto q = static_cast<double>(weights.n);
  const Values share = shares(data);
  Expected expected;
  expected.of_unit.assign(data.counts.n, 0.0);
  if (chance == Chance::brennan_prediger) {
    expected.value = total(weights) / (q * q);
    return expected;
  }
  Values pull = spread(weights, share);
  const double factor = total(weights) / (q * (q - 1));
  if (chance == Chance::gwet) {
    for (std::size_t k = 0; k < pull.size(); ++k) pull[k] = factor * (1 - share[k]);
  }
  expected.value = dot(share, pull);
  for (std::size_t i = 0; i < data.counts.n; ++i)
    expected.of_unit[i] = 2 * (dot(data.counts.row(i), pull) / data.rated[i] - expected.value);
  return expected;
}

// Each rater her own distribution: the mean over pairs of raters of p_g' W p_h. category: [n units × n
// raters], an index or nothing.
Expected expected_own(const Table<std::optional<std::size_t>>& category, const Numbers& weights) {
  const std::size_t n_raters = category.d;
  Numbers share(n_raters, weights.n);
  Values rated(n_raters);
  for (std::size_t i = 0; i < category.n; ++i) {
    for (std::size_t g = 0; g < n_raters; ++g) {
      if (const auto k = category.row(i)[g]) {
        share.row(g)[*k] += 1;
        rated[g] += 1;
      }
    }
  }
  Values sum_of_shares(weights.n);
  double present = 0;
  for (std::size_t g = 0; g < n_raters; ++g) {
    if (rated[g] == 0) continue;
    present += 1;
    for (std::size_t k = 0; k < weights.n; ++k) sum_of_shares[k] += share.row(g)[k] /= rated[g];
  }
  const double pairs = present * (present - 1);
  Numbers pull(n_raters, weights.n);  // of rater g's share of category k, on pe: 2 Σ_{h≠g} W p_h / pairs
  Expected expected;
  for (std::size_t g = 0; g < n_raters; ++g) {
    Values others(weights.n);
    for (std::size_t k = 0; k < weights.n; ++k) others[k] = sum_of_shares[k] - share.row(g)[k];
    const Values weighted = spread(weights, others);
    if (rated[g] > 0) expected.value += dot(share.row(g), weighted) / pairs;
    for (std::size_t k = 0; k < weights.n; ++k) pull.row(g)[k] = 2 * weighted[k] / pairs;
  }
  expected.of_unit.assign(category.n, 0.0);
  for (std::size_t g = 0; g < n_raters; ++g) {
    if (rated[g] == 0) continue;
    const double usual = dot(share.row(g), pull.row(g));
    for (std::size_t i = 0; i < category.n; ++i) {
      if (const auto k = category.row(i)[g])
        expected.of_unit[i] += (pull.row(g)[*k] - usual) * static_cast<double>(category.n) / rated[g];
    }
  }
  return expected;
}

Agreement not_usable(Status status, double value, double n, const char* why) {
  Agreement out;
  out.estimate = detail::without_interval(status, value, detail::as_units(n), why, {-1, 1});
  return out;
}

// An error below this is arithmetic: the units agree exactly.
double known(double se) { return se > 1e-13 ? se : 0; }

// The share of agreeing pairs of each unit; nothing with one rating.
std::optional<double> observed_of(std::span<const double> counts, double rated, const Numbers& weights) {
  if (rated < 2) return std::nullopt;
  const Values weighted = spread(weights, counts);
  double pairs = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) pairs += counts[k] * (weighted[k] - 1);
  return pairs / (rated * (rated - 1));
}

// value and its linearised error: unit i counts (n/n₂)(pa_i - pe) for the agreement, and its pull on pe.
Agreement linearise(const Counted& data, const Numbers& weights, const Expected& expected) {
  const std::size_t n = data.counts.n;
  const auto count = static_cast<double>(n);
  std::vector<std::optional<double>> pairs(n);
  double observed = 0;
  double rated_twice = 0;
  for (std::size_t i = 0; i < n; ++i) {
    pairs[i] = observed_of(data.counts.row(i), data.rated[i], weights);
    observed += pairs[i].value_or(0);
    rated_twice += pairs[i] ? 1 : 0;
  }
  if (rated_twice == 0) return not_usable(Status::undefined, 0, count, "no unit has two ratings");
  Agreement out;
  out.observed = observed / rated_twice;
  out.expected = expected.value;
  const double room = 1 - expected.value;
  if (room <= 0) return not_usable(Status::undefined, 0, count, "chance alone would always agree");
  const double value = (out.observed - out.expected) / room;
  if (n < 2) {
    out.estimate = detail::without_interval(Status::refused, value, static_cast<int>(n),
                                            "an interval needs at least two units", {-1, 1});
    return out;
  }
  Values unit(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double own = pairs[i] ? count / rated_twice * (*pairs[i] - expected.value) / room : 0;
    unit[i] = own - (1 - value) * expected.of_unit[i] / room;
  }
  // About the value, not about the mean: they agree up to rounding.
  double squares = 0;
  for (const double x : unit) squares += (x - value) * (x - value);
  out.estimate =
      detail::by_t(value, known(std::sqrt(squares / (count * (count - 1)))), count - 1, static_cast<int>(n));
  for (Interval* interval : {&out.estimate.ci95, &out.estimate.ci90})
    interval->high = std::min(1.0, interval->high);
  out.estimate = detail::settled(std::move(out.estimate));
  return out;
}

bool one_category(const Numbers& counts) {
  std::size_t used = 0;
  for (std::size_t k = 0; k < counts.d; ++k) {
    bool found = false;
    for (std::size_t i = 0; i < counts.n && !found; ++i) found = counts.row(i)[k] > 0;
    used += found ? 1 : 0;
  }
  return used < 2;
}

Values scale_of(const Ratings& ratings, std::span<const double> categories) {
  Values scale(categories.begin(), categories.end());
  if (scale.empty()) {
    for (const auto& rating : ratings.data) {
      if (rating) scale.push_back(*rating);
    }
  }
  std::sort(scale.begin(), scale.end());
  scale.erase(std::unique(scale.begin(), scale.end()), scale.end());
  return scale;
}

// Units with at least one rating, by category.
Table<std::optional<std::size_t>> by_category(const Ratings& ratings, const Values& scale) {
  Table<std::optional<std::size_t>> category;
  std::vector<std::optional<std::size_t>> row(ratings.d);
  for (std::size_t i = 0; i < ratings.n; ++i) {
    bool any = false;
    for (std::size_t g = 0; g < ratings.d; ++g) {
      row[g] = std::nullopt;
      if (const auto rating = ratings.row(i)[g]) {
        const auto at = std::lower_bound(scale.begin(), scale.end(), *rating);
        require(at != scale.end() && *at == *rating, "every rating is one of the categories");
        row[g] = static_cast<std::size_t>(at - scale.begin());
        any = true;
      }
    }
    if (any) category.append(row);
  }
  return category;
}

Counted counted(const Table<std::optional<std::size_t>>& category, std::size_t q) {
  Counted data{Numbers(category.n, q), Values(category.n)};
  for (std::size_t i = 0; i < category.n; ++i) {
    for (const auto& k : category.row(i)) {
      if (!k) continue;
      data.counts.row(i)[*k] += 1;
      data.rated[i] += 1;
    }
  }
  return data;
}

Values ordinary_scale(std::size_t q) {
  Values scale(q);
  std::iota(scale.begin(), scale.end(), 1.0);
  return scale;
}

}  // namespace

Agreement agreement(const Ratings& ratings, Chance chance, Weighting weighting,
                    std::span<const double> categories) {
  Values all;
  all.reserve(ratings.data.size());
  for (const auto& rating : ratings.data) all.push_back(rating.value_or(0));
  detail::require_finite(all, "ratings");
  detail::require_finite(categories, "categories");
  const Values scale = scale_of(ratings, categories);
  const auto category = by_category(ratings, scale);
  const Counted data = counted(category, scale.size());
  if (one_category(data.counts))
    return not_usable(Status::undefined, 0, static_cast<double>(category.n),
                      "fewer than two categories occur");
  const Numbers weights = weights_for(scale, weighting);
  return linearise(
      data, weights,
      chance == Chance::cohen ? expected_own(category, weights) : expected_common(data, chance, weights));
}

Agreement agreement_of_counts(const Numbers& counts, Chance chance, Weighting weighting) {
  detail::require_counts(counts.data);
  require(chance != Chance::cohen, "cohen needs to know who rated; counts per category do not say");
  Counted data{Numbers(0, counts.d), {}};
  for (std::size_t i = 0; i < counts.n; ++i) {
    const double rated = detail::sum(counts.row(i));
    if (rated == 0) continue;
    data.counts.append(counts.row(i));
    data.rated.push_back(rated);
  }
  if (one_category(data.counts))
    return not_usable(Status::undefined, 0, static_cast<double>(data.counts.n),
                      "fewer than two categories occur");
  const Numbers weights = weights_for(ordinary_scale(counts.d), weighting);
  return linearise(data, weights, expected_common(data, chance, weights));
}

Agreement agreement_of_table(const Numbers& counts, Chance chance, Weighting weighting) {
  require(counts.n == counts.d, "a table of two raters is square");
  detail::require_counts(counts.data);
  const double n = detail::sum(counts.data);
  const std::size_t q = counts.n;
  Values row(q);
  Values column(q);
  std::size_t used = 0;
  for (std::size_t i = 0; i < q; ++i) {
    for (std::size_t j = 0; j < q; ++j) {
      row[i] += counts.row(i)[j] / std::max(n, 1.0);
      column[j] += counts.row(i)[j] / std::max(n, 1.0);
    }
  }
  for (std::size_t k = 0; k < q; ++k) used += row[k] + column[k] > 0 ? 1 : 0;
  if (used < 2) return not_usable(Status::undefined, 0, n, "fewer than two categories occur");
  const Numbers weights = weights_for(ordinary_scale(q), weighting);

  // pull_row[k] + pull_column[l] is what a unit in cell (k, l) adds to pe, up to a constant.
  Values pull_row(q);
  Values pull_column(q);
  Agreement out;
  if (chance == Chance::brennan_prediger) {
    out.expected = total(weights) / static_cast<double>(q * q);
  } else if (chance == Chance::cohen) {
    pull_row = spread(weights, column);
    pull_column = spread(weights, row);
    out.expected = dot(row, pull_row);
  } else {
    Values share(q);
    for (std::size_t k = 0; k < q; ++k) share[k] = (row[k] + column[k]) / 2;
    pull_row = spread(weights, share);
    if (chance == Chance::gwet) {
      for (std::size_t k = 0; k < q; ++k)
        pull_row[k] = total(weights) / static_cast<double>(q * (q - 1)) * (1 - share[k]);
    }
    out.expected = dot(share, pull_row);
    pull_column = pull_row;
  }
  for (std::size_t k = 0; k < q; ++k) out.observed += dot(weights.row(k), counts.row(k)) / n;
  const double room = 1 - out.expected;
  if (room <= 0) return not_usable(Status::undefined, 0, n, "chance alone would always agree");
  const double value = (out.observed - out.expected) / room;
  if (n < 2) {
    out.estimate = detail::without_interval(Status::refused, value, detail::as_units(n),
                                            "an interval needs at least two units", {-1, 1});
    return out;
  }
  double mean = 0;
  double squares = 0;
  const auto each_cell = [&](const auto& take) {
    for (std::size_t k = 0; k < q; ++k) {
      for (std::size_t l = 0; l < q; ++l)
        take(counts.row(k)[l] / n, weights.row(k)[l] - (1 - value) * (pull_row[k] + pull_column[l]));
    }
  };
  each_cell([&](double share, double x) { mean += share * x; });
  each_cell([&](double share, double x) { squares += share * (x - mean) * (x - mean); });
  out.estimate = detail::by_t(value, known(std::sqrt(squares / n) / room), n - 1, detail::as_units(n));
  for (Interval* interval : {&out.estimate.ci95, &out.estimate.ci90})
    interval->high = std::min(1.0, interval->high);
  out.estimate = detail::settled(std::move(out.estimate));
  return out;
}

}  // namespace sonder::stats
