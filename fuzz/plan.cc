#include "store/plan.h"

#include "fuzz.h"

// A plan that is read is canonical: its JSON differs from itself in nothing.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::refused_or_read(data, size, [](const std::string& text) {
    const std::string json = sonder::store::to_json(sonder::store::parse_plan(text, "plan.yaml"));
    fuzz::insist(sonder::store::plan_differences(json, json).empty());
  });
}
