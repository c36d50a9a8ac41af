#include "store/fork.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "store/resume.h"

namespace sonder::store {
namespace {

class ForkedLedger : public Ledger {
 public:
  ForkedLedger(std::unique_ptr<Ledger> own, std::unique_ptr<Ledger> from, std::span<const std::string> kinds)
      : own_(std::move(own)), from_(std::move(from)), kinds_(kinds.begin(), kinds.end()) {}

  RunId open_run(const RunHeader& header) override { return own_->open_run(header); }
  std::optional<RunHeader> find_header() const override { return own_->find_header(); }
  void append(RunId run, std::span<const Entry> entries) override {
    keep(run);
    own_->append(run, entries);
  }
  std::vector<Entry> entries(RunId run, const std::string& kind) const override {
    keep(run);
    return own_->entries(run, kind);
  }
  std::int64_t count(RunId run, const std::string& kind) const override {
    keep(run);
    return own_->count(run, kind);
  }

  std::optional<std::string> find(RunId run, const std::string& kind, const std::string& key) const override {
    if (auto body = own_->find(run, kind, key)) return body;
    if (std::find(kinds_.begin(), kinds_.end(), kind) == kinds_.end()) return std::nullopt;
    auto body = from_->find(kFirst, kind, key);
    if (!body || std::find(taken_.begin(), taken_.end(), Entry{kind, key, *body}) != taken_.end())
      return body;
    taken_.push_back({kind, key, *body});
    ++reused_;
    if (taken_.size() >= kBatch) keep(run);
    return body;
  }
  std::int64_t reused() const { return reused_; }

 private:
  void keep(RunId run) const {
    const std::vector<Entry> taken = std::exchange(taken_, {});
    own_->append(run, taken);
  }

  static constexpr RunId kFirst{1};           // a file holds one run
  static constexpr std::size_t kBatch = 512;  // one transaction each
  std::unique_ptr<Ledger> own_;
  std::unique_ptr<Ledger> from_;
  std::vector<std::string> kinds_;
  mutable std::vector<Entry> taken_;  // found, and not yet kept as its own
  mutable std::int64_t reused_ = 0;
};

}  // namespace

Forked fork(std::unique_ptr<Ledger> own, std::unique_ptr<Ledger> from, const std::string& from_path,
            const RunHeader& now, std::span<const std::string> kinds) {
  const auto before = from->find_header();
  require(before.has_value(), "'" + from_path + "' holds no run yet; there is nothing to take over from it");
  require_same_program(from_path, *before, now);
  auto ledger = std::make_unique<ForkedLedger>(std::move(own), std::move(from), kinds);
  const ForkedLedger* view = ledger.get();
  return {std::move(ledger), [view] { return view->reused(); }};
}

}  // namespace sonder::store
