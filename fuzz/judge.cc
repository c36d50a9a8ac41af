#include "fuzz.h"
#include "instrument/detail/judge_answer.h"
#include "instrument/detail/level_text.h"

// A level is one of the scale, or there is a reason; nothing of the answer is repeated.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::refused_or_read(data, size, [](const std::string& text) {
    const auto answer = sonder::instrument::detail::read_answer(text);
    for (const auto& level : {answer.level, sonder::instrument::detail::level_in(text)}) {
      fuzz::insist(level ? *level >= 0 && *level <= 5 : !level.reason().empty());
      fuzz::insist(level || level.reason().find(fuzz::kPrivate) == std::string::npos);
    }
    if (answer.p)
      for (const double p : *answer.p) fuzz::insist(p >= 0 && p <= 2);
  });
}
