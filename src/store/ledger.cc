#include "store/ledger.h"

#include <filesystem>
#include <mutex>
#include <set>

#include "base/error.h"
#include "base/hash.h"
#include "store/detail/sqlite.h"
#include "store/detail/words.h"
#include "store/resume.h"

namespace sonder::store {
namespace {

using detail::Database;
using detail::Statement;
using detail::Transaction;

constexpr std::int64_t kApplication = 0x536f6e64;  // "Sond"
constexpr std::int64_t kVersion = 1;
// Below this size a whole check is cheap enough for every opening; above, only the quick one, and the rest is
// found when an entry is read.
constexpr std::int64_t kWholeCheck = 64 << 20;

// INSERT OR REPLACE removes rows without asking the triggers on DELETE, so that two more stand before INSERT.
// `seal`: first 128 bits of SHA-256 over the row, so that a flipped bit is found wherever it sits.
constexpr const char* kTables = R"(
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  plan TEXT NOT NULL,
  plan_hash TEXT NOT NULL UNIQUE,
  provenance TEXT NOT NULL,
  started TEXT NOT NULL,
  seal TEXT NOT NULL
) STRICT;
CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id),
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  body TEXT NOT NULL,
  seal TEXT NOT NULL,
  UNIQUE (run, kind, key)
) STRICT;
CREATE TRIGGER runs_once BEFORE INSERT ON runs WHEN EXISTS (SELECT 1 FROM runs)
  BEGIN SELECT RAISE(ABORT, 'a file holds one run'); END;
CREATE TRIGGER entries_once BEFORE INSERT ON entries
  WHEN EXISTS (SELECT 1 FROM entries WHERE id = NEW.id OR (run = NEW.run AND kind = NEW.kind AND key = NEW.key))
  BEGIN SELECT RAISE(ABORT, 'an entry is never replaced'); END;
CREATE TRIGGER runs_keep BEFORE UPDATE ON runs BEGIN SELECT RAISE(ABORT, 'a run is never changed'); END;
CREATE TRIGGER runs_stay BEFORE DELETE ON runs BEGIN SELECT RAISE(ABORT, 'a run is never removed'); END;
CREATE TRIGGER entries_keep BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'an entry is never changed'); END;
CREATE TRIGGER entries_stay BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'an entry is never removed'); END;
)";

// What sqlite_schema must hold; also finds a trigger that someone dropped.
constexpr const char* kSchemaText =
    "SELECT group_concat(sql, char(10)) FROM (SELECT sql FROM sqlite_schema WHERE sql "
    "IS NOT NULL ORDER BY type, name)";

std::string seal(std::initializer_list<std::string_view> parts) {
  std::string bytes;
  for (const std::string_view part : parts) {
    bytes += std::to_string(part.size());
    bytes += ':';
    bytes += part;
  }
  return sha256(bytes).substr(0, 32);
}

std::string seal_of(RunId run, std::string_view kind, std::string_view key, std::string_view body) {
  return seal({std::to_string(run.value), kind, key, body});
}

class SqliteLedger : public Ledger {
 public:
  SqliteLedger(std::unique_ptr<Database> database, bool writable)
      : db_(std::move(database)),
        find_(*db_, "SELECT body, seal FROM entries WHERE run = ? AND kind = ? AND key = ?"),
        insert_(*db_, writable ? "INSERT INTO entries (run, kind, key, body, seal) VALUES (?, ?, ?, ?, ?)"
                               : "SELECT 0 WHERE 0"),
        writable_(writable) {}

  RunId open_run(const RunHeader& header) override;
  std::optional<RunHeader> find_header() const override;
  void append(RunId run, std::span<const Entry> entries) override;
  std::optional<std::string> find(RunId run, const std::string& kind, const std::string& key) const override;
  std::vector<Entry> entries(RunId run, const std::string& kind) const override;
  std::int64_t count(RunId run, const std::string& kind) const override;

 private:
  struct Stored {
    RunId id;
    RunHeader header;
  };
  std::optional<Stored> stored() const;
  std::optional<std::string> body_of(RunId run, const std::string& kind, const std::string& key) const;
  void check_writable() const {
    if (!writable_) throw Error(ErrorKind::io, db_->path() + " was opened for reading only");
  }
  [[noreturn]] void damaged(const std::string& what) const {
    throw Error(ErrorKind::corrupt,
                db_->path() + " is damaged: " + what + "; restore it from a copy, or start a new run file");
  }

  std::unique_ptr<Database> db_;
  mutable std::mutex busy_;  // one statement at a time, so that const stays shareable
  mutable Statement find_;
  Statement insert_;
  bool writable_;
};

std::optional<SqliteLedger::Stored> SqliteLedger::stored() const {
  Statement row(*db_, "SELECT id, plan, plan_hash, provenance, started, seal FROM runs ORDER BY id");
  if (!row.step()) return std::nullopt;
  Stored found{{row.number(0)}, {row.text(1), row.text(2), row.text(3), row.text(4)}};
  const RunHeader& h = found.header;
  if (row.text(5) != seal({h.plan, h.plan_hash, h.provenance, h.started}) || sha256(h.plan) != h.plan_hash)
    damaged("the stored plan does not match its hash");
  if (row.step()) damaged("it holds more than one run");
  return found;
}

RunId SqliteLedger::open_run(const RunHeader& header) {
  check_writable();
  require(sha256(header.plan) == header.plan_hash, "the plan's hash is the SHA-256 of the plan");
  const std::scoped_lock lock(busy_);
  Transaction transaction(*db_);
  if (const auto found = stored()) {
    require_same_run(db_->path(), found->header, header);
    return found->id;
  }
  Statement insert(*db_,
                   "INSERT INTO runs (plan, plan_hash, provenance, started, seal) VALUES (?, ?, ?, ?, ?)");
  const std::string sealed = seal({header.plan, header.plan_hash, header.provenance, header.started});
  insert.bind(header.plan)
      .bind(header.plan_hash)
      .bind(header.provenance)
      .bind(header.started)
      .bind(sealed)
      .step();
  const RunId id{db_->last_row()};
  transaction.commit();
  return id;
}

std::optional<RunHeader> SqliteLedger::find_header() const {
  const std::scoped_lock lock(busy_);
  const auto found = stored();
  return found ? std::optional(found->header) : std::nullopt;
}

void SqliteLedger::append(RunId run, std::span<const Entry> entries) {
  check_writable();
  if (entries.empty()) return;
  const std::scoped_lock lock(busy_);
  Transaction transaction(*db_);
  require(db_->number("SELECT id FROM runs WHERE id = " + std::to_string(run.value)) == run.value,
          "entries are appended to a run that was opened in this file");
  for (const Entry& entry : entries) {
    if (const auto body = body_of(run, entry.kind, entry.key)) {
      if (*body == entry.body) continue;
      throw Error(ErrorKind::corrupt, db_->path() + " already holds another " +
                                          detail::in_quotes(entry.kind) + " under the key " +
                                          detail::in_quotes(entry.key) +
                                          "; the same plan gave two results, so one of them is wrong");
    }
    const std::string sealed = seal_of(run, entry.kind, entry.key, entry.body);
    insert_.reset().bind(run.value).bind(entry.kind).bind(entry.key).bind(entry.body).bind(sealed).step();
  }
  insert_.reset();
  transaction.commit();
}

std::optional<std::string> SqliteLedger::body_of(RunId run, const std::string& kind,
                                                 const std::string& key) const {
  std::optional<std::string> body;
  if (find_.reset().bind(run.value).bind(kind).bind(key).step()) {
    body = find_.text(0);
    if (find_.text(1) != seal_of(run, kind, key, *body)) damaged("an entry does not match its hash");
  }
  find_.reset();
  return body;
}

std::optional<std::string> SqliteLedger::find(RunId run, const std::string& kind,
                                              const std::string& key) const {
  const std::scoped_lock lock(busy_);
  return body_of(run, kind, key);
}

std::vector<Entry> SqliteLedger::entries(RunId run, const std::string& kind) const {
  const std::scoped_lock lock(busy_);
  Statement row(*db_, "SELECT key, body, seal FROM entries WHERE run = ? AND kind = ? ORDER BY id");
  row.bind(run.value).bind(kind);
  std::vector<Entry> found;
  while (row.step()) {
    found.push_back({kind, row.text(0), row.text(1)});
    if (row.text(2) != seal_of(run, kind, found.back().key, found.back().body))
      damaged("an entry does not match its hash");
  }
  std::set<std::string_view> keys;
  for (const Entry& entry : found) {
    if (!keys.insert(entry.key).second) damaged("an entry is there twice");
  }
  return found;
}

std::int64_t SqliteLedger::count(RunId run, const std::string& kind) const {
  const std::scoped_lock lock(busy_);
  Statement row(*db_, "SELECT count(*) FROM entries WHERE run = ? AND kind = ?");
  row.bind(run.value).bind(kind).step();
  return row.number(0);
}

std::string expected_schema() {
  Database empty(":memory:", Database::Mode::create, {});
  empty.run(kTables);
  return empty.text(kSchemaText);
}

// True: an empty file that may become a ledger. Throws when it is no ledger that this program can read.
bool inspect(Database& db) {
  const std::string& path = db.path();
  const std::int64_t application = db.number("PRAGMA application_id");
  const bool empty = db.number("SELECT count(*) FROM sqlite_schema") == 0;
  if (empty && application == 0) return true;
  if (application != kApplication)
    throw Error(ErrorKind::corrupt,
                path + " is a database of another program, not a run file; choose another file");
  const std::int64_t version = db.number("PRAGMA user_version");
  if (version > kVersion)
    throw Error(ErrorKind::corrupt, path + " has schema " + std::to_string(version) +
                                        ", and this program reads up to " + std::to_string(kVersion) +
                                        "; a newer Sonder is needed");
  const bool small = db.number("PRAGMA page_count") * db.number("PRAGMA page_size") <= kWholeCheck;
  const std::string health = db.text(small ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)");
  if (health != "ok" || version != kVersion || db.text(kSchemaText) != expected_schema())
    throw Error(ErrorKind::corrupt,
                path + " is damaged: " +
                    (health != "ok" ? "SQLite's integrity check failed"
                                    : "its tables or triggers are not those of a run file") +
                    "; restore it from a copy, or start a new run file");
  return false;
}

void create(Database& db) {
  Transaction transaction(db);
  if (!inspect(db)) return;  // another process was faster
  db.run(kTables);
  db.run("PRAGMA application_id = " + std::to_string(kApplication));
  db.run("PRAGMA user_version = " + std::to_string(kVersion));
  transaction.commit();
}

}  // namespace

std::unique_ptr<Ledger> Ledger::open(const std::string& path, std::chrono::milliseconds patience) {
  require(!path.empty(), "a run file has a name");
  auto db = std::make_unique<Database>(path, Database::Mode::create, patience);
  const bool fresh = inspect(*db);  // before anything is written: a file that is not ours stays as it is
  // WAL: readers see the last commit while a run writes, and a killed process leaves either all of a batch or
  // nothing. FULL: in WAL mode NORMAL syncs only at checkpoints, so that a power cut could take back batches
  // that a run had already built on; FULL syncs each commit. One sync a batch costs milliseconds, a batch of
  // replies seconds.
  db->run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;");
  // Keys are hashes, so that new entries fall everywhere in the index: SQLite's usual 2 MB of pages would be
  // read and written again and again. 64 MB hold the index of half a million entries; the log grows to 32 MB
  // before it is merged.
  db->run("PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 8192;");
  if (fresh) create(*db);
  return std::make_unique<SqliteLedger>(std::move(db), true);
}

std::unique_ptr<Ledger> Ledger::open_read_only(const std::string& path, std::chrono::milliseconds patience) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw Error(ErrorKind::io, path + " could not be opened: there is no such file");
  // A reader of a WAL database needs to write its lock file. In a folder that forbids it, a file whose log is
  // gone (the last writer closed it) can be read as it stands.
  const bool settled = !std::filesystem::exists(path + "-wal", error);
  const auto folder = std::filesystem::absolute(path, error).parent_path();
  const bool locked = !detail::may_write(folder.string());
  auto db = std::make_unique<Database>(
      path, settled && locked ? Database::Mode::immutable : Database::Mode::read_only, patience);
  if (inspect(*db)) throw Error(ErrorKind::corrupt, path + " is empty, not a run file");
  return std::make_unique<SqliteLedger>(std::move(db), false);
}

}  // namespace sonder::store
