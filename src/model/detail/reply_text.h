// The words of one reply while it grows: pieces in, stops found, valid UTF-8 out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace sonder::model::detail {

// Bytes that are no UTF-8 become U+FFFD, one for each broken letter; a letter cut off at the very end is
// dropped.
std::string valid_utf8(std::string_view bytes);

class ReplyText {
 public:
  // `stops` must outlive this. Throws Error(bad_input) on an empty stop.
  explicit ReplyText(const std::vector<std::string>& stops);

  // Adds a token and its bytes. True when a stop text is now complete.
  bool add(Token token, std::string_view piece);
  std::size_t n_tokens() const { return tokens_.size(); }

  // Ends before the earliest stop that was found; tokens whose bytes all lie behind that point are left out,
  // too.
  Reply finish(Stopped stopped);

 private:
  const std::vector<std::string>* stops_;
  std::size_t longest_ = 0;
  std::string bytes_;
  std::size_t end_;  // where the stop begins, else npos
  std::vector<Token> tokens_;
  std::vector<std::size_t> begins_;  // of each token in bytes_
};

}  // namespace sonder::model::detail
