// SQLite in C++: a connection, a statement, a transaction. Every failure is an Error that says what was
// attempted.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace sonder::store::detail {

class Database {
 public:
  enum class Mode { create, read_only, immutable };  // immutable: no other process writes, needs no lock file
  // patience: how long to wait for another process's lock.
  Database(const std::string& path, Mode mode, std::chrono::milliseconds patience);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql);             // any number of statements; rows are dropped
  std::int64_t number(const std::string& sql);  // first column of the first row; 0 when there is none
  std::string text(const std::string& sql);     // likewise; "" when there is none
  std::int64_t last_row() const;
  const std::string& path() const { return path_; }
  sqlite3* handle() const { return handle_; }
  // Throws: io when the world failed, corrupt when the file did; never anything of what was stored.
  [[noreturn]] void fail(int code, const std::string& attempted) const;

 private:
  std::string path_;
  sqlite3* handle_ = nullptr;
};

class Statement {
 public:
  Statement(Database& database, const std::string& sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Starts anew: forgets rows and values. The texts must outlive the stepping.
  Statement& reset();
  Statement& bind(std::int64_t value);      // next parameter
  Statement& bind(std::string_view value);  // next parameter
  bool step();                              // true: a row is there
  std::int64_t number(int column) const;
  std::string text(int column) const;

 private:
  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
  int bound_ = 0;
};

bool may_write(const std::string& folder);

// Everything or nothing: undone unless `commit` was reached.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace sonder::store::detail
