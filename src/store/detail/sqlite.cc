#include "store/detail/sqlite.h"

#include <sqlite3.h>
#include <unistd.h>

#include "base/error.h"

namespace sonder::store::detail {
namespace {

std::string as_uri(const std::string& path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
  std::string uri = "file:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (kSafe.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  return uri + "?immutable=1";
}

}  // namespace

Database::Database(const std::string& path, Mode mode, std::chrono::milliseconds patience) : path_(path) {
  const int flags = mode == Mode::create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  const std::string name = mode == Mode::immutable ? as_uri(path) : path;
  const int code = sqlite3_open_v2(name.c_str(), &handle_,
                                   flags | (mode == Mode::immutable ? SQLITE_OPEN_URI : 0), nullptr);
  if (code != SQLITE_OK) {
    sqlite3_close(handle_);
    handle_ = nullptr;
    fail(code, "opened");
  }
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, static_cast<int>(patience.count()));
  // Defends against a crafted file: its schema may not call functions with side effects.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
}

Database::~Database() { sqlite3_close(handle_); }

void Database::fail(int code, const std::string& attempted) const {
  const std::string what = path_ + " could not be " + attempted + ": ";
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Error(ErrorKind::io, what + "another process holds it; wait until it has finished, or end it");
    case SQLITE_NOTADB:
      throw Error(ErrorKind::corrupt,
                  what + "it is not a run file (an SQLite database); choose another file");
    case SQLITE_CORRUPT:
      throw Error(ErrorKind::corrupt,
                  what + "it is damaged; restore it from a copy, or start a new run file");
    case SQLITE_FULL:
      throw Error(ErrorKind::io,
                  what + "the disk is full; what was finished before is kept, free space and run again");
    case SQLITE_CANTOPEN:
      throw Error(ErrorKind::io, what + "the file or its folder does not exist or may not be used");
    case SQLITE_READONLY:
      throw Error(ErrorKind::io, what + "the file or its folder may not be written");
    case SQLITE_IOERR:
      throw Error(ErrorKind::io, what + "reading or writing failed (" + std::to_string(code) +
                                     "); what was finished before is kept");
    case SQLITE_NOMEM:
      throw Error(ErrorKind::io, what + "out of memory");
    default:
      throw Error(ErrorKind::bug, what + sqlite3_errstr(code) + " (" + std::to_string(code) + ")");
  }
}

void Database::run(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code, "used");
}

std::int64_t Database::number(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.number(0) : 0;
}

std::string Database::text(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.text(0) : std::string();
}

std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_); }

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
  const int code =
      sqlite3_prepare_v2(database.handle(), sql.c_str(), static_cast<int>(sql.size()), &handle_, nullptr);
  if (code != SQLITE_OK) database.fail(code, "read");
}

Statement::~Statement() { sqlite3_finalize(handle_); }

Statement& Statement::reset() {
  sqlite3_reset(handle_);
  bound_ = 0;
  return *this;
}

Statement& Statement::bind(std::int64_t value) {
  const int code = sqlite3_bind_int64(handle_, ++bound_, value);
  if (code != SQLITE_OK) database_.fail(code, "used");
  return *this;
}

Statement& Statement::bind(std::string_view value) {
  const char* data = value.data() == nullptr ? "" : value.data();  // a null pointer would store NULL
  const int code = sqlite3_bind_text64(handle_, ++bound_, data, value.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (code != SQLITE_OK) database_.fail(code, "used");
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  sqlite3_reset(handle_);
  database_.fail(code, sqlite3_stmt_readonly(handle_) != 0 ? "read" : "written");
}

std::int64_t Statement::number(int column) const { return sqlite3_column_int64(handle_, column); }

std::string Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  return data == nullptr ? std::string()
                         : std::string(data, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)));
}

bool may_write(const std::string& folder) { return access(folder.c_str(), W_OK) == 0; }

Transaction::Transaction(Database& database) : database_(database) {
  database_.run(
      "BEGIN IMMEDIATE");  // takes the write lock now, so that waiting happens here and not half-way
}

Transaction::~Transaction() {
  if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace sonder::store::detail
