#include "latent/detail/nested.h"

#include <algorithm>
#include <cmath>

namespace sonder::latent::detail {
namespace {

constexpr double kFitTolerance = 1e-6;  // of the logistic objective: far below what moves an ordering

// What a reader is trained on and which pairs it then scores.
struct Split {
  std::vector<int> training;  // pairs
  std::vector<int> held;      // pairs
  std::vector<char> is_training_text;
};

Split split_without(const Design& design, int j, int k) {
  Split split;
  split.is_training_text.assign(2 * design.n_pairs(), 0);
  for (std::size_t i = 0; i < design.n_pairs(); ++i) {
    const int fold = design.folds.fold[i];
    if (fold == j || fold == k) {
      split.held.push_back(static_cast<int>(i));
    } else {
      split.training.push_back(static_cast<int>(i));
      split.is_training_text[2 * i] = split.is_training_text[2 * i + 1] = 1;
    }
  }
  return split;
}

// Training block and held-out block of one Gram matrix.
struct Blocks {
  Matrix training;  // [2 n_training × 2 n_training]
  Matrix held;      // [2 n_held × 2 n_training]
  double width = 1;
};

Blocks blocks(const Kernel& kernel, const Split& split) {
  const auto texts = [](const std::vector<int>& pairs) {
    std::vector<Eigen::Index> out;
    for (const Eigen::Index pair : pairs) out.insert(out.end(), {2 * pair, 2 * pair + 1});
    return out;
  };
  const auto training = texts(split.training);
  return {kernel.gram(training, training), kernel.gram(texts(split.held), training), kernel.width};
}

Vector labels(const Design& design, const Split& split, const Labeling& swapped) {
  Vector y(static_cast<Eigen::Index>(2 * split.training.size()));
  for (std::size_t i = 0; i < split.training.size(); ++i) {
    const auto scenario =
        static_cast<std::size_t>(design.scenario[static_cast<std::size_t>(split.training[i])]);
    const double high = swapped[scenario] != 0 ? -1 : 1;
    y[static_cast<Eigen::Index>(2 * i)] = high;
    y[static_cast<Eigen::Index>(2 * i + 1)] = -high;
  }
  return y;
}

// Fits every asked (method, lambda) at one layer and split for one labeling; hands on the scores of the
// held-out texts.
class Fitter {
 public:
  // `use(i, scores)`: i counts candidates of one layer; scores: [2 n_held].
  template <class Use>
  void each(const Design& design, const Blocks* raw, const Blocks* scaled, const Vector& y, const Use& use) {
    int i = 0;
    for (const Method method : design.methods) {
      if (method != Method::logistic) {
        const Blocks& at = method == Method::dom ? *raw : *scaled;
        one(method, at, y);
        use(i++, scores_);
        continue;
      }
      logistic_.restart(y.size());
      for (const double lambda : design.lambdas) {  // falling: each starts where the last one ended
        logistic_.fit(scaled->training, y, lambda);
        scores_.noalias() = scaled->held * logistic_.beta();
        use(i++, scores_);
      }
    }
  }

 private:
  void one(Method method, const Blocks& at, const Vector& y) {
    if (method == Method::dom) difference_of_means(y, beta_);
    if (method == Method::lda) lda_.fit(at.training, y, at.width, std::nullopt, beta_);
    scores_.noalias() = at.held * beta_;
  }

  Lda lda_;
  L2Logistic logistic_{kFitTolerance};
  Vector beta_, scores_;
};

std::vector<Candidate> candidates(const Design& design) {
  std::vector<Candidate> out;
  for (int layer = 0; layer < design.n_layers; ++layer)
    for (const Method method : design.methods) {
      if (method != Method::logistic) out.push_back({layer, method, 0});
      if (method == Method::logistic)
        for (const double lambda : design.lambdas) out.push_back({layer, method, lambda});
    }
  return out;
}

// The score of one fold's pairs, to be added to a candidate's sum over inner folds.
class FoldScorer {
 public:
  explicit FoldScorer(const Design& design) : design_(design), weight_(design.n_pairs()) {
    std::vector<int> size(static_cast<std::size_t>(design.n_scenarios), 0);
    for (const int s : design.scenario) ++size[static_cast<std::size_t>(s)];
    for (std::size_t i = 0; i < weight_.size(); ++i)
      weight_[i] = 1.0 / size[static_cast<std::size_t>(design.scenario[i])];
  }

  // Concordance: summed over scenarios. AUROC and margin: of the fold.
  Score of(const Split& split, const Vector& scores, const Labeling& swapped, int fold) {
    high_.clear();
    low_.clear();
    double concordance = 0;
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < split.held.size(); ++i) {
      const auto pair = static_cast<std::size_t>(split.held[i]);
      if (design_.folds.fold[pair] != fold) continue;
      double high = scores[static_cast<Eigen::Index>(2 * i)];
      double low = scores[static_cast<Eigen::Index>(2 * i + 1)];
      if (swapped[static_cast<std::size_t>(design_.scenario[pair])] != 0) std::swap(high, low);
      high_.push_back(high);
      low_.push_back(low);
      concordance += weight_[pair] * won(high, low);
      sum += high - low;
      squares += (high - low) * (high - low);
    }
    const auto n = static_cast<double>(high_.size());
    const double margin = squares > 0 ? sum / std::sqrt(n * squares) : 0;
    return {concordance, pairwise_auroc(high_, low_), margin};
  }

 private:
  const Design& design_;
  std::vector<double> weight_;
  std::vector<double> high_, low_;
};

// Sums over inner folds, per (labeling, outer fold, candidate).
class Sums {
 public:
  Sums(std::size_t n_labelings, std::size_t n_folds, std::size_t n_candidates)
      : n_folds_(n_folds), n_candidates_(n_candidates), sums_(n_labelings * n_folds * n_candidates) {}
  void add(std::size_t labeling, int fold, std::size_t candidate, const Score& score) {
    Score& at = sums_[(labeling * n_folds_ + static_cast<std::size_t>(fold)) * n_candidates_ + candidate];
    at.concordance += score.concordance;
    at.auroc += score.auroc;
    at.margin += score.margin;
  }
  const Score* of(std::size_t labeling, int fold) const {
    return &sums_[(labeling * n_folds_ + static_cast<std::size_t>(fold)) * n_candidates_];
  }

 private:
  std::size_t n_folds_, n_candidates_;
  std::vector<Score> sums_;
};

// The first of the best among candidates [from, to).
std::size_t best_of(const Score* scores, std::size_t from, std::size_t to) {
  std::size_t best = from;
  for (std::size_t c = from + 1; c < to; ++c)
    if (better(scores[c], scores[best])) best = c;
  return best;
}

// One run of the engine. Loops go layer by layer, so that one small Gram matrix serves all labelings from the
// cache.
class Run {
 public:
  Run(const Design& design, const KernelOf& kernel, const std::vector<Labeling>& labelings,
      const OnProgress& progress, const Cancel& cancel)
      : design_(design),
        kernel_(kernel),
        labelings_(labelings),
        progress_(progress),
        cancel_(cancel),
        candidates_(candidates(design)),
        per_layer_(candidates_.size() / static_cast<std::size_t>(design.n_layers)),
        n_folds_(design.folds.n_folds),
        scorer_(design),
        inner_(labelings.size(), static_cast<std::size_t>(n_folds_), candidates_.size()),
        outer_(1, 1, candidates_.size()) {
    for (int k = 0; k < n_folds_; ++k) total_ += k;  // pairs of folds
    total_ = (total_ + n_folds_) * design.n_layers;
  }

  Nested result() {
    for (int layer = 0; layer < design_.n_layers; ++layer)
      for (int j = 0; j < n_folds_; ++j)
        for (int k = j + 1; k < n_folds_; ++k) inner_fits(layer, j, k);
    choose();
    out_.held.assign(labelings_.size(), blank());
    out_.sweep.assign(static_cast<std::size_t>(design_.n_layers) * design_.methods.size(), blank());
    for (int layer = 0; layer < design_.n_layers; ++layer)
      for (int k = 0; k < n_folds_; ++k) outer_fits(layer, k);
    for (Held& held : out_.held) summarise(design_, held);
    for (Held& held : out_.sweep) summarise(design_, held);
    out_.chosen = candidates_[best_of(outer_.of(0, 0), 0, candidates_.size())];
    return std::move(out_);
  }

 private:
  Held blank() const {
    return {std::vector<double>(design_.n_pairs()), std::vector<double>(design_.n_pairs()), 0, 0};
  }
  std::size_t first_of(int layer) const { return static_cast<std::size_t>(layer) * per_layer_; }

  // Both Grams of a split, each only where a method wants it.
  struct Both {
    Blocks raw, scaled;
  };
  Both both(int layer, const Split& split) {
    cancel_.check();
    if (progress_) progress_({"telling high from low texts, layer by layer", "fits", done_, total_});
    ++done_;
    Both out;
    const auto wants = [&](bool raw) {
      return std::ranges::any_of(design_.methods, [&](Method m) { return (m == Method::dom) == raw; });
    };
    if (wants(true)) out.raw = blocks(kernel_(layer, true, split.is_training_text), split);
    if (wants(false)) out.scaled = blocks(kernel_(layer, false, split.is_training_text), split);
    return out;
  }

  void inner_fits(int layer, int j, int k) {
    const Split split = split_without(design_, j, k);
    const Both grams = both(layer, split);
    for (std::size_t b = 0; b < labelings_.size(); ++b) {
      const Vector y = labels(design_, split, labelings_[b]);
      fitter_.each(design_, &grams.raw, &grams.scaled, y, [&](int i, const Vector& scores) {
        const std::size_t candidate = first_of(layer) + static_cast<std::size_t>(i);
        inner_.add(b, k, candidate, scorer_.of(split, scores, labelings_[b], j));
        inner_.add(b, j, candidate, scorer_.of(split, scores, labelings_[b], k));
      });
    }
  }

  void choose() {
    choice_.resize(labelings_.size() * static_cast<std::size_t>(n_folds_));
    for (std::size_t b = 0; b < labelings_.size(); ++b)
      for (int k = 0; k < n_folds_; ++k)
        choice_[b * static_cast<std::size_t>(n_folds_) + static_cast<std::size_t>(k)] =
            best_of(inner_.of(b, k), 0, candidates_.size());
  }

  static void keep(const Split& split, const Vector& scores, Held& held) {
    for (std::size_t i = 0; i < split.held.size(); ++i) {
      const auto pair = static_cast<std::size_t>(split.held[i]);
      held.high[pair] = scores[static_cast<Eigen::Index>(2 * i)];
      held.low[pair] = scores[static_cast<Eigen::Index>(2 * i + 1)];
    }
  }

  // Refits on the whole outer-training set: what each labeling chose, and for the observed one every
  // candidate.
  void outer_fits(int layer, int k) {
    const auto wanted = [&](std::size_t b) {
      const std::size_t c = choice_[b * static_cast<std::size_t>(n_folds_) + static_cast<std::size_t>(k)];
      return c >= first_of(layer) && c < first_of(layer + 1) ? c : candidates_.size();
    };
    const Split split = split_without(design_, k, k);
    const Both grams = both(layer, split);
    for (std::size_t b = 0; b < labelings_.size(); ++b) {
      const std::size_t mine = wanted(b);
      if (b > 0 && mine == candidates_.size()) continue;
      const Vector y = labels(design_, split, labelings_[b]);
      fitter_.each(design_, &grams.raw, &grams.scaled, y, [&](int i, const Vector& scores) {
        const std::size_t c = first_of(layer) + static_cast<std::size_t>(i);
        if (c == mine) keep_labelled(split, scores, b);
        if (b == 0) observe(split, scores, k, c);
      });
    }
  }

  void keep_labelled(const Split& split, const Vector& scores, std::size_t b) {
    keep(split, scores, out_.held[b]);
    for (const int held : split.held) {
      const auto pair = static_cast<std::size_t>(held);
      if (labelings_[b][static_cast<std::size_t>(design_.scenario[pair])] != 0)
        std::swap(out_.held[b].high[pair], out_.held[b].low[pair]);
    }
  }

  // The observed labeling: every candidate's outer score, and the sweep where this lambda is the inner
  // choice.
  void observe(const Split& split, const Vector& scores, int k, std::size_t c) {
    outer_.add(0, 0, c, scorer_.of(split, scores, labelings_[0], k));
    std::size_t from = c;
    std::size_t to = c + 1;
    const auto same = [&](std::size_t other) {
      return candidates_[other].layer == candidates_[c].layer &&
             candidates_[other].method == candidates_[c].method;
    };
    while (from > 0 && same(from - 1)) --from;
    while (to < candidates_.size() && same(to)) ++to;
    if (best_of(inner_.of(0, k), from, to) != c) return;
    const auto method = std::ranges::find(design_.methods, candidates_[c].method) - design_.methods.begin();
    const auto row = static_cast<std::size_t>(candidates_[c].layer) * design_.methods.size();
    keep(split, scores, out_.sweep[row + static_cast<std::size_t>(method)]);
  }

  const Design& design_;
  const KernelOf& kernel_;
  const std::vector<Labeling>& labelings_;
  const OnProgress& progress_;
  const Cancel& cancel_;
  std::vector<Candidate> candidates_;
  std::size_t per_layer_;
  int n_folds_;
  FoldScorer scorer_;
  Fitter fitter_;
  Sums inner_, outer_;
  std::vector<std::size_t> choice_;  // [n_labelings × n_folds]
  std::int64_t done_ = 0, total_ = 0;
  Nested out_;
};

}  // namespace

Nested nested(const Design& design, const KernelOf& kernel, const std::vector<Labeling>& labelings,
              const OnProgress& progress, const Cancel& cancel) {
  require(!labelings.empty(), "nested folds need at least the observed labels");
  require(!design.methods.empty() && design.n_layers >= 1, "name at least one layer and one reader");
  require(!design.lambdas.empty() && std::ranges::all_of(design.lambdas, [](double l) { return l > 0; }),
          "penalties of the logistic reader are above 0");
  return Run(design, kernel, labelings, progress, cancel).result();
}

}  // namespace sonder::latent::detail
