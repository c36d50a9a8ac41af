#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "model/model.h"

namespace sonder::model {
namespace {

double norm(std::span<const double> x) {
  return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
}

// The shift that the edits of `layer` ask for, on a row x that they have not touched yet. [n_embd]
std::vector<double> asked_shift(const Hook& hook, int layer, std::span<const float> x) {
  std::vector<double> y(x.begin(), x.end());
  for (const Edit& edit : hook.edits) {
    if (edit.site.layer != layer) continue;
    const std::vector<float>& u = edit.direction;
    double step = static_cast<double>(edit.amount);
    if (edit.kind == EditKind::ablate) step -= std::inner_product(y.begin(), y.end(), u.begin(), 0.0);
    for (std::size_t j = 0; j < y.size(); ++j) y[j] += step * static_cast<double>(u[j]);
  }
  for (std::size_t j = 0; j < y.size(); ++j) y[j] -= static_cast<double>(x[j]);
  return y;
}

double largest_change(std::span<const float> x, std::span<const float> y) {
  double most = 0;
  for (std::size_t j = 0; j < x.size(); ++j)
    most = std::max(most, std::abs(static_cast<double>(x[j]) - static_cast<double>(y[j])));
  return most;
}

Reading read_one(Model& model, const Passage& passage, const Hook& hook, const Want& want,
                 const Cancel& cancel) {
  Reading reading;
  model.read(
      {&passage, 1}, hook, want, [&](std::size_t, const Reading& r) { reading = r; }, cancel);
  return reading;
}

std::size_t first_touched_row(const Hook& hook, const Passage& passage) {
  const auto n_prompt = static_cast<std::size_t>(passage.n_prompt);
  if (hook.span == Span::all) return 0;
  return hook.span == Span::reply ? n_prompt : n_prompt - 1;
}

// Adds what one edited layer shows; `n` counts touched rows.
void check_layer(const Hook& hook, int layer, const Rows& before, const Rows& after, std::size_t first,
                 Manipulation& m, std::size_t& n) {
  for (std::size_t i = first; i < after.n; ++i) {
    const std::span<const float> x = before.row(i);
    const std::vector<double> asked = asked_shift(hook, layer, x);
    std::vector<double> got(x.size());
    for (std::size_t j = 0; j < x.size(); ++j)
      got[j] = static_cast<double>(after.row(i)[j]) - static_cast<double>(x[j]);
    const double asked_length = norm(asked);
    m.asked += asked_length;
    m.got += norm(got);
    ++n;
    for (std::size_t j = 0; j < x.size(); ++j) got[j] -= asked[j];
    // An ablation may ask for next to nothing; rounding of f32 must not count as an error then.
    const double length = std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
    const double scale = std::max(asked_length, 1e-4 * length);
    if (scale > 0) m.worst_relative_error = std::max(m.worst_relative_error, norm(got) / scale);
  }
}

double mean_kl(const Rows& base, const Rows& hooked, std::size_t first) {
  double sum = 0;
  for (std::size_t i = first; i < base.n; ++i) sum += kl_divergence(base.row(i), hooked.row(i));
  return base.n > first ? sum / static_cast<double>(base.n - first) : 0;
}

}  // namespace

double kl_divergence(std::span<const float> base_logits, std::span<const float> other_logits) {
  require(base_logits.size() == other_logits.size() && !base_logits.empty(),
          "two rows of logits have the same length");
  const auto log_total = [](std::span<const float> x) {
    const auto most = static_cast<double>(*std::max_element(x.begin(), x.end()));
    double sum = 0;
    for (const float v : x) sum += std::exp(static_cast<double>(v) - most);
    return most + std::log(sum);
  };
  const double base_total = log_total(base_logits);
  const double other_total = log_total(other_logits);
  require(std::isfinite(base_total) && std::isfinite(other_total), "logits are finite");
  double kl = 0;
  for (std::size_t j = 0; j < base_logits.size(); ++j) {
    const double log_p = static_cast<double>(base_logits[j]) - base_total;
    const double log_q = static_cast<double>(other_logits[j]) - other_total;
    kl += std::exp(log_p) * (log_p - log_q);
  }
  return std::max(kl, 0.0);  // rounding may lead a hair below
}

Manipulation check_manipulation(Model& model, const Passage& passage, const Hook& hook,
                                const Cancel& cancel) {
  require(!hook.empty(), "a hook to check has at least one edit");
  require(passage.n_prompt >= 1, "the passage of a manipulation check has a prompt");
  const std::size_t first = first_touched_row(hook, passage);
  require(first < passage.tokens.size(), "the passage of a manipulation check has a reply");

  Want want;
  want.before = true;
  want.logits = true;
  const int first_layer = hook.edits.front().site.layer;
  for (int layer = 0; layer < first_layer; ++layer) want.layers.push_back(layer);
  const std::size_t n_below = want.layers.size();
  for (const Edit& edit : hook.edits)
    if (want.layers.size() == n_below || want.layers.back() != edit.site.layer)
      want.layers.push_back(edit.site.layer);
  const Reading base = read_one(model, passage, {}, want, cancel);
  const Reading hooked = read_one(model, passage, hook, want, cancel);

  Manipulation m;
  std::size_t n = 0;
  for (std::size_t k = n_below; k < want.layers.size(); ++k)
    check_layer(hook, want.layers[k], hooked.before[k], hooked.residuals[k], first, m, n);
  m.asked /= static_cast<double>(n);
  m.got /= static_cast<double>(n);

  for (std::size_t k = 0; k < n_below; ++k)
    m.change_before =
        std::max(m.change_before, largest_change(base.residuals[k].data, hooked.residuals[k].data));
  m.change_before =
      std::max(m.change_before, largest_change(base.residuals[n_below].data, hooked.before[n_below].data));
  for (std::size_t k = n_below; k < want.layers.size(); ++k)  // rows that the span leaves alone
    for (std::size_t i = 0; i < first; ++i)
      m.change_before =
          std::max(m.change_before, largest_change(base.residuals[k].row(i), hooked.residuals[k].row(i)));
  m.kl = mean_kl(base.logits, hooked.logits, hook.span == Span::reply ? 1 : 0);
  return m;
}

}  // namespace sonder::model
