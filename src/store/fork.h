// A run that begins where another left off: what both would compute is taken over, the rest is new.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "store/ledger.h"

namespace sonder::store {

// `own`, which on a miss also looks in `from` (opened for reading) for entries of these kinds, and keeps what
// it found there as its own. The kinds must be content-addressed: their key names everything that the body
// depends on, the program apart. For one thread. So `own` ends with exactly the cells that its plan asks for.
// Throws Error(bad_input) when `from` holds no run, or one of another Sonder or llama.cpp than `now`.
struct Forked {
  std::unique_ptr<Ledger> ledger;
  std::function<std::int64_t()> reused;  // entries taken over so far; valid as long as the ledger
};
Forked fork(std::unique_ptr<Ledger> own, std::unique_ptr<Ledger> from, const std::string& from_path,
            const RunHeader& now, std::span<const std::string> kinds);

}  // namespace sonder::store
