#include "study/operating.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/rows.h"
#include "stats/mean.h"
#include "stats/order.h"

namespace sonder::study {
namespace {

constexpr int kFlips = 499;

std::vector<double> normals(Stream& stream, int n, double mean, double sd) {
  std::vector<double> x(static_cast<std::size_t>(n));
  for (double& value : x) value = mean + sd * stream.normal();
  return x;
}

Numbers ladder(Stream& stream, const Assumed& assumed) {
  Numbers levels(static_cast<std::size_t>(assumed.n_scenarios), static_cast<std::size_t>(assumed.levels));
  for (std::size_t i = 0; i < levels.n; ++i)
    for (std::size_t j = 0; j < levels.d; ++j)
      levels.row(i)[j] = static_cast<double>(j) * assumed.ladder_step + assumed.ladder_sd * stream.normal();
  return levels;
}

// Page's p depends on L alone while nothing is tied, and L takes few values: each is looked up once.
class PageP {
 public:
  double of(const Numbers& levels) {
    const long l = total(levels);
    if (l < 0) return stats::page(levels).p;
    const auto [at, fresh] = known_.try_emplace(l, 1.0);
    if (fresh) at->second = stats::page(levels).p;
    return at->second;
  }

 private:
  static long total(const Numbers& levels) {  // -1 with ties
    long l = 0;
    for (std::size_t i = 0; i < levels.n; ++i) {
      const auto row = levels.row(i);
      for (std::size_t j = 0; j < row.size(); ++j) {
        long rank = 1;
        for (std::size_t k = 0; k < row.size(); ++k) {
          if (k != j && row[k] == row[j]) return -1;
          rank += row[k] < row[j] ? 1 : 0;
        }
        l += static_cast<long>(j + 1) * rank;
      }
    }
    return l;
  }
  std::map<long, double> known_;
};

Witness witness_of(const Assumed& assumed, Seed seed, PageP& page) {
  Stream stream(seed);
  const auto shift = normals(stream, assumed.n_scenarios, assumed.theta, assumed.effect_sd);
  const auto gap = normals(stream, assumed.n_scenarios, 1, assumed.gap_sd);
  const Numbers levels = ladder(stream, assumed);
  const stats::Ratio ratio = stats::fieller(shift, gap);
  const stats::Estimate order = stats::ladder_concordance(levels);
  Witness w;
  w.name = w.family = "instrument";
  w.unbounded = ratio.theta.status == stats::Status::unbounded;
  const bool sees =
      order.usable() && order.ci95.low > assumed.within_concordance && page.of(levels) < assumed.within_p;
  if (w.unbounded) w.failures.emplace_back("NO_ANCHOR");
  if (!sees) w.failures.emplace_back("INSENSITIVE_WITHIN");
  w.certified = w.failures.empty();
  w.spent = w.certified;
  w.measured = ratio.theta.usable();
  w.ci95 = ratio.theta.ci95;
  w.ci90 = ratio.theta.ci90;
  w.monotone = w.bidirectional = w.facet_specific = true;
  if (w.certified && w.ci95.low > 0) w.sign_flip_p = stats::sign_flip(shift, seed.child("flips"), kFlips).p;
  return w;
}

}  // namespace

double Operating::of(const std::string& word) const {
  const auto at = share.find(word);
  return at == share.end() ? 0 : at->second;
}

double Operating::partial() const { return of("PARTIAL") - controls_level; }

Operating operate(const Assumed& assumed, const Limits& limits, Seed seed, int runs) {
  require(assumed.n_scenarios >= 2 && assumed.levels >= 2, "a simulation needs two scenarios and two levels");
  require(assumed.effect_sd >= 0 && assumed.gap_sd >= 0 && assumed.ladder_sd >= 0,
          "spreads are not negative");
  require(runs >= 1, "a simulation needs at least one run");
  Operating out;
  PageP page;
  for (int run = 0; run < runs; ++run) {
    const Witness w = witness_of(assumed, seed.child(static_cast<std::uint64_t>(run)), page);
    const std::string word = rule({}, {w}, limits).control;
    out.share[word] += 1;
    if (word == "PARTIAL" && w.ci95.low >= limits.tau) out.controls_level += 1;
  }
  for (auto& [word, share] : out.share) share /= runs;
  out.controls_level /= runs;
  return out;
}

std::vector<Outlook> outlooks(std::span<const Assumed> designs, const Limits& limits, Seed seed, int runs,
                              const OnProgress& progress, const Cancel& cancel) {
  std::vector<Outlook> out;
  out.reserve(designs.size());
  for (const Assumed& assumed : designs) {
    cancel.check();
    if (progress)
      progress({"simulate", "designs", static_cast<std::int64_t>(out.size()),
                static_cast<std::int64_t>(designs.size())});
    out.push_back({assumed, operate(assumed, limits, seed, runs)});
  }
  return out;
}

}  // namespace sonder::study
