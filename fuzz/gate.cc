#include "report/gate.h"

#include "fuzz.h"

namespace {
const std::string kFindings =
    R"({"name": "a study", "delta": 0.1, "verdict": {"affective": {"control": "PARTIAL"}},
 "instruments": [{"name": "lexicon", "facet": "affective", "certified": true}, {"name": "judge", "facet": "affective", "certified": false}],
 "effects": [{"facet": "affective", "chosen": true, "theta": 0.4, "lo95": 0.2}, {"facet": "cognitive", "chosen": false, "theta": null, "theta_missing": "no gap", "lo95": null}],
 "replies": [{"text": "k9 private words"}], "scenarios": []})";
}  // namespace

// `not` of what holds never holds, and what is missing never passes either way.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::refused_or_read(data, size, [](const std::string& text) {
    const auto gated = sonder::report::gate(text, kFindings);
    const auto opposite = sonder::report::gate("not (" + text + ")", kFindings);
    fuzz::insist(!(gated.passed() && opposite.passed()));
    fuzz::insist((gated.truth == sonder::report::Truth::unknown) ==
                 (opposite.truth == sonder::report::Truth::unknown));
    for (const auto& clause : gated.clauses)
      fuzz::insist(clause.found.find(fuzz::kPrivate) == std::string::npos);
  });
}
