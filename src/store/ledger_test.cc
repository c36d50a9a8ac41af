#include "store/ledger.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/error.h"
#include "base/hash.h"
#include "base/seed.h"
#include "store/plan.h"

namespace sonder::store {
namespace {

namespace fs = std::filesystem;

// A folder of its own for each test, gone afterwards.
class LedgerFile : public testing::Test {
 protected:
  LedgerFile() {
    std::string pattern = (fs::temp_directory_path() / "sonder-ledger-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ + "/run.sonder";
  }
  ~LedgerFile() override { fs::remove_all(folder_); }

  std::string folder_;
  std::string path_;
};

RunHeader header_of(const Plan& plan) {
  const std::string json = to_json(plan);
  return {json, sha256(json), R"({"sonder":"test"})", "2026-01-01T00:00:00Z"};
}
RunHeader header() { return header_of(Plan{}); }

// The stored header; an empty one, which equals no other, when there is none.
RunHeader stored(const Ledger& ledger) { return ledger.find_header().value_or(RunHeader{}); }

Entry reply(int i) {
  return {"reply", "key-" + std::to_string(i), R"({"text":"reply )" + std::to_string(i) + "\"}"};
}
std::vector<Entry> replies(int from, int to) {
  std::vector<Entry> list;
  for (int i = from; i < to; ++i) list.push_back(reply(i));
  return list;
}

// The kind of Error and its message.
template <class F>
std::pair<ErrorKind, std::string> error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return {error.kind(), error.what()};
  }
  return {ErrorKind::bug, "no error"};
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// What SQLite itself says when it runs this; "" when it agrees.
std::string raw(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  sqlite3_open(path.c_str(), &db);
  char* message = nullptr;
  sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message);
  std::string text = message == nullptr ? "" : message;
  sqlite3_free(message);
  sqlite3_close(db);
  return text;
}

// Runs `work` in a process of its own; its exit status as waitpid gives it.
template <class F>
int in_child(F&& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_F(LedgerFile, WhatWasAppendedIsThereAfterReopening) {
  RunId run;
  {
    const auto ledger = Ledger::open(path_);
    EXPECT_FALSE(ledger->find_header().has_value());
    run = ledger->open_run(header());
    ledger->append(run, replies(0, 10));
    ledger->append(run, std::vector<Entry>{{"score", "key-1", "{}"}});
  }
  const auto ledger = Ledger::open(path_);
  EXPECT_EQ(ledger->open_run(header()), run);
  EXPECT_EQ(stored(*ledger).plan, header().plan);
  EXPECT_EQ(stored(*ledger).started, header().started);
  EXPECT_EQ(ledger->entries(run, "reply"), replies(0, 10));
  EXPECT_EQ(ledger->count(run, "reply"), 10);
  EXPECT_EQ(ledger->count(run, "score"), 1);
  EXPECT_EQ(ledger->count(run, "nothing"), 0);
  EXPECT_EQ(ledger->find(run, "reply", "key-3"), reply(3).body);
  EXPECT_FALSE(ledger->find(run, "reply", "key-99").has_value());
  EXPECT_FALSE(ledger->find(run, "verdict", "key-3").has_value());
}

TEST_F(LedgerFile, AppendingTheSameAgainChangesNothingAndAnotherBodyIsRefused) {
  const auto ledger = Ledger::open(path_);
  const RunId run = ledger->open_run(header());
  ledger->append(run, replies(0, 5));
  ledger->append(run, replies(3, 8));
  EXPECT_EQ(ledger->entries(run, "reply"), replies(0, 8));
  std::vector<Entry> wrong = replies(8, 10);
  wrong.push_back({"reply", "key-2", "{\"text\":\"MARKER\"}"});
  const auto [kind, message] = error_of([&] { ledger->append(run, wrong); });
  EXPECT_EQ(kind, ErrorKind::corrupt);
  EXPECT_TRUE(has(message, "already holds another 'reply' under the key 'key-2'")) << message;
  EXPECT_FALSE(has(message, "MARKER"));
  EXPECT_EQ(ledger->count(run, "reply"), 8) << "a batch is kept whole or not at all";
  ledger->append(run, replies(8, 9));
  EXPECT_EQ(ledger->count(run, "reply"), 9) << "a refused batch leaves the ledger usable";
}

TEST_F(LedgerFile, ARunOfAnotherPlanIsRefusedWithTheDifference) {
  const auto ledger = Ledger::open(path_);
  ledger->open_run(header());
  Plan other;
  other.steer.doses = {2, 4};
  other.seed = 9;
  const auto [kind, message] = error_of([&] { ledger->open_run(header_of(other)); });
  EXPECT_EQ(kind, ErrorKind::bad_input);
  EXPECT_TRUE(has(message, "steer.doses: [2,4,6] → [2,4]")) << message;
  EXPECT_TRUE(has(message, "seed: 1 → 9")) << message;
  EXPECT_TRUE(has(message, "-o")) << message;
  RunHeader forged = header();
  forged.plan_hash = sha256("something else");
  EXPECT_EQ(error_of([&] { ledger->open_run(forged); }).first, ErrorKind::bad_input);
  EXPECT_EQ(error_of([&] { ledger->append(RunId{77}, replies(0, 1)); }).first, ErrorKind::bad_input);
}

TEST_F(LedgerFile, ALaterStartKeepsTheFirstProvenance) {
  const auto ledger = Ledger::open(path_);
  const RunId run = ledger->open_run(header());
  RunHeader later = header();
  later.provenance = "{}";
  later.started = "2027-01-01T00:00:00Z";
  EXPECT_EQ(ledger->open_run(later), run);
  EXPECT_EQ(stored(*ledger).started, header().started);
}

// A header of the default plan by one program, model and bank.
RunHeader made_by(const std::map<std::string, std::string>& parts) {
  RunHeader made = header();
  made.provenance = "{";
  for (const auto& [key, value] : parts)
    made.provenance += (made.provenance == "{" ? "\"" : ",\"") + key + "\":\"" + value + "\"";
  made.provenance += "}";
  return made;
}

TEST_F(LedgerFile, ARunOfAnotherProgramModelOrBankIsRefusedNamingBothAndWhatToDo) {
  const auto ledger = Ledger::open(path_);
  const RunId run = ledger->open_run(made_by({{"sonder", "0.1.0"},
                                              {"llama.cpp", "v0.5.0 (832d)"},
                                              {"model", "aaaa"},
                                              {"bank", "bbbb"},
                                              {"machine", "one"}}));
  const auto refused = [&](const std::map<std::string, std::string>& parts) {
    const auto [kind, message] = error_of([&] { ledger->open_run(made_by(parts)); });
    EXPECT_EQ(kind, ErrorKind::bad_input);
    EXPECT_TRUE(has(message, "start a new run with another -o")) << message;
    return message;
  };
  EXPECT_TRUE(has(refused({{"sonder", "0.2.0"}}), "begun with Sonder 0.1.0, and this is Sonder 0.2.0"));
  EXPECT_TRUE(has(refused({{"sonder", "0.1.0"}, {"llama.cpp", "v0.6.0 (77aa)"}}),
                  "begun with llama.cpp v0.5.0 (832d), and this is llama.cpp v0.6.0 (77aa)"));
  EXPECT_TRUE(
      has(refused({{"model", "cccc"}, {"bank", "dddd"}}),
          "begun with the model with sha256 aaaa and the bank with sha256 bbbb, and this is the model "
          "with sha256 cccc and the bank with sha256 dddd"));
  EXPECT_EQ(
      ledger->open_run(made_by({{"sonder", "0.1.0"}, {"llama.cpp", "v0.5.0 (832d)"}, {"machine", "two"}})),
      run)
      << "another machine may go on; a model that is not known yet is not compared";
}

TEST_F(LedgerFile, ARunThatDidNotNoteItsProgramIsNotGoneOnWith) {
  const auto ledger = Ledger::open(path_);
  ledger->open_run(made_by({{"sonder", "0.1.0"}}));
  const auto later = made_by({{"sonder", "0.1.0"}, {"llama.cpp", "v0.5.0"}});
  EXPECT_TRUE(has(error_of([&] { ledger->open_run(later); }).second, "begun with llama.cpp (not noted)"));
}

TEST_F(LedgerFile, BodiesKeepEveryCharacter) {
  const auto ledger = Ledger::open(path_);
  const RunId run = ledger->open_run(header());
  std::string all;  // every code point that UTF-8 can hold
  for (std::uint32_t c = 1; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const auto put = [&](std::uint32_t byte) { all += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (c < 0x80) {
      put(c);
    } else if (c < 0x800) {
      put(0xC0U | (c >> 6U)), put(0x80U | (c & 0x3FU));
    } else if (c < 0x10000) {
      put(0xE0U | (c >> 12U)), put(0x80U | ((c >> 6U) & 0x3FU)), put(0x80U | (c & 0x3FU));
    } else {
      put(0xF0U | (c >> 18U)), put(0x80U | ((c >> 12U) & 0x3FU)), put(0x80U | ((c >> 6U) & 0x3FU)),
          put(0x80U | (c & 0x3FU));
    }
  }
  const std::vector<Entry> entries = {{"text", "all", all},
                                      {"text", "empty", ""},
                                      {"text", "nul", std::string("a\0b", 3)},
                                      {"text", "", "no key"}};
  ledger->append(run, entries);
  EXPECT_EQ(ledger->entries(run, "text"), entries);
  EXPECT_EQ(ledger->find(run, "text", "nul"), std::string("a\0b", 3));
}

TEST_F(LedgerFile, NothingIsEverChangedOrRemoved) {
  {
    const auto ledger = Ledger::open(path_);
    ledger->append(ledger->open_run(header()), replies(0, 3));
  }
  EXPECT_EQ(raw(path_, "UPDATE entries SET body = 'x'"), "an entry is never changed");
  EXPECT_EQ(raw(path_, "DELETE FROM entries WHERE id = 1"), "an entry is never removed");
  EXPECT_EQ(raw(path_, "UPDATE runs SET plan = 'x'"), "a run is never changed");
  EXPECT_EQ(raw(path_, "DELETE FROM runs"), "a run is never removed");
  EXPECT_EQ(raw(path_, "INSERT OR REPLACE INTO entries SELECT * FROM entries"), "an entry is never replaced");
  EXPECT_EQ(raw(path_,
                "INSERT OR REPLACE INTO entries (run, kind, key, body, seal) SELECT run, kind, key, '', '' "
                "FROM entries"),
            "an entry is never replaced");
  EXPECT_EQ(raw(path_, "INSERT OR REPLACE INTO runs SELECT * FROM runs"), "a file holds one run");
  const auto ledger = Ledger::open(path_);
  EXPECT_EQ(ledger->entries(ledger->open_run(header()), "reply"), replies(0, 3));
}

TEST_F(LedgerFile, ADroppedTriggerIsNoticed) {
  { Ledger::open(path_)->open_run(header()); }
  EXPECT_EQ(raw(path_, "DROP TRIGGER entries_keep"), "");
  const auto [kind, message] = error_of([&] { Ledger::open(path_); });
  EXPECT_EQ(kind, ErrorKind::corrupt);
  EXPECT_TRUE(has(message, "its tables or triggers are not those of a run file")) << message;
}

TEST_F(LedgerFile, AKilledProcessLosesNothingItHadCommitted) {
  const auto start = header();
  for (int round = 0; round < 4; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    if (child == 0) {  // appends for ever, and tells after each commit
      const auto ledger = Ledger::open(path_);
      const RunId run = ledger->open_run(start);
      auto n = static_cast<int>(ledger->count(run, "reply"));
      for (;; n += 5) {
        ledger->append(run, replies(n, n + 5));
        const int told = n + 5;
        if (write(pipe_ends[1], &told, sizeof told) != sizeof told) _exit(1);
      }
    }
    close(pipe_ends[1]);
    int told = 0;
    for (int commits = 0; commits < 3 + round; ++commits)
      ASSERT_EQ(read(pipe_ends[0], &told, sizeof told), 4);
    kill(child, SIGKILL);
    for (int more = 0; read(pipe_ends[0], &more, sizeof more) == 4;) told = more;
    close(pipe_ends[0]);
    waitpid(child, nullptr, 0);
    const auto ledger = Ledger::open(path_);
    const RunId run = ledger->open_run(start);
    const auto kept = static_cast<int>(ledger->count(run, "reply"));
    EXPECT_GE(kept, told);
    EXPECT_EQ(kept % 5, 0) << "half a batch was kept";
    EXPECT_EQ(ledger->entries(run, "reply"), replies(0, kept));
  }
}

TEST_F(LedgerFile, DeathInTheMiddleOfATransactionLeavesNothingOfIt) {
  {
    const auto ledger = Ledger::open(path_);
    ledger->append(ledger->open_run(header()), replies(0, 3));
  }
  in_child([&] {
    sqlite3* db = nullptr;
    sqlite3_open(path_.c_str(), &db);
    sqlite3_exec(
        db, "BEGIN; INSERT INTO entries (run, kind, key, body, seal) VALUES (1, 'reply', 'half', '', '')",
        nullptr, nullptr, nullptr);
    kill(getpid(), SIGKILL);
  });
  const auto ledger = Ledger::open(path_);
  EXPECT_EQ(ledger->entries(ledger->open_run(header()), "reply"), replies(0, 3));
}

TEST_F(LedgerFile, TwoProcessesMayAppendToOneRun) {
  { Ledger::open(path_)->open_run(header()); }
  const auto work = [&](int from) {
    const auto ledger = Ledger::open(path_);
    const RunId run = ledger->open_run(header());
    for (int i = from; i < from + 60; i += 3) ledger->append(run, replies(i, i + 3));
  };
  const pid_t child = fork();
  if (child == 0) {
    work(0);
    _exit(0);
  }
  work(30);  // half of it is the same
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  const auto ledger = Ledger::open(path_);
  const RunId run = ledger->open_run(header());
  EXPECT_EQ(ledger->count(run, "reply"), 90);
  std::map<std::string, std::string> found;
  for (const Entry& entry : ledger->entries(run, "reply")) found[entry.key] = entry.body;
  for (int i = 0; i < 90; ++i) EXPECT_EQ(found[reply(i).key], reply(i).body);
}

TEST_F(LedgerFile, AProcessThatHoldsTheFileIsNamedAsTheReason) {
  const auto ledger = Ledger::open(path_, std::chrono::milliseconds(20));
  const RunId run = ledger->open_run(header());
  sqlite3* other = nullptr;
  sqlite3_open(path_.c_str(), &other);
  sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
  const auto [kind, message] = error_of([&] { ledger->append(run, replies(0, 1)); });
  EXPECT_EQ(kind, ErrorKind::io);
  EXPECT_TRUE(has(message, "another process holds it")) << message;
  EXPECT_EQ(ledger->count(run, "reply"), 0) << "reading goes on";
  EXPECT_EQ(stored(*Ledger::open_read_only(path_)).plan_hash, header().plan_hash);
  sqlite3_close(other);
  ledger->append(run, replies(0, 1));
  EXPECT_EQ(ledger->count(run, "reply"), 1);
}

TEST_F(LedgerFile, ReadingOnlyNeverCreatesAndNeverWrites) {
  EXPECT_EQ(error_of([&] { Ledger::open_read_only(path_); }).first, ErrorKind::io);
  EXPECT_FALSE(fs::exists(path_));
  {
    const auto ledger = Ledger::open(path_);
    const RunId run = ledger->open_run(header());
    ledger->append(run, replies(0, 2));
    const auto reader = Ledger::open_read_only(path_);  // while the writer is open
    EXPECT_EQ(reader->count(run, "reply"), 2);
    ledger->append(run, replies(2, 4));
    EXPECT_EQ(reader->count(run, "reply"), 4);
    EXPECT_EQ(error_of([&] { reader->append(run, replies(4, 5)); }).first, ErrorKind::io);
    EXPECT_EQ(error_of([&] { reader->open_run(header()); }).first, ErrorKind::io);
  }
  const std::string before = sha256_file(path_);
  { EXPECT_EQ(stored(*Ledger::open_read_only(path_)).plan, header().plan); }
  EXPECT_EQ(sha256_file(path_), before);
}

TEST_F(LedgerFile, AnythingElseThanARunFileIsRefusedAndLeftAlone) {
  const auto refused = [&](const std::string& name, const std::string& bytes) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    const auto [kind, message] = error_of([&] { Ledger::open(path); });
    EXPECT_EQ(kind, ErrorKind::corrupt) << name << ": " << message;
    EXPECT_EQ(error_of([&] { Ledger::open_read_only(path); }).first, ErrorKind::corrupt) << name;
    EXPECT_EQ(sha256_file(path), sha256(bytes)) << name;
    return message;
  };
  EXPECT_TRUE(has(refused("text", std::string(5000, 'x')), "it is not a run file"));
  EXPECT_TRUE(has(refused("short", "hello"), "it is not a run file"));
  const std::string other = folder_ + "/other.db";
  raw(other, "CREATE TABLE t (x)");
  const std::string hash = sha256_file(other);
  EXPECT_TRUE(has(error_of([&] { Ledger::open(other); }).second, "a database of another program"));
  EXPECT_EQ(sha256_file(other), hash);
  EXPECT_EQ(error_of([&] { Ledger::open(folder_); }).first, ErrorKind::io);
  EXPECT_EQ(error_of([&] { Ledger::open(folder_ + "/no/such/folder/run"); }).first, ErrorKind::io);
  EXPECT_EQ(error_of([&] { Ledger::open(""); }).first, ErrorKind::bad_input);
}

TEST_F(LedgerFile, AnEmptyFileBecomesALedger) {
  { std::ofstream(path_, std::ios::binary) << ""; }
  EXPECT_EQ(error_of([&] { Ledger::open_read_only(path_); }).first, ErrorKind::corrupt);
  EXPECT_EQ(Ledger::open(path_)->open_run(header()), RunId{1});
}

TEST_F(LedgerFile, ANewerSchemaIsRefusedWithBothVersions) {
  { Ledger::open(path_)->open_run(header()); }
  raw(path_, "PRAGMA user_version = 2");
  const auto [kind, message] = error_of([&] { Ledger::open(path_); });
  EXPECT_EQ(kind, ErrorKind::corrupt);
  EXPECT_TRUE(has(message, "has schema 2, and this program reads up to 1")) << message;
}

TEST_F(LedgerFile, ATruncatedFileIsNoticed) {
  {
    const auto ledger = Ledger::open(path_);
    ledger->append(ledger->open_run(header()), replies(0, 500));
  }
  const auto size = fs::file_size(path_);
  for (const double share : {0.9, 0.5, 0.1}) {
    const std::string cut = folder_ + "/cut.sonder";
    fs::copy_file(path_, cut, fs::copy_options::overwrite_existing);
    fs::resize_file(cut, static_cast<std::uintmax_t>(static_cast<double>(size) * share));
    EXPECT_EQ(error_of([&] { Ledger::open(cut); }).first, ErrorKind::corrupt) << share;
  }
}

// Every byte of the file may be hit. Either somebody notices, or what is read is what was written.
TEST_F(LedgerFile, AFlippedBitIsNoticedOrHarmless) {
  {
    const auto ledger = Ledger::open(path_);
    ledger->append(ledger->open_run(header()), replies(0, 120));
  }
  std::ifstream in(path_, std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  Stream random{Seed(5)};
  int noticed = 0;
  constexpr int kFlips = 80;
  for (int i = 0; i < kFlips; ++i) {
    const std::string path = folder_ + "/flipped.sonder";
    std::string bytes = good;
    bytes[random.below(bytes.size())] ^= static_cast<char>(1U << random.below(8));
    std::ofstream(path, std::ios::binary) << bytes;
    const auto [kind, message] = error_of([&] {
      const auto ledger = Ledger::open_read_only(path);
      const RunHeader found = stored(*ledger);
      EXPECT_EQ(found.plan, header().plan);
      EXPECT_EQ(found.provenance, header().provenance);
      EXPECT_EQ(found.started, header().started);
      EXPECT_EQ(ledger->entries(RunId{1}, "reply"), replies(0, 120));
      for (int k = 0; k < 120; k += 17)
        EXPECT_EQ(ledger->find(RunId{1}, "reply", reply(k).key), reply(k).body);
    });
    if (message != "no error") {
      ++noticed;
      EXPECT_TRUE(kind == ErrorKind::corrupt || kind == ErrorKind::io) << message;
    }
    for (const char* tail : {"", "-wal", "-shm"}) fs::remove(path + tail);
  }
  EXPECT_GT(noticed, kFlips / 3) << "the flips hit the file";
}

TEST_F(LedgerFile, AFullDiskKeepsWhatWasFinished) {
  const auto start = header();
  const int status = in_child([&] {
    const auto ledger = Ledger::open(path_);
    const RunId run = ledger->open_run(start);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit most{200000, 200000};  // bytes of any file: writing beyond fails like a full disk
    setrlimit(RLIMIT_FSIZE, &most);
    int n = 0;
    const auto [kind, message] = error_of([&] {
      for (; n < 100000; n += 100) ledger->append(run, replies(n, n + 100));
    });
    const bool kept = ledger->count(run, "reply") == n;
    _exit(kind == ErrorKind::io && kept && n > 0 && (has(message, "kept")) ? 0 : 1);
  });
  EXPECT_EQ(status, 0);
  const auto ledger = Ledger::open(path_);
  const RunId run = ledger->open_run(start);
  const auto kept = static_cast<int>(ledger->count(run, "reply"));
  EXPECT_GT(kept, 0);
  EXPECT_EQ(ledger->entries(run, "reply"), replies(0, kept));
  ledger->append(run, replies(kept, kept + 1));
}

TEST_F(LedgerFile, AClockThatGoesBackChangesNothing) {
  RunHeader later = header();
  later.started = "2031-01-01T00:00:00Z";
  RunHeader earlier = header();
  earlier.started = "1999-01-01T00:00:00Z";
  for (const auto& [start, from] : {std::pair{later, 0}, std::pair{earlier, 2}}) {
    const auto ledger = Ledger::open(path_);
    ledger->append(ledger->open_run(start), replies(from, from + 2));
  }
  const auto ledger = Ledger::open(path_);
  const RunId run = ledger->open_run(earlier);
  EXPECT_EQ(ledger->entries(run, "reply"), replies(0, 4));  // in the order of appending
  EXPECT_EQ(ledger->find_header()->started, later.started);
}

TEST(LedgerInMemory, LeavesNoFile) {
  const auto ledger = Ledger::open(":memory:");
  const RunId run = ledger->open_run(header());
  ledger->append(run, replies(0, 2));
  EXPECT_EQ(ledger->count(run, "reply"), 2);
  EXPECT_FALSE(fs::exists(":memory:"));
}

}  // namespace
}  // namespace sonder::store
