// What detection and its text-only rivals share: order of pairs, designs, and the kernels of tables and of
// words.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "latent/detail/nested.h"
#include "latent/detect.h"

namespace sonder::latent::detail {

// Pairs by family, then scenario, then as given: results do not depend on the order of rows.
std::vector<std::size_t> canonical_order(std::span<const int> family, std::span<const int> scenario);
std::vector<int> in_order(std::span<const int> values, const std::vector<std::size_t>& order);
// 1, .5 or 0 for each pair, in the caller's order.
std::vector<double> by_pair(const Held& held, const std::vector<std::size_t>& order);

// Every pair its own scenario, one layer. family: in canonical order.
Design plain_design(std::span<const int> family, const DetectOptions& options, Seed seed);

// texts: [2 n_pairs × d]. Raw, or with columns centred and scaled by the training texts; a column that is
// constant there becomes 0 everywhere.
Kernel table_kernel(const Matrix& texts, bool raw, const std::vector<char>& is_training);

// Lower-cased words of a text: letters, digits, inner apostrophes and hyphens; bytes outside ASCII count as
// letters, except general punctuation (U+2000 to U+206F).
std::vector<std::string> words_of(const std::string& text);

// 1–2-grams of a set of texts.
class Vocabulary {
 public:
  explicit Vocabulary(const std::vector<std::string>& texts);
  // Cosines of tf-idf vectors whose words and idf = ln((1 + n) / (1 + df)) + 1 come from the training texts
  // alone.
  Matrix tf_idf_gram(const std::vector<char>& is_training) const;

 private:
  std::size_t n_terms_ = 0;
  std::vector<std::map<std::size_t, double>> counts_;  // per text: term → count
};

}  // namespace sonder::latent::detail
