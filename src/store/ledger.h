// The append-only ledger: one run in one SQLite file. Nothing is ever changed or removed.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/id.h"

namespace sonder::store {

struct RunTag {};
using RunId = Id<RunTag>;

// The plan as it was before the first token.
struct RunHeader {
  std::string plan;        // the canonical JSON of the whole plan, defaults filled in
  std::string plan_hash;   // SHA-256 of `plan`
  std::string provenance;  // JSON: "sonder", "llama.cpp", "model", "bank", "machine"; see resume.h
  std::string started;     // UTC, ISO 8601
};

// One finished thing. `key` is the content address: the same key always holds the same body.
struct Entry {
  std::string kind;  // "reply", "score", "check", "certificate", "finding", …
  std::string key;   // unique within the run and kind
  std::string body;  // JSON
  bool operator==(const Entry&) const = default;
};

class Ledger {
 public:
  // Opens or creates. `patience`: how long to wait for another process's lock. Throws Error(io) when the file
  // cannot be used or stays locked, Error(corrupt) when it is no run file, is of a newer schema, was changed
  // by hand, or fails SQLite's own integrity check. ":memory:" is a ledger that leaves no file.
  static std::unique_ptr<Ledger> open(const std::string& path,
                                      std::chrono::milliseconds patience = std::chrono::seconds(5));
  // Opens for reading only, also while another process writes; never creates. Errors as above.
  static std::unique_ptr<Ledger> open_read_only(const std::string& path,
                                                std::chrono::milliseconds patience = std::chrono::seconds(5));
  virtual ~Ledger() = default;
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // Stores the header, or finds the run already there (its first provenance and start stay). Throws
  // Error(bad_input) naming what differs when that is a run of another plan, program, model or bank
  // (resume.h).
  virtual RunId open_run(const RunHeader& header) = 0;
  virtual std::optional<RunHeader> find_header() const = 0;  // nothing: no run was opened yet

  // One transaction: all entries or none. An entry whose key exists with the same body is skipped; with
  // another body: Error(corrupt). Throws Error(io) when the disk is full or the file is locked; what was
  // there before is kept.
  virtual void append(RunId run, std::span<const Entry> entries) = 0;
  // What is read is compared with the hash it was stored with: Error(corrupt) when it differs.
  virtual std::optional<std::string> find(RunId run, const std::string& kind,
                                          const std::string& key) const = 0;
  // In order of appending.
  virtual std::vector<Entry> entries(RunId run, const std::string& kind) const = 0;
  virtual std::int64_t count(RunId run, const std::string& kind) const = 0;

 protected:
  Ledger() = default;
};

}  // namespace sonder::store
