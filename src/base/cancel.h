// Cancellation as an argument: a long call looks at it between batches and keeps what is finished.
#pragma once

#include <atomic>

#include "base/error.h"

namespace sonder {

class Cancel {
 public:
  void ask() noexcept { asked_.store(true, std::memory_order_relaxed); }  // safe in a signal handler
  bool asked() const noexcept { return asked_.load(std::memory_order_relaxed); }
  // Throws Error(cancelled) when someone asked to stop.
  void check() const {
    if (asked())
      throw Error(ErrorKind::cancelled, "stopped on request; what is finished is kept, run again to go on");
  }

 private:
  std::atomic<bool> asked_{false};
};

}  // namespace sonder
