// All problems of an input, with their places, in one error.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace sonder::store {

struct Problem {
  std::string file;
  int line = 0;         // 1-based; 0: the whole file
  int column = 0;       // 1-based, in bytes; 0: the whole line
  std::string message;  // expected, found, what to do; never a person's text
};

std::string to_text(const std::vector<Problem>& problems);  // file:line:column: message, one a line

class BadInput : public Error {
 public:
  explicit BadInput(std::vector<Problem> problems)
      : Error(ErrorKind::bad_input, to_text(problems)), problems_(std::move(problems)) {}
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

}  // namespace sonder::store
