// The part of mediation.h about pairwise wins: a small logistic regression with one shrunken term per item.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "stats/detail/draw.h"
#include "stats/detail/labels.h"
#include "stats/detail/numbers.h"
#include "stats/mediation.h"

namespace sonder::stats {
namespace {

constexpr double kItemRidge = 1;       // a normal prior of unit variance on the log-odds of an item
constexpr double kLengthRidge = 0.01;  // only against separation
constexpr int kMostSteps = 60;

struct Row {
  double win, length;
};

struct Item {
  std::vector<Row> rows;
};

struct Fit {
  double alpha = 0, phi = 0;
  std::vector<double> gamma;  // [items]
};

// The sums of one item at the present fit: gradient and weights of alpha, phi; its own are those of alpha.
struct Sums {
  double g = 0, gl = 0, w = 0, wl = 0, wll = 0;
};

Sums sums_of(const Item& item, double alpha, double phi, double gamma) {
  Sums s;
  for (const Row& row : item.rows) {
    const double p = detail::logistic(alpha + phi * row.length + gamma);
    const double w = std::max(p * (1 - p), 1e-12);
    s.g += row.win - p;
    s.gl += (row.win - p) * row.length;
    s.w += w;
    s.wl += w * row.length;
    s.wll += w * row.length * row.length;
  }
  return s;
}

// Newton's method; the items are eliminated one by one, so a step costs one pass over the rows.
void fit(const std::vector<Item>& items, std::span<const double> times, bool with_items, Fit& at) {
  std::vector<Sums> sums(items.size());
  for (int step = 0; step < kMostSteps; ++step) {
    double ga = 0;
    double gp = -kLengthRidge * at.phi;
    double haa = 1e-9;
    double hap = 0;
    double hpp = kLengthRidge;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (times[i] == 0) continue;
      const Sums s = sums[i] = sums_of(items[i], at.alpha, at.phi, at.gamma[i]);
      const double t = times[i];
      ga += t * s.g;
      gp += t * s.gl;
      haa += t * s.w;
      hap += t * s.wl;
      hpp += t * s.wll;
      if (!with_items) continue;
      // An item drawn t times is t like items, each with its own ridge.
      const double own = s.w + kItemRidge;
      const double pull = s.g - kItemRidge * at.gamma[i];
      ga -= t * s.w * pull / own;
      gp -= t * s.wl * pull / own;
      haa -= t * s.w * s.w / own;
      hap -= t * s.w * s.wl / own;
      hpp -= t * s.wl * s.wl / own;
    }
    const double determinant = haa * hpp - hap * hap;
    if (!(determinant > 0)) return;
    const double longest = 3;  // a step in log-odds
    const double da = std::clamp((hpp * ga - hap * gp) / determinant, -longest, longest);
    const double dp = std::clamp((haa * gp - hap * ga) / determinant, -longest, longest);
    double most = std::max(std::abs(da), std::abs(dp));
    if (with_items) {
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (times[i] == 0) continue;
        const Sums& s = sums[i];
        const double dg = std::clamp(
            (s.g - kItemRidge * at.gamma[i] - s.w * da - s.wl * dp) / (s.w + kItemRidge), -longest, longest);
        at.gamma[i] += dg;
        most = std::max(most, std::abs(dg));
      }
    }
    at.alpha += da;
    at.phi += dp;
    if (most < 1e-10) return;
  }
}

double read_at_zero(const std::vector<Item>& items, std::span<const double> times, const Fit& fitted) {
  double total = 0;
  double n = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const double count = times[i] * static_cast<double>(items[i].rows.size());
    total += count * detail::logistic(fitted.alpha + fitted.gamma[i]);
    n += count;
  }
  return total / n;
}

std::vector<double> draw_rates(const std::vector<Item>& items, const Fit& whole, bool with_items, Seed seed,
                               int draws) {
  std::vector<double> rates(static_cast<std::size_t>(draws));
  std::vector<double> times(items.size());
  for (std::size_t b = 0; b < rates.size(); ++b) {
    Stream stream(seed.child(b));
    std::fill(times.begin(), times.end(), 0.0);
    for (std::size_t i = 0; i < items.size(); ++i)
      ++times[detail::index_below(stream, static_cast<std::uint32_t>(items.size()))];
    Fit at = whole;
    fit(items, times, with_items, at);
    rates[b] = read_at_zero(items, times, at);
  }
  std::sort(rates.begin(), rates.end());
  return rates;
}

}  // namespace

LengthControlled length_controlled_win_rate(std::span<const double> win, std::span<const double> longer,
                                            std::span<const int> item, Seed seed, int draws) {
  detail::require_finite(win, "wins");
  detail::require_finite(longer, "length differences");
  require(longer.size() == win.size() && item.size() == win.size(),
          "every row needs its length and its item");
  require(draws > 0, "a bootstrap needs at least one draw");
  for (const double one : win) require(one >= 0 && one <= 1, "a win lies in [0, 1]");
  const detail::Labels labels = detail::dense(item);
  const int n = static_cast<int>(labels.count);
  LengthControlled out;
  out.raw = win.empty() ? .5 : detail::mean_of(win);
  if (n < 2) {
    out.win_rate = detail::without_interval(Status::undefined, out.raw, n,
                                            "an interval needs at least two items", {0, 1});
    return out;
  }
  const bool all_alike = std::all_of(win.begin(), win.end(), [&](double w) { return w == win[0]; });
  if (all_alike) {
    out.win_rate.value = out.raw;
    out.win_rate.n_units = n;
    out.win_rate.ci95 = detail::agreed_bound(out.raw, n, .05);
    out.win_rate.ci90 = detail::agreed_bound(out.raw, n, .10);
    out.win_rate.p = out.raw == .5 ? 1.0 : detail::agreed_p(n - 1);
    detail::flag(out.win_rate, "all rows agree: the interval is the exact one-sided bound");
    return out;
  }
  const double sd = std::sqrt(detail::variance(longer));
  std::vector<Item> items(labels.count);
  for (std::size_t i = 0; i < win.size(); ++i)
    items[labels.of[i]].rows.push_back({win[i], sd > 0 ? std::tanh(longer[i] / sd) : 0.0});
  const bool with_items = labels.count < win.size();
  Fit whole{0, 0, std::vector<double>(labels.count, 0.0)};
  const std::vector<double> once(labels.count, 1.0);
  fit(items, once, with_items, whole);
  out.phi = whole.phi;
  Estimate& rate = out.win_rate;
  rate.value = read_at_zero(items, once, whole);
  rate.n_units = n;
  const auto rates = draw_rates(items, whole, with_items, seed, draws);
  rate.se = std::sqrt(detail::variance(rates));
  rate.ci95 = {detail::sorted_quantile(rates, .025), detail::sorted_quantile(rates, .975)};
  rate.ci90 = {detail::sorted_quantile(rates, .05), detail::sorted_quantile(rates, .95)};
  const auto below = std::lower_bound(rates.begin(), rates.end(), .5) - rates.begin();
  const auto up_to = std::upper_bound(rates.begin(), rates.end(), .5) - rates.begin();
  const double tail = std::min(static_cast<double>(up_to), draws - static_cast<double>(below));
  rate.p = std::min(1.0, 2 * (tail + 1) / (draws + 1.0));
  detail::no_surer_than_agreed(rate, n, 0);
  if (sd == 0) detail::flag(rate, "the lengths do not vary: nothing is controlled");
  if (n < 10) detail::flag(rate, "fewer than 10 items: the interval is too short");
  rate = detail::settled(std::move(rate));
  return out;
}

}  // namespace sonder::stats
