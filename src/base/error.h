// The one error type of the house. Failures throw; absences are values (measured.h).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace sonder {

// What kind of failure it was. A door turns it into an exit code or a status.
enum class ErrorKind {
  bad_input,  // the caller or a file broke a promise: exit code 2
  io,         // the world failed: file, database, network
  engine,     // llama.cpp refused or produced nonsense
  corrupt,    // stored data does not match its hash or schema
  cancelled,  // the caller asked to stop; what is finished is kept
  bug,        // an impossible state
};

// Where a promise was checked. (std::source_location cannot be parsed by clang-tidy with libstdc++ 12.)
struct Where {
  const char* file = "";
  int line = 0;
  static constexpr Where here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

// The message says what was expected, what was found, and what to do. It never holds a person's text.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, Where where = Where::here())
      : std::runtime_error(message), kind_(kind), where_(where) {}
  ErrorKind kind() const { return kind_; }
  Where where() const { return where_; }

 private:
  ErrorKind kind_;
  Where where_;
};

// Throws Error(bad_input) with `promise` when it was not kept.
inline void require(bool kept, std::string_view promise, Where where = Where::here()) {
  if (!kept) throw Error(ErrorKind::bad_input, std::string(promise), where);
}

}  // namespace sonder
