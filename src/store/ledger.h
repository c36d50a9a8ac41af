// The append-only ledger: one run in one SQLite file. Nothing is ever changed or removed.
#pragma once

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
  std::string provenance;  // JSON: versions, model and bank hashes, machine
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
  // Opens or creates. Throws Error(io) when the file cannot be used, Error(corrupt) when it is no run file, is of a
  // newer schema, or fails SQLite's own integrity check.
  static std::unique_ptr<Ledger> open(const std::string& path);
  // Opens for reading only; never creates.
  static std::unique_ptr<Ledger> open_read_only(const std::string& path);
  virtual ~Ledger() = default;
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // Stores the header, or finds the run already there. Throws Error(bad_input) naming what differs when the file
  // holds a run of another plan.
  virtual RunId open_run(const RunHeader& header) = 0;
  virtual std::optional<RunHeader> find_header() const = 0;

  // One transaction. An entry whose key exists with the same body is skipped; with another body: Error(corrupt).
  virtual void append(RunId run, std::span<const Entry> entries) = 0;
  virtual std::optional<std::string> find(RunId run, const std::string& kind, const std::string& key) const = 0;
  // In order of appending.
  virtual std::vector<Entry> entries(RunId run, const std::string& kind) const = 0;
  virtual std::int64_t count(RunId run, const std::string& kind) const = 0;

 protected:
  Ledger() = default;
};

}  // namespace sonder::store
