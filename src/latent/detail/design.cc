#include "latent/detail/design.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace sonder::latent::detail {
namespace {

bool is_letter(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 0x80;
}

// U+2019 becomes an apostrophe, other general punctuation a space, A-Z small letters.
std::string folded(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == 0xE2 && i + 2 < text.size() && (text[i + 1] == '\x80' || text[i + 1] == '\x81')) {
      out += text[i + 1] == '\x80' && text[i + 2] == '\x99' ? '\'' : ' ';
      i += 2;
    } else {
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : text[i];
    }
  }
  return out;
}

}  // namespace

std::vector<std::size_t> canonical_order(std::span<const int> family, std::span<const int> scenario) {
  require(family.size() == scenario.size(), "every pair has a scenario and a family");
  std::vector<std::size_t> order(family.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::pair(family[i], scenario[i]); });
  return order;
}

std::vector<int> in_order(std::span<const int> values, const std::vector<std::size_t>& order) {
  std::vector<int> out(order.size());
  std::ranges::transform(order, out.begin(), [&](std::size_t i) { return values[i]; });
  return out;
}

std::vector<double> by_pair(const Held& held, const std::vector<std::size_t>& order) {
  std::vector<double> out(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) out[order[i]] = won(held.high[i], held.low[i]);
  return out;
}

Design plain_design(std::span<const int> family, const DetectOptions& options, Seed seed) {
  Design design;
  design.folds = assign_folds(family, options.folds, seed);
  design.scenario.resize(family.size());
  std::iota(design.scenario.begin(), design.scenario.end(), 0);
  design.n_scenarios = static_cast<int>(family.size());
  design.n_layers = 1;
  for (const auto& name : options.methods) {
    const Method method = method_named(name);
    require(std::ranges::find(design.methods, method) == design.methods.end(), "each reader is named once");
    design.methods.push_back(method);
  }
  design.lambdas = options.lambdas;
  std::ranges::sort(design.lambdas, std::greater{});
  return design;
}

Kernel table_kernel(const Matrix& texts, bool raw, const std::vector<char>& is_training) {
  const auto width = static_cast<double>(texts.cols());
  if (raw) return {texts * texts.transpose(), width};
  Vector training(texts.rows());
  for (Eigen::Index i = 0; i < texts.rows(); ++i)
    training[i] = is_training[static_cast<std::size_t>(i)] != 0 ? 1 : 0;
  const double n = training.sum();
  const Eigen::RowVectorXd mean = training.transpose() * texts / n;
  Matrix x = texts.rowwise() - mean;
  Eigen::RowVectorXd scale = (training.transpose() * x.cwiseAbs2() / n).cwiseSqrt();
  const double least = 1e-12 * (scale.maxCoeff() + mean.cwiseAbs().maxCoeff());
  scale = (scale.array() > least).select(scale.cwiseInverse(), 0.0);
  x = x * scale.asDiagonal();
  return {x * x.transpose(), width};
}

std::vector<std::string> words_of(const std::string& text) {
  const std::string all = folded(text);
  std::vector<std::string> words;
  std::string word;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const char c = all[i];
    const bool joins = (c == '\'' || c == '-') && !word.empty() && i + 1 < all.size() &&
                       is_letter(static_cast<unsigned char>(all[i + 1]));
    if (is_letter(static_cast<unsigned char>(c)) || joins) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

Vocabulary::Vocabulary(const std::vector<std::string>& texts) {
  std::unordered_map<std::string, std::size_t> known;
  for (const std::string& text : texts) {
    auto& counts = counts_.emplace_back();
    const auto count = [&](const std::string& term) {
      counts[known.try_emplace(term, known.size()).first->second] += 1;
    };
    const auto words = words_of(text);
    for (std::size_t i = 0; i < words.size(); ++i) {
      count(words[i]);
      if (i + 1 < words.size()) count(words[i] + ' ' + words[i + 1]);
    }
  }
  n_terms_ = known.size();
}

Matrix Vocabulary::tf_idf_gram(const std::vector<char>& is_training) const {
  std::vector<double> documents(n_terms_, 0.0);
  double n = 0;
  for (std::size_t t = 0; t < counts_.size(); ++t) {
    if (is_training[t] == 0) continue;
    n += 1;
    for (const auto& [term, count] : counts_[t]) documents[term] += 1;
  }
  std::vector<std::vector<std::pair<std::size_t, double>>> vectors;
  for (const auto& counts : counts_) {
    auto& v = vectors.emplace_back();
    double squares = 0;
    for (const auto& [term, count] : counts) {
      if (documents[term] == 0) continue;  // a word the training texts do not have
      const double value = count * (std::log((1 + n) / (1 + documents[term])) + 1);
      v.emplace_back(term, value);
      squares += value * value;
    }
    for (auto& entry : v) entry.second /= std::sqrt(squares);
  }
  const auto size = static_cast<Eigen::Index>(vectors.size());
  Matrix gram(size, size);
  std::vector<double> dense(n_terms_, 0.0);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (const auto& [term, value] : vectors[static_cast<std::size_t>(i)]) dense[term] = value;
    for (Eigen::Index j = 0; j < size; ++j) {
      double dot = 0;
      for (const auto& [term, value] : vectors[static_cast<std::size_t>(j)]) dot += value * dense[term];
      gram(i, j) = dot;
    }
    for (const auto& [term, value] : vectors[static_cast<std::size_t>(i)]) dense[term] = 0;
  }
  return gram;
}

}  // namespace sonder::latent::detail
