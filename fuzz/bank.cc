#include "store/bank.h"

#include "fuzz.h"
#include "store/bank_checks.h"

// The four files of a bank, one after the other, with a line "----" between them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::refused_or_read(data, size, [](std::string text) {
    sonder::store::BankText parts;
    for (std::string* part : {&parts.scenarios, &parts.unrelated, &parts.rubrics, &parts.padding}) {
      const std::size_t end = text.find("\n----\n");
      *part = text.substr(0, end == std::string::npos ? end : end + 1);
      text.erase(0, end == std::string::npos ? end : end + 6);
    }
    for (const auto& problem : sonder::store::bank_checks(sonder::store::parse_bank(parts, "bank")))
      fuzz::insist(problem.message.find(fuzz::kPrivate) == std::string::npos);
  });
}
