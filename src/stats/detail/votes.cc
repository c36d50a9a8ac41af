#include "stats/detail/votes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace sonder::stats::detail {
namespace {

std::vector<int> distinct(std::vector<int> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::size_t place_of(const std::vector<int>& sorted, int number) {
  return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), number) - sorted.begin());
}

}  // namespace

Votes gather(std::span<const Label> labels, int n_categories) {
  require(n_categories >= 2, "labels have at least two categories");
  std::vector<int> items;
  std::vector<int> annotators;
  for (const Label& label : labels) {
    require(label.item >= 0 && label.annotator >= 0, "items and annotators are numbered from 0");
    require(label.category >= 0 && label.category < n_categories,
            "a label is one of the categories 0 to K - 1");
    items.push_back(label.item);
    annotators.push_back(label.annotator);
  }
  Votes out;
  out.k = static_cast<std::size_t>(n_categories);
  out.items = distinct(std::move(items));
  out.annotators = distinct(std::move(annotators));
  std::vector<std::size_t> item_of(labels.size());
  out.start.assign(out.items.size() + 1, 0);
  for (std::size_t l = 0; l < labels.size(); ++l) {
    item_of[l] = place_of(out.items, labels[l].item);
    ++out.start[item_of[l] + 1];
  }
  for (std::size_t i = 0; i < out.items.size(); ++i) out.start[i + 1] += out.start[i];
  std::vector<std::size_t> next(out.start.begin(), out.start.end() - 1);
  out.votes.resize(labels.size());
  for (std::size_t l = 0; l < labels.size(); ++l)
    out.votes[next[item_of[l]]++] = {
        static_cast<std::uint32_t>(place_of(out.annotators, labels[l].annotator)),
        static_cast<std::uint32_t>(labels[l].category)};
  // Within an item in a fixed order, so that the order of rows does not show in the last bit.
  for (std::size_t i = 0; i < out.items.size(); ++i)
    std::sort(out.votes.begin() + static_cast<std::ptrdiff_t>(out.start[i]),
              out.votes.begin() + static_cast<std::ptrdiff_t>(out.start[i + 1]),
              [](const Vote& a, const Vote& b) {
                return a.annotator != b.annotator ? a.annotator < b.annotator : a.category < b.category;
              });
  return out;
}

void begin(LabelModel& model, const Votes& votes) {
  model.items = votes.items;
  model.annotators = votes.annotators;
  model.n_units = static_cast<int>(votes.items.size());
  if (!votes.items.empty()) return;
  model.status = Status::undefined;
  model.warnings.emplace_back("no labels");
}

void flag(LabelModel& model, const char* why) {
  model.status = Status::flagged;
  model.warnings.emplace_back(why);
}

Numbers vote_shares(const Votes& votes) {
  Numbers share(votes.items.size(), votes.k);
  for (std::size_t i = 0; i < share.n; ++i) {
    const auto own = votes.of(i);
    for (const Vote& vote : own) share.row(i)[vote.category] += 1 / static_cast<double>(own.size());
  }
  return share;
}

double normalise(std::span<double> log_weights) {
  const double top = *std::max_element(log_weights.begin(), log_weights.end());
  if (top == -std::numeric_limits<double>::infinity()) {  // nothing is possible: no opinion
    std::fill(log_weights.begin(), log_weights.end(), 1.0 / static_cast<double>(log_weights.size()));
    return top;
  }
  double total = 0;
  for (double& x : log_weights) total += x = std::exp(x - top);
  for (double& x : log_weights) x /= total;
  return top + std::log(total);
}

}  // namespace sonder::stats::detail
