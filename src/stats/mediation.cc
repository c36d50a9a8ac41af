#include "stats/mediation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/rows.h"
#include "stats/detail/draw.h"
#include "stats/detail/labels.h"
#include "stats/detail/numbers.h"
#include "stats/ols.h"

namespace sonder::stats {
namespace {

constexpr std::size_t kFewestRows = 5;

// Sums of treatment, mediator and y and of their products: all that both regressions need.
struct Moments {
  double n = 0, t = 0, m = 0, y = 0, tt = 0, tm = 0, ty = 0, mm = 0, my = 0;

  void add(double treatment, double mediator, double outcome) {
    n += 1;
    t += treatment;
    m += mediator;
    y += outcome;
    tt += treatment * treatment;
    tm += treatment * mediator;
    ty += treatment * outcome;
    mm += mediator * mediator;
    my += mediator * outcome;
  }
  void add(const Moments& other) {
    n += other.n;
    t += other.t;
    m += other.m;
    y += other.y;
    tt += other.tt;
    tm += other.tm;
    ty += other.ty;
    mm += other.mm;
    my += other.my;
  }
  // a b, or NaN where a resample has lost the spread it needs.
  double indirect() const {
    const double stt = tt - t * t / n;
    const double stm = tm - t * m / n;
    const double sty = ty - t * y / n;
    const double smm = mm - m * m / n;
    const double smy = my - m * y / n;
    const double determinant = stt * smm - stm * stm;
    if (!(stt > 1e-12 * tt) || !(determinant > 1e-12 * stt * smm)) return std::nan("");
    return stm / stt * ((stt * smy - stm * sty) / determinant);
  }
};

Numbers columns(std::initializer_list<std::span<const double>> parts, std::size_t n) {
  Numbers x(n, parts.size() + 1);
  for (std::size_t i = 0; i < n; ++i) {
    auto row = x.row(i);
    row[0] = 1;
    std::size_t j = 1;
    for (const auto part : parts) row[j++] = part[i];
  }
  return x;
}

std::vector<double> scaled(std::span<const double> x) {  // centred, largest 1: moments stay in range
  const double centre = detail::mean_of(x);
  double most = 0;
  for (const double v : x) most = std::max(most, std::abs(v - centre));
  std::vector<double> out;
  out.reserve(x.size());
  for (const double v : x) out.push_back(most > 0 ? (v - centre) / most : 0.0);
  return out;
}

double spread_of(std::span<const double> x) {  // largest distance from the mean
  const double centre = detail::mean_of(x);
  double most = 0;
  for (const double v : x) most = std::max(most, std::abs(v - centre));
  return most;
}

// Interval and p of a value from its resamples; null: what p asks about.
void place_percentile(Estimate& out, std::vector<double> replicates, double null) {
  const std::size_t drawn = replicates.size();
  replicates.erase(
      std::remove_if(replicates.begin(), replicates.end(), [](double r) { return !std::isfinite(r); }),
      replicates.end());
  if (replicates.size() * 2 <= drawn) {
    out = detail::without_interval(Status::undefined, out.value, out.n_units, "most resamples have no value");
    return;
  }
  std::sort(replicates.begin(), replicates.end());
  out.ci95 = {detail::sorted_quantile(replicates, .025), detail::sorted_quantile(replicates, .975)};
  out.ci90 = {detail::sorted_quantile(replicates, .05), detail::sorted_quantile(replicates, .95)};
  const auto below = std::lower_bound(replicates.begin(), replicates.end(), null) - replicates.begin();
  const auto up_to = std::upper_bound(replicates.begin(), replicates.end(), null) - replicates.begin();
  const auto size = static_cast<double>(replicates.size());
  const double tail = std::min(static_cast<double>(up_to), size - static_cast<double>(below));
  out.p = std::min(1.0, 2 * (tail + 1) / (size + 1));
  if (replicates.size() < drawn) detail::flag(out, "some resamples have no value and were left out");
  if (out.n_units < 10) detail::flag(out, "fewer than 10 units: the interval is too short");
}

Mediation undefined_mediation(int n, const char* why) {
  Mediation out;
  out.a = out.b = out.direct = out.total = out.indirect =
      detail::without_interval(Status::undefined, 0, n, why);
  out.status = Status::undefined;
  return out;
}

// Whole clusters drawn with replacement, each standing for its sums.
std::vector<double> draw_indirect(std::span<const double> treatment, std::span<const double> mediator,
                                  std::span<const double> y, const detail::Labels& labels, Seed seed,
                                  int draws) {
  const auto t = scaled(treatment);
  const auto m = scaled(mediator);
  const auto o = scaled(y);
  std::vector<Moments> parts(labels.count);
  for (std::size_t i = 0; i < t.size(); ++i) parts[labels.of[i]].add(t[i], m[i], o[i]);
  const double unit = spread_of(y) / spread_of(treatment);  // back from the scaled variables
  std::vector<double> replicates(static_cast<std::size_t>(draws));
  for (std::size_t b = 0; b < replicates.size(); ++b) {
    Stream stream(seed.child(b));
    Moments all;
    for (std::size_t c = 0; c < parts.size(); ++c)
      all.add(parts[detail::index_below(stream, static_cast<std::uint32_t>(parts.size()))]);
    replicates[b] = all.indirect() * unit;
  }
  return replicates;
}

}  // namespace

Mediation mediation(std::span<const double> treatment, std::span<const double> mediator,
                    std::span<const double> y, Seed seed, int draws) {
  std::vector<int> rows(y.size());
  std::iota(rows.begin(), rows.end(), 0);
  return mediation(treatment, mediator, y, rows, seed, draws);
}

Mediation mediation(std::span<const double> treatment, std::span<const double> mediator,
                    std::span<const double> y, std::span<const int> cluster, Seed seed, int draws) {
  detail::require_finite(treatment, "treatment");
  detail::require_finite(mediator, "mediator");
  detail::require_finite(y, "outcome");
  require(treatment.size() == y.size() && mediator.size() == y.size() && cluster.size() == y.size(),
          "every row needs its treatment, mediator, outcome and cluster");
  require(draws > 0, "a bootstrap needs at least one draw");
  const detail::Labels labels = detail::dense(cluster);
  const int n_units = static_cast<int>(labels.count);
  if (y.size() < kFewestRows || n_units < 2)
    return undefined_mediation(n_units, "mediation needs at least 5 rows in 2 clusters");
  const Regression first = ols(columns({treatment}, y.size()), mediator);
  const Regression second = ols(columns({treatment, mediator}, y.size()), y);
  const Regression whole = ols(columns({treatment}, y.size()), y);
  if (first.status != Status::ok || second.status != Status::ok || whole.status != Status::ok)
    return undefined_mediation(n_units, "the treatment or the mediator given it has no spread");
  Mediation out;
  out.a = first.coefficient[1];
  out.direct = second.coefficient[1];
  out.b = second.coefficient[2];
  out.total = whole.coefficient[1];
  out.indirect.value = out.a.value * out.b.value;
  out.indirect.n_units = n_units;
  out.indirect.se = std::hypot(out.b.value * out.a.se, out.a.value * out.b.se);
  place_percentile(out.indirect, draw_indirect(treatment, mediator, y, labels, seed, draws), 0);
  const bool clear = out.total.ci95.low > 0 || out.total.ci95.high < 0;
  if (clear && out.total.value * out.indirect.value > 0)
    out.proportion = out.indirect.value / out.total.value;

  const auto df = static_cast<double>(y.size() - 2);
  out.sd_mediator = std::sqrt(first.residual_squares / df);
  out.sd_y = std::sqrt(whole.residual_squares / df);
  const double together =
      std::inner_product(first.residual.begin(), first.residual.end(), whole.residual.begin(), 0.0) / df;
  const double both = out.sd_mediator * out.sd_y;
  out.rho_at_zero = both > 0 ? std::clamp(together / both, -1.0, 1.0) : 0;
  return out;
}

double indirect_at(const Mediation& found, double rho) {
  require(rho > -1 && rho < 1, "a correlation inside (-1, 1)");
  if (!(found.sd_mediator > 0)) return found.indirect.value;
  const double r = found.rho_at_zero;
  const double bend = rho * std::sqrt((1 - r * r) / (1 - rho * rho));
  return found.a.value * found.sd_y / found.sd_mediator * (r - bend);
}

}  // namespace sonder::stats
