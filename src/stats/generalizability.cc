// Item × rubric × judge: the part of reliability.h about variance components.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "stats/detail/numbers.h"
#include "stats/detail/scaled.h"
#include "stats/reliability.h"

namespace sonder::stats {
namespace {

// Sums of squares by effect: bit 1 item, 2 rubric, 4 judge; [mask] of 1..7.
using Effects = std::array<double, 8>;

struct Size {
  std::array<std::size_t, 3> n{};
  double cells() const { return static_cast<double>(n[0] * n[1] * n[2]); }
};

Size size_of(const Cube& cube) { return {{cube.n_items, cube.n_rubrics, cube.n_judges}}; }

// Σ over the margin of (mean of the margin)² × its cells.
double margin_squares(const Cube& cube, unsigned mask, double centre) {
  const Size size = size_of(cube);
  std::array<std::size_t, 3> step{};
  std::size_t margins = 1;
  for (const std::size_t axis : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
    if ((mask >> axis & 1U) == 0) continue;
    step[axis] = margins;
    margins *= size.n[axis];
  }
  std::vector<double> total(margins);
  std::size_t cell = 0;
  for (std::size_t i = 0; i < size.n[0]; ++i) {
    for (std::size_t r = 0; r < size.n[1]; ++r) {
      for (std::size_t j = 0; j < size.n[2]; ++j, ++cell)
        total[i * step[0] + r * step[1] + j * step[2]] += cube.data[cell] - centre;
    }
  }
  const double per_margin = size.cells() / static_cast<double>(margins);
  double squares = 0;
  for (const double x : total) squares += x * x / per_margin;
  return squares;
}

double degrees(const Cube& cube, unsigned mask) {
  const Size size = size_of(cube);
  double df = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if ((mask >> axis & 1U) != 0) df *= static_cast<double>(size.n[axis]) - 1;
  }
  return df;
}

// Mean squares of the seven effects.
Effects mean_squares(const Cube& cube) {
  const double centre = detail::mean_of(cube.data);
  Effects raw{};
  for (unsigned mask = 1; mask < 8; ++mask) raw[mask] = margin_squares(cube, mask, centre);
  Effects mean{};
  for (unsigned mask = 1; mask < 8; ++mask) {
    double squares = 0;
    for (unsigned part = 1; part <= mask; ++part) {
      if ((part & mask) == part) squares += ((std::popcount(mask ^ part) & 1) != 0 ? -1 : 1) * raw[part];
    }
    mean[mask] = std::max(0.0, squares) / degrees(cube, mask);
    if (squares < 1e-13 * raw[7]) mean[mask] = 0;
  }
  return mean;
}

Components components_of(const Cube& cube, const Effects& ms) {
  const auto i = static_cast<double>(cube.n_items);
  const auto r = static_cast<double>(cube.n_rubrics);
  const auto j = static_cast<double>(cube.n_judges);
  Components c;
  c.error = ms[7];
  c.item_rubric = (ms[3] - ms[7]) / j;
  c.item_judge = (ms[5] - ms[7]) / r;
  c.rubric_judge = (ms[6] - ms[7]) / i;
  c.item = (ms[1] - ms[3] - ms[5] + ms[7]) / (r * j);
  c.rubric = (ms[2] - ms[3] - ms[6] + ms[7]) / (i * j);
  c.judge = (ms[4] - ms[5] - ms[6] + ms[7]) / (i * r);
  return c;
}

std::array<double Components::*, 7> parts() {
  return {&Components::item,       &Components::rubric,       &Components::judge, &Components::item_rubric,
          &Components::item_judge, &Components::rubric_judge, &Components::error};
}

Components not_negative(Components c) {
  for (const auto part : parts()) c.*part = std::max(0.0, c.*part);
  return c;
}

Cube without_item(const Cube& cube, std::size_t item) {
  Cube left{cube.n_items - 1, cube.n_rubrics, cube.n_judges, cube.data};
  const auto per_item = static_cast<std::ptrdiff_t>(cube.n_rubrics * cube.n_judges);
  const auto first = left.data.begin() + static_cast<std::ptrdiff_t>(item) * per_item;
  left.data.erase(first, first + per_item);
  return left;
}

double dependability_of(const Cube& cube) {
  const Components c = not_negative(components_of(cube, mean_squares(cube)));
  return decide(c, static_cast<int>(cube.n_rubrics), static_cast<int>(cube.n_judges)).dependability;
}

// (MS_i + MS_irj) against (MS_ir + MS_ij): both sides have the same expectation when items do not differ.
double items_differ_p(const Cube& cube, const Effects& ms) {
  const double above = ms[1] + ms[7];
  const double below = ms[3] + ms[5];
  if (below <= 0) return above > 0 ? std::numeric_limits<double>::min() : 1;
  const auto df = [&](unsigned a, unsigned b) {
    return (ms[a] + ms[b]) * (ms[a] + ms[b]) /
           (ms[a] * ms[a] / degrees(cube, a) + ms[b] * ms[b] / degrees(cube, b));
  };
  return detail::f_tail(above / below, df(1, 7), df(3, 5));
}

}  // namespace

Decision decide(const Components& c, int n_rubrics, int n_judges) {
  require(n_rubrics >= 1 && n_judges >= 1, "a design has at least one rubric and one judge");
  const double r = n_rubrics;
  const double j = n_judges;
  const double relative = std::max(0.0, c.item_rubric / r + c.item_judge / j + c.error / (r * j));
  const double absolute = std::max(0.0, relative + c.rubric / r + c.judge / j + c.rubric_judge / (r * j));
  const auto share = [&](double error) {
    const double both = c.item + error;
    return both > 0 ? std::clamp(c.item / both, -1.0, 1.0) : 0.0;
  };
  return {share(relative), share(absolute), std::sqrt(relative), std::sqrt(absolute)};
}

int judges_needed(const Components& components, int n_rubrics, double dependability, int most) {
  require(dependability > 0 && dependability < 1, "a dependability to reach lies inside (0, 1)");
  for (int judges = 1; judges <= most; ++judges) {
    if (decide(components, n_rubrics, judges).dependability >= dependability) return judges;
  }
  return 0;
}

Generalizability generalizability(const Cube& scores) {
  require(scores.data.size() == scores.n_items * scores.n_rubrics * scores.n_judges,
          "a cube of scores holds one score for each item, rubric and judge");
  detail::require_finite(scores.data, "scores");
  const detail::Scaled moved = detail::scaled(scores.data);
  const Cube cube{scores.n_items, scores.n_rubrics, scores.n_judges, moved.x};
  const int n = static_cast<int>(cube.n_items);
  Generalizability out;
  if (std::min({cube.n_items, cube.n_rubrics, cube.n_judges}) < 2 || !moved.varies) {
    out.dependability = detail::without_interval(
        Status::undefined, 0, n, "needs two items, rubrics and judges, and scores that vary", {0, 1});
    return out;
  }
  Effects ms = mean_squares(cube);
  if (!std::isfinite(moved.half_range * moved.half_range * 1e6)) {
    out.dependability = detail::without_interval(Status::undefined, 0, n,
                                                 "the numbers are too large to compute with", {0, 1});
    return out;
  }
  for (double& x : ms) x *= moved.half_range * moved.half_range;
  out.raw = components_of(cube, ms);
  out.components = not_negative(out.raw);
  out.decision = decide(out.components, static_cast<int>(cube.n_rubrics), static_cast<int>(cube.n_judges));
  Estimate& phi = out.dependability;
  phi.value = out.decision.dependability;
  phi.n_units = n;
  phi.p = items_differ_p(cube, ms);
  for (const auto part : parts()) {
    if (out.raw.*part < 0) {
      detail::flag(phi, "a variance component came out negative and counts as 0");
      break;
    }
  }
  if (n < 5) {
    Estimate refused = detail::without_interval(Status::refused, phi.value, n,
                                                "an interval needs at least five items", {0, 1});
    refused.p = phi.p;
    phi = std::move(refused);
    return out;
  }
  std::vector<double> without;
  for (std::size_t i = 0; i < cube.n_items; ++i) without.push_back(dependability_of(without_item(cube, i)));
  const double items = n;
  phi.se = std::sqrt(detail::variance(without) * (items - 1) * (items - 1) / items);
  if (phi.value >= 1 || phi.se == 0) {
    phi.ci95 = phi.ci90 = {phi.value, phi.value};
    detail::flag(phi, "no spread between items left out, so the interval is the point");
    return out;
  }
  const auto ends = [&](double level) {
    const double half = detail::t_quantile(level, items - 1) * phi.se / (1 - phi.value * phi.value);
    return Interval{std::max(0.0, std::tanh(std::atanh(phi.value) - half)),
                    std::tanh(std::atanh(phi.value) + half)};
  };
  phi.ci95 = ends(0.975);
  phi.ci90 = ends(0.95);
  phi = detail::settled(std::move(phi));
  return out;
}

}  // namespace sonder::stats
