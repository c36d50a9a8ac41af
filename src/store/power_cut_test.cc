// The power is cut after every single thing that SQLite asks of the disk, and the ledger opened again.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/hash.h"
#include "store/detail/recorder_fixture.h"
#include "store/ledger.h"
#include "store/plan.h"

namespace sonder::store {
namespace {

namespace fs = std::filesystem;
using detail::Disk;
using detail::DiskOp;
using detail::Recorder;

constexpr int kBatch = 5;
constexpr int kBatches = 9;

RunHeader header() {
  const std::string json = to_json(Plan{});
  return {json, sha256(json), R"({"sonder":"test"})", "2026-01-01T00:00:00Z"};
}

std::vector<Entry> replies(int from, int to) {
  std::vector<Entry> list;
  for (int i = from; i < to; ++i)
    list.push_back(
        {"reply", sha256("cell " + std::to_string(i)), std::string(700, static_cast<char>('a' + i % 26))});
  return list;
}

// Marks of the recording: -1 once the run was opened, then the number of batches whose append returned.
class PowerCut : public testing::Test {
 protected:
  PowerCut() {
    std::string pattern = (fs::temp_directory_path() / "sonder-power-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~PowerCut() override { fs::remove_all(folder_); }

  // A run that is created, written to, checkpointed in the middle (so that its log begins anew over the old
  // one), closed, opened again and gone on with.
  std::vector<DiskOp> record() {
    const std::string path = folder_ + "/run.sonder";
    Recorder recorder;
    int n = 0;
    const auto go_on = [&](int until) {
      const auto ledger = Ledger::open(path);
      const RunId run = ledger->open_run(header());
      if (n == 0) recorder.mark(-1);
      for (; n < until; ++n) {
        ledger->append(run, replies(n * kBatch, (n + 1) * kBatch));
        recorder.mark(n + 1);
        if (n % 4 == 1) checkpoint(path);
      }
    };
    go_on(kBatches / 2);
    go_on(kBatches);
    fs::remove(path);
    return recorder.recorded();
  }
  static void checkpoint(const std::string& path) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, "PRAGMA wal_checkpoint(PASSIVE)", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
  }

  // What is wrong with the ledger on this disk when `marked` was the last mark; "" when nothing is.
  std::string wrong(const Disk& disk, std::int64_t marked) {
    const std::string place = folder_ + "/after";
    fs::create_directory(place);
    disk.write_to(place);
    std::string found;
    try {
      const auto ledger = Ledger::open(place + "/run.sonder");
      if (marked != 0 && !ledger->find_header()) found = "the run was forgotten";
      const RunId run = ledger->open_run(header());
      const auto kept = static_cast<int>(ledger->count(run, "reply"));
      if (kept < kBatch * marked) found = "committed cells were lost";
      if (kept % kBatch != 0) found = "half a batch was kept";
      if (ledger->entries(run, "reply") != replies(0, kept)) found = "a cell holds something else";
      ledger->append(run, replies(kept, kept + kBatch));  // it goes on
    } catch (const Error& error) {
      found = error.what();
    }
    fs::remove_all(place);
    return found;
  }

  // Cuts after each operation; the number of those after which something was wrong.
  int cut_everywhere(const std::vector<DiskOp>& ops, Seed seed, bool obeys_sync, bool tell) {
    int n_wrong = 0;
    std::int64_t marked = 0;
    for (std::size_t i = 0; i <= ops.size(); ++i) {
      if (i > 0 && ops[i - 1].kind == DiskOp::Kind::mark) marked = ops[i - 1].at;
      const auto rest =
          std::array{Disk::Rest::torn, Disk::Rest::lost, Disk::Rest::kept}.at((i + seed.value()) % 3);
      const std::string what = wrong(Disk(ops, i, rest, seed.child(i), obeys_sync), marked);
      if (what.empty()) continue;
      ++n_wrong;
      if (tell) ADD_FAILURE() << "power cut after operation " << i << " of " << ops.size() << ": " << what;
    }
    return n_wrong;
  }

  std::string folder_;
};

TEST_F(PowerCut, AfterAnyOperationTheLedgerOpensAndHoldsEveryCommittedCell) {
  const std::vector<DiskOp> ops = record();
  EXPECT_GT(ops.size(), 150U) << "the shim saw the writes";
  const char* more = std::getenv("SONDER_POWER_CUTS");  // rounds; each tears differently
  const int rounds = more == nullptr ? 1 : std::atoi(more);
  for (int round = 0; round < rounds; ++round)
    EXPECT_EQ(cut_everywhere(ops, Seed(static_cast<std::uint64_t>(round)), true, true), 0);
}

TEST_F(PowerCut, ADriveThatDoesNotSyncIsFoundOut) {
  EXPECT_GT(cut_everywhere(record(), Seed(1), false, false), 5) << "without syncs, commits are lost";
}

}  // namespace
}  // namespace sonder::store
