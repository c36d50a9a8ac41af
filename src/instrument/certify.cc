#include "instrument/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "stats/mean.h"
#include "stats/order.h"

namespace sonder::instrument {
namespace {

using Scores = std::vector<Measured<double>>;

// Expected of every column: one score, or none, for each scenario.
void check_columns(const CertificateScores& s) {
  require(s.ladder.size() == 4, "a certificate needs the four levels of the ladder");
  const std::size_t n = s.neu.size();
  bool even = s.emp.size() == n;
  for (const Scores& level : s.ladder) even = even && level.size() == n;
  for (const Scores* one : {&s.rephrase_neu, &s.rephrase_emp, &s.pad, &s.base, &s.prompted})
    even = even && (one->empty() || one->size() == n);
  require(even, "a certificate needs one score, or a reason for none, for each scenario and kind of text");
}

// Rows in which every one of `columns` is there, as numbers [rows × columns].
Numbers complete(const std::vector<const Scores*>& columns) {
  Numbers out;
  out.d = columns.size();
  for (std::size_t i = 0; i < columns.front()->size(); ++i) {
    std::vector<double> row;
    for (const Scores* column : columns)
      if ((*column)[i]) row.push_back(*(*column)[i]);
    if (row.size() == columns.size()) out.append(row);
  }
  return out;
}

std::vector<double> column(const Numbers& table, std::size_t j) {
  std::vector<double> out(table.n);
  for (std::size_t i = 0; i < table.n; ++i) out[i] = table.row(i)[j];
  return out;
}

std::vector<double> difference(const Numbers& table, std::size_t a, std::size_t b) {
  std::vector<double> out(table.n);
  for (std::size_t i = 0; i < table.n; ++i) out[i] = table.row(i)[a] - table.row(i)[b];
  return out;
}

GateResult gate(std::string code, std::string name) {
  return {std::move(code), std::move(name), true, false, "", ""};
}

GateResult not_taken(std::string code, std::string name, std::string why) {
  return {std::move(code), std::move(name), false, false, std::move(why), ""};
}

void decide(GateResult& g, bool passed, const char* failure) {
  g.passed = passed;
  g.failure = passed ? "" : failure;
}

// pairs: columns NEU, EMP. missing: share of the bank's texts without a score.
GateResult anchor(const Numbers& pairs, double missing, const CertificateLimits& limits) {
  GateResult g = gate("V1", "anchor");
  if (missing > limits.missing) {
    g.detail = fmt::format("{:.0f} % of the bank's texts could not be scored (limit {:.0f} %)", 100 * missing,
                           100 * limits.missing);
    decide(g, false, "NO_ANCHOR");
    return g;
  }
  const std::vector<double> gap = difference(pairs, 1, 0);
  const stats::Ratio ratio = stats::fieller(gap, gap);
  const stats::Estimate order = stats::concordance(column(pairs, 1), column(pairs, 0));
  if (ratio.theta.status == stats::Status::refused || !order.usable()) {
    g.detail = "too few scenarios to tell";
    decide(g, false, "NO_ANCHOR");
    return g;
  }
  const bool up = stats::mean(gap).value > 0;
  g.detail = fmt::format(
      "g {:.3f} (limit {:.2f}); EMP above NEU in {:.2f} of scenarios, lower bound {:.2f} (needs {:.2f})",
      ratio.fieller_g, limits.anchor_g, order.value, order.ci95.low, limits.anchor_concordance);
  decide(g, up && ratio.fieller_g <= limits.anchor_g && order.ci95.low >= limits.anchor_concordance,
         "NO_ANCHOR");
  return g;
}

GateResult within(const Numbers& ladder, const CertificateLimits& limits) {  // columns level 1..4
  GateResult g = gate("V2", "within-class ordering");
  const stats::Page page = stats::page(ladder);
  const stats::Estimate order = stats::ladder_concordance(ladder);
  if (page.status != stats::Status::ok || !order.usable()) {
    g.detail = "too few ladders, or all levels scored alike";
    decide(g, false, "INSENSITIVE_WITHIN");
    return g;
  }
  g.detail = fmt::format(
      "Page p {:.2g} (limit {:.2g}); ladder pairs in order {:.2f}, lower bound {:.2f} (needs above {:.2f})",
      page.p, limits.within_p, order.value, order.ci95.low, limits.within_concordance);
  decide(g, page.p < limits.within_p && order.ci95.low > limits.within_concordance, "INSENSITIVE_WITHIN");
  return g;
}

GateResult positive(const CertificateScores& s, const CertificateLimits& limits) {
  if (s.base.empty() || s.prompted.empty())
    return not_taken("V4", "positive control", "no prompted replies were played");
  GateResult g = gate("V4", "positive control");
  const Numbers rows = complete({&s.base, &s.prompted, &s.neu, &s.emp});
  const stats::Ratio ratio = stats::fieller(difference(rows, 1, 0), difference(rows, 3, 2));
  if (!ratio.theta.usable()) {
    g.detail = "the natural gap is too unsteady to express the prompt's shift in it";
  } else {
    g.detail = fmt::format(
        "a one-line prompt shifts {:+.2f} [{:+.2f}, {:+.2f}] of the gap (lower bound must exceed {:.2f})",
        ratio.theta.value, ratio.theta.ci95.low, ratio.theta.ci95.high, limits.delta);
  }
  decide(g, ratio.theta.usable() && ratio.theta.ci95.low > limits.delta, "POSITIVE_CONTROL_FAILED");
  return g;
}

// How many scenarios a two one-sided test needs for 80 % power when nothing shifts. Source: methods.md 4.5.
int scenarios_needed(const stats::Tost& tost, double bound) {
  const double sd = tost.mean.se * std::sqrt(static_cast<double>(tost.mean.n_units));
  return static_cast<int>(std::ceil(std::min(1e6, std::pow(2.926 * sd / bound, 2))));
}

// REPHRASE keeps the meaning, so it must keep the score: the mean of both rephrasings, each against its
// original. A fall of one must not hide a rise of the other: neither may be shown to lie outside the bound.
GateResult negative(const CertificateScores& s, const CertificateLimits& limits, double natural_gap) {
  if (s.rephrase_neu.empty() || s.rephrase_emp.empty())
    return not_taken("V5", "negative control", "the bank has no rephrasings");
  GateResult g = gate("V5", "negative control");
  const double bound = limits.delta / 2;
  const Numbers rows = complete({&s.neu, &s.rephrase_neu, &s.emp, &s.rephrase_emp});
  const auto shift_of = [&](double of_neu, double of_emp) {
    std::vector<double> shift;
    for (std::size_t i = 0; i < rows.n && natural_gap > 0; ++i) {
      const auto r = rows.row(i);
      shift.push_back((of_neu * (r[1] - r[0]) + of_emp * (r[3] - r[2])) / natural_gap);
    }
    return stats::tost(shift, bound);
  };
  const stats::Tost both = shift_of(0.5, 0.5);
  if (!both.mean.usable()) {
    g.detail = "too few rephrasings, or no natural gap, to tell";
    decide(g, false, "UNSTABLE");
    return g;
  }
  g.detail = fmt::format("rephrasing shifts {:+.3f} [{:+.3f}, {:+.3f}] of the gap (must stay within ±{:.2f})",
                         both.mean.value, both.mean.ci90.low, both.mean.ci90.high, bound);
  const int needed = scenarios_needed(both, bound);
  if (!both.equivalent && std::abs(both.mean.value) < bound && needed > both.mean.n_units)
    g.detail += fmt::format("; too unsteady for {} scenarios, about {} would do", both.mean.n_units, needed);
  bool outside = false;
  for (const auto& [name, alone] : {std::pair{"NEU", shift_of(1, 0)}, std::pair{"EMP", shift_of(0, 1)}})
    if (alone.mean.ci90.low > bound || alone.mean.ci90.high < -bound) {
      g.detail += fmt::format("; {} alone {:+.3f}", name, alone.mean.value);
      outside = true;
    }
  decide(g, both.equivalent && !outside, "UNSTABLE");
  return g;
}

GateResult headroom(const CertificateScores& s, const CertificateLimits& limits) {
  if (s.base.empty()) return not_taken("V6", "headroom", "no unsteered replies were played");
  GateResult g = gate("V6", "headroom");
  double n = 0;
  double at_top = 0;
  double at_bottom = 0;
  for (const auto& score : s.base) {
    if (!score) continue;
    n += 1;
    at_top += *score >= limits.highest - limits.step / 2 ? 1 : 0;
    at_bottom += *score <= limits.lowest + limits.step / 2 ? 1 : 0;
  }
  if (n == 0) {
    g.detail = "no unsteered reply could be scored";
    decide(g, false, "CEILING");
    return g;
  }
  if (std::isinf(limits.highest) && std::isinf(limits.lowest)) {
    g.detail = "the scale is open at both ends";
    decide(g, true, "");
    return g;
  }
  g.detail = fmt::format(
      "{:.0f} % of unsteered replies at the top of the scale, {:.0f} % at the bottom (limit {:.0f} %)",
      100 * at_top / n, 100 * at_bottom / n, 100 * limits.headroom);
  decide(g, at_top / n <= limits.headroom, "CEILING");
  if (g.passed) decide(g, at_bottom / n <= limits.headroom, "FLOOR");
  return g;
}

std::vector<LadderPoint> ladder_points(const CertificateScores& s, double natural_gap) {
  std::vector<LadderPoint> points;
  if (natural_gap <= 0) return points;
  std::vector<const Scores*> columns = {&s.neu};
  for (const Scores& level : s.ladder) columns.push_back(&level);
  columns.push_back(&s.emp);
  const Numbers rows = complete(columns);
  const double zero = stats::mean(column(rows, 0)).value;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const stats::Estimate e = stats::mean(column(rows, k));
    if (e.usable())
      points.push_back({static_cast<int>(k), (e.value - zero) / natural_gap, e.se / natural_gap});
  }
  return points;
}

double missing_among(const std::vector<const Scores*>& columns) {
  double n = 0;
  double missing = 0;
  for (const Scores* column : columns)
    for (const auto& score : *column) n += 1, missing += score ? 0 : 1;
  return n == 0 ? 0 : missing / n;
}

// What a certificate says of its size, before any gate.
CertificateResult of_pairs(const Numbers& pairs) {
  CertificateResult out;
  out.n_scenarios = static_cast<int>(pairs.n);
  out.natural_gap = pairs.n > 1 ? stats::mean(difference(pairs, 1, 0)).value : 0;
  return out;
}

}  // namespace

CertificateResult certify_anchor(const CertificateScores& scores, const CertificateLimits& limits) {
  require(scores.neu.size() == scores.emp.size(), "an anchor needs a NEU and an EMP for each scenario");
  const Numbers pairs = complete({&scores.neu, &scores.emp});
  CertificateResult out = of_pairs(pairs);
  out.missing_share = missing_among({&scores.neu, &scores.emp});
  const GateResult first = anchor(pairs, out.missing_share, limits);
  const std::string why = first.passed ? "not examined yet" : "not examined: V1 failed";
  out.gates = {first, not_taken("V2", "within-class ordering", why), not_taken("V4", "positive control", why),
               not_taken("V5", "negative control", why), not_taken("V6", "headroom", why)};
  return out;
}

CertificateResult certify(const CertificateScores& scores, const CertificateLimits& limits) {
  check_columns(scores);
  const Numbers pairs = complete({&scores.neu, &scores.emp});
  CertificateResult out = of_pairs(pairs);
  std::vector<const Scores*> bank = {&scores.neu, &scores.emp, &scores.rephrase_neu, &scores.rephrase_emp,
                                     &scores.pad};
  for (const Scores& level : scores.ladder) bank.push_back(&level);
  const double missing = missing_among(bank);
  bank.insert(bank.end(), {&scores.base, &scores.prompted});
  out.missing_share = missing_among(bank);
  const Numbers ladder =
      complete({&scores.ladder[0], &scores.ladder[1], &scores.ladder[2], &scores.ladder[3]});
  out.gates = {anchor(pairs, missing, limits), within(ladder, limits), positive(scores, limits),
               negative(scores, limits, out.natural_gap), headroom(scores, limits)};
  out.certified =
      std::all_of(out.gates.begin(), out.gates.end(), [](const GateResult& g) { return g.passed; });
  out.ladder = ladder_points(scores, out.natural_gap);
  return out;
}

}  // namespace sonder::instrument
