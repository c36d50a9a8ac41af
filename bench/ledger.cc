// The ledger of a million cells, and the page of a hundred thousand.
#include "store/ledger.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/hash.h"
#include "bench.h"
#include "report/page.h"
#include "report/sample_findings.h"

namespace {

using namespace sonder;  // NOLINT(google-build-using-namespace): a program

constexpr int kCells = 1'000'000;
constexpr int kBatch =
    10000;  // cells a transaction: smaller ones wait longer for the disk (27,000 a second by 1,000)

struct File {
  std::filesystem::path path = std::filesystem::temp_directory_path() / "sonder_bench.sonder";
  File() { remove(); }
  ~File() { remove(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  void remove() const {
    for (const char* tail : {"", "-wal", "-shm"}) std::filesystem::remove(path.string() + tail);
  }
};

store::RunHeader header() { return {"{}", sha256("{}"), "{}", "2026-01-01T00:00:00Z"}; }

std::vector<store::Entry> batch(int from) {
  std::vector<store::Entry> entries;
  entries.reserve(kBatch);
  for (int i = from; i < from + kBatch; ++i)
    entries.push_back(
        {"reply", sha256(std::to_string(i)),
         R"({"text":"It sounds as if this week has been a long one for you.","stopped":"limit","n":)" +
             std::to_string(i) + "}"});
  return entries;
}

double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

}  // namespace

std::vector<Row> ledger() {
  std::vector<Row> rows;
  const File file;
  const std::string path = file.path.string();
  double appending = 0;
  {
    const auto ledger = store::Ledger::open(path);
    const store::RunId run = ledger->open_run(header());
    for (int from = 0; from < kCells; from += kBatch) {
      const auto entries = batch(from);  // making them is not the ledger's work
      appending += seconds([&] { ledger->append(run, entries); });
    }
  }
  rows.push_back({"ledger: append, 1,000,000 cells, 10,000 a transaction", kCells / appending, "cells/s",
                  50000, "higher",
                  fmt::format("{:.0f} MB", static_cast<double>(std::filesystem::file_size(path)) / 1e6)});
  std::int64_t found = 0;
  const double opening = seconds([&] {
    const auto ledger = store::Ledger::open(path);
    const store::RunId run = ledger->open_run(header());
    found = ledger->count(run, "reply");
    found += ledger->find(run, "reply", sha256("999999")).has_value() ? 1 : 0;
  });
  rows.push_back({"ledger: open, resume, count and find, 1,000,000 cells", opening, "s", 2, "lower",
                  found == kCells + 1 ? "" : "CELLS ARE MISSING"});
  rows.push_back({"ledger: peak memory until here", peak_megabytes(), "MB", 250, "lower", ""});
  const study::Findings findings = report::sample_findings(4000);
  std::string page;
  const double writing = seconds([&] { page = report::page(findings); });
  rows.push_back({fmt::format("page: written, {} replies", findings.replies.size()), writing, "s", 10,
                  "lower", "tests/page opens it in Chromium"});
  rows.push_back({"page: size", static_cast<double>(page.size()) / 1e6, "MB", 20, "lower", ""});
  return rows;
}
