// What every harness holds a parser to: it reads the input or throws an Error whose message is short and
// repeats no text of a person.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fuzz {

inline constexpr std::string_view kPrivate =
    "k9 private words";                             // stands in the seeds, where people's texts stand
inline constexpr std::size_t kLongest = 1U << 20U;  // of all problems of an input together

inline void insist(bool kept) {
  if (!kept) std::abort();  // libFuzzer keeps the input
}

// Calls parse(text).
template <class Parse>
int refused_or_read(const std::uint8_t* data, std::size_t size, Parse&& parse) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    parse(text);
  } catch (const sonder::Error& error) {
    const std::string_view said = error.what();
    insist(error.kind() != sonder::ErrorKind::bug);
    insist(!said.empty() && said.size() < kLongest && said.find(kPrivate) == std::string_view::npos);
  }
  return 0;
}

}  // namespace fuzz
