#include "latent/direction.h"

#include <algorithm>
#include <cmath>

namespace sonder::latent {
namespace {

double along(std::span<const float> u, std::span<const float> x) {
  double sum = 0;
  for (std::size_t j = 0; j < u.size(); ++j) sum += static_cast<double>(u[j]) * static_cast<double>(x[j]);
  return sum;
}

std::vector<float> unit_of(std::span<const double> v) {
  double squares = 0;
  for (const double value : v) squares += value * value;
  require(std::isfinite(squares) && squares > 0,
          "high and low texts have the same mean: there is no direction");
  const double length = std::sqrt(squares);
  std::vector<float> unit(v.size());
  std::transform(v.begin(), v.end(), unit.begin(),
                 [&](double value) { return static_cast<float>(value / length); });
  return unit;
}

double length_of(std::span<const double> v) {
  double squares = 0;
  for (const double value : v) squares += value * value;
  return std::sqrt(squares);
}

double median_norm(const Rows& high, const Rows& low) {
  std::vector<double> norms;
  for (const Rows* table : {&high, &low})
    for (std::size_t i = 0; i < table->n; ++i)
      norms.push_back(std::sqrt(along(table->row(i), table->row(i))));
  std::sort(norms.begin(), norms.end());
  const std::size_t half = norms.size() / 2;
  return norms.size() % 2 == 1 ? norms[half] : 0.5 * (norms[half - 1] + norms[half]);
}

// A stand-in for `like` that points elsewhere.
Direction placebo(const Direction& like, const std::string& kind, std::span<const double> v) {
  require(v.size() == like.unit.size(), "a placebo is as wide as the direction it stands in for");
  Direction out = like;
  out.method = kind;
  out.unit = unit_of(v);
  out.neutral_mean = 0;
  return out;
}

}  // namespace

Direction fit(const std::string& facet, int layer, const Rows& high, const Rows& low) {
  require(layer >= 0, "layers count from 0");
  const auto gap = difference_of_means(high, low);
  Direction out;
  out.facet = facet;
  out.method = "dom";
  out.layer = layer;
  out.unit = unit_of(gap);
  out.class_gap = length_of(gap);
  out.median_norm = median_norm(high, low);
  return low.n >= 2 ? with_neutral(std::move(out), low) : out;
}

Direction with_neutral(Direction d, const Rows& neutral) {
  require(neutral.d == d.unit.size(), "neutral texts are as wide as the direction");
  require(neutral.n >= 2, "the spread of neutral texts needs two of them");
  std::vector<double> at(neutral.n);
  double sum = 0;
  for (std::size_t i = 0; i < neutral.n; ++i) sum += at[i] = along(d.unit, neutral.row(i));
  d.neutral_mean = sum / static_cast<double>(neutral.n);
  double squares = 0;
  for (const double value : at) squares += (value - d.neutral_mean) * (value - d.neutral_mean);
  d.sd_neutral = std::sqrt(squares / static_cast<double>(neutral.n - 1));
  return d;
}

Direction random_direction(const Direction& like, Seed seed) {
  Stream stream(seed);
  std::vector<double> v(like.unit.size());
  for (double& value : v) value = stream.normal();
  return placebo(like, "isotropic", v);
}

Direction variance_matched(const Direction& like, const Rows& x, Seed seed) {
  require(x.n >= 2 && x.d == like.unit.size(),
          "a variance-matched placebo needs two rows as wide as the direction");
  std::vector<double> mean(x.d, 0.0);
  for (std::size_t i = 0; i < x.n; ++i)
    for (std::size_t j = 0; j < x.d; ++j)
      mean[j] += static_cast<double>(x.row(i)[j]) / static_cast<double>(x.n);
  Stream stream(seed);
  std::vector<double> v(x.d, 0.0);  // sum_i z_i (x_i - mean) has covariance (n - 1) S_x; length is dropped
  for (std::size_t i = 0; i < x.n; ++i) {
    const double z = stream.normal();
    for (std::size_t j = 0; j < x.d; ++j) v[j] += z * (static_cast<double>(x.row(i)[j]) - mean[j]);
  }
  return placebo(like, "variance_matched", v);
}

Direction shuffled_labels(const Direction& like, const Rows& high, const Rows& low, Seed seed) {
  require(high.n >= 2, "shuffling labels within pairs needs two pairs");
  Stream stream(seed);
  std::vector<bool> swap(high.n);
  do {  // all pairs swapped, or none, would be the direction itself
    for (std::size_t i = 0; i < high.n; ++i) swap[i] = stream.coin();
  } while (std::count(swap.begin(), swap.end(), swap[0]) == static_cast<std::ptrdiff_t>(high.n));
  Rows up = high;
  Rows down = low;
  require(high.n == low.n && high.d == low.d, "high and low texts come in pairs of equal width");
  for (std::size_t i = 0; i < high.n; ++i)
    if (swap[i]) std::swap_ranges(up.row(i).begin(), up.row(i).end(), down.row(i).begin());
  return placebo(like, "shuffled_labels", difference_of_means(up, down));
}

Direction unrelated_concept(const Direction& like, const Rows& high, const Rows& low) {
  return placebo(like, "unrelated_concept", difference_of_means(high, low));
}

double size_of(DoseUnit unit, const Direction& d) {
  const double size = unit == DoseUnit::gap    ? d.class_gap
                      : unit == DoseUnit::norm ? d.median_norm
                                               : d.sd_neutral;
  require(std::isfinite(size) && size > 0, "this direction has no scale in the unit of dose asked for");
  return size;
}

model::Hook push(const Direction& d, double dose, DoseUnit unit, const Direction& scale, model::Span span) {
  require(std::isfinite(dose), "a dose is a finite number");
  model::Hook hook;
  hook.span = span;
  if (dose == 0) return hook;
  const auto amount = static_cast<float>(dose * size_of(unit, scale));
  hook.edits.push_back({model::Site{d.layer}, model::EditKind::push, d.unit, amount});
  return hook;
}

model::Hook ablate(std::span<const Direction> per_layer, model::Span span) {
  require(!per_layer.empty(), "an ablation needs a direction at one layer at least");
  model::Hook hook;
  hook.span = span;
  for (const Direction& d : per_layer)
    hook.edits.push_back(
        {model::Site{d.layer}, model::EditKind::ablate, d.unit, static_cast<float>(d.neutral_mean)});
  const auto layer = [](const model::Edit& edit) { return edit.site.layer; };
  std::ranges::sort(hook.edits, {}, layer);
  require(std::ranges::adjacent_find(hook.edits, {}, layer) == hook.edits.end(),
          "an ablation takes out one direction a layer");
  return hook;
}

}  // namespace sonder::latent
