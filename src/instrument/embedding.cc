#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "base/hash.h"
#include "instrument/detail/ridge.h"
#include "instrument/instrument.h"

namespace sonder::instrument {
namespace {

constexpr double kLambdas[] = {0.01, 0.03, 0.1, 0.3,
                               1,    3,    10};  // of unit vectors, so 1 is about one text's weight
constexpr std::size_t kBatch = 32;
constexpr std::size_t kMostVectors = 20000;  // 60 MB

Eigen::MatrixXd as_matrix(const Rows& rows) {
  Eigen::MatrixXd x(rows.n, rows.d);
  for (std::size_t i = 0; i < rows.n; ++i)
    for (std::size_t j = 0; j < rows.d; ++j)
      x(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = static_cast<double>(rows.row(i)[j]);
  return x;
}

class Embedding final : public Instrument {
 public:
  Embedding(model::Model& encoder, std::span<const Example> examples, const Cancel& cancel)
      : encoder_(encoder) {
    std::set<int> scenarios;
    for (const Example& e : examples) scenarios.insert(e.scenario);
    require(scenarios.size() >= 2,
            "the embedding instrument is fitted on at least two scenarios of the bank's fit split");
    std::vector<std::string> texts;
    std::vector<int> scenario;
    Eigen::VectorXd affective(static_cast<Eigen::Index>(examples.size()));
    Eigen::VectorXd cognitive(static_cast<Eigen::Index>(examples.size()));
    std::string identity = "embedding 2|" + encoder.card().sha256;
    for (std::size_t i = 0; i < examples.size(); ++i) {
      texts.push_back(examples[i].text);
      scenario.push_back(examples[i].scenario);
      affective(static_cast<Eigen::Index>(i)) = examples[i].affective;
      cognitive(static_cast<Eigen::Index>(i)) = examples[i].cognitive;
      identity += "|" + std::to_string(examples[i].scenario) + sha256(examples[i].text) +
                  std::to_string(examples[i].affective) + std::to_string(examples[i].cognitive);
    }
    const Eigen::MatrixXd x = as_matrix(encoder.embed(texts, cancel));
    heads_["affective"] = detail::choose(x, affective, scenario, kLambdas);
    heads_["cognitive"] = detail::choose(x, cognitive, scenario, kLambdas);
    fingerprint_ = sha256(identity);
  }

  std::string name() const override { return "embedding"; }
  std::string family() const override { return "embedding"; }
  std::string unit() const override { return "points, 0 neutral to 1 empathic"; }
  double highest() const override { return std::numeric_limits<double>::infinity(); }
  double lowest() const override { return -std::numeric_limits<double>::infinity(); }
  double step() const override { return 0.1; }
  std::string fingerprint() const override { return fingerprint_; }

  std::vector<Measured<double>> score(const std::string& facet, std::span<const BlindReply> replies,
                                      const OnProgress& progress, const Cancel& cancel) override {
    const auto head = heads_.find(facet);
    require(head != heads_.end(), "the embedding instrument knows the facets affective and cognitive");
    std::vector<Measured<double>> scores;
    for (std::size_t from = 0; from < replies.size(); from += kBatch) {
      const auto batch = replies.subspan(from, std::min(kBatch, replies.size() - from));
      remember(batch, cancel);
      for (const BlindReply& reply : batch) {
        const bool empty = reply.words().find_first_not_of(" \n\t\r") == std::string::npos;
        scores.push_back(empty ? Measured<double>(Missing{"the reply is empty"})
                               : Measured<double>(head->second.score(vectors_.at(reply.words()))));
      }
      if (progress)
        progress({"", "texts", static_cast<std::int64_t>(scores.size()),
                  static_cast<std::int64_t>(replies.size())});
    }
    return scores;
  }

 private:
  // A text is embedded once: the other facet asks for the same texts.
  void remember(std::span<const BlindReply> replies, const Cancel& cancel) {
    if (vectors_.size() > kMostVectors) vectors_.clear();
    std::set<std::string> fresh;
    for (const BlindReply& reply : replies)
      if (!vectors_.contains(reply.words())) fresh.insert(reply.words());
    if (fresh.empty()) return;
    const std::vector<std::string> texts(fresh.begin(), fresh.end());
    const Eigen::MatrixXd x = as_matrix(encoder_.embed(texts, cancel));
    for (std::size_t i = 0; i < texts.size(); ++i) vectors_[texts[i]] = x.row(static_cast<Eigen::Index>(i));
  }

  model::Model& encoder_;
  std::unordered_map<std::string, Eigen::VectorXd> vectors_;
  std::map<std::string, detail::Head> heads_;
  std::string fingerprint_;
};

}  // namespace

std::unique_ptr<Instrument> embedding(model::Model& encoder, std::span<const Example> examples,
                                      const Cancel& cancel) {
  return std::make_unique<Embedding>(encoder, examples, cancel);
}

}  // namespace sonder::instrument
