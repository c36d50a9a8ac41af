// What `sonder run --json` prints while it works: one JSON object a line. docs/events.md describes them.
#pragma once

#include <string>

#include "base/progress.h"
#include "study/findings.h"

namespace sonder::cli {

class Events {
 public:
  // Every line goes to stdout at once.
  void start(const std::string& run, const std::string& plan_hash, std::int64_t kept);
  OnProgress watch();  // steps, and progress at most once a second
  void stopped(const std::string& run, std::int64_t kept);
  void done(const std::string& run, const study::Findings& findings);

 private:
  std::string step_;
  double said_ = -1;
};

}  // namespace sonder::cli
