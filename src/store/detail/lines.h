// Lines of a file of any size in bounded memory.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace sonder::store::detail {

class LineReader {
 public:
  // most: longest line that is kept, in bytes. The stream must outlive the reader.
  LineReader(std::istream& in, std::size_t most) : in_(in), most_(most) {}

  // The next line without its \n, \r\n or leading byte order mark; false at the end.
  bool next();
  const std::string& line() const { return line_; }
  bool too_long() const { return too_long_; }  // then `line` is empty
  int number() const { return number_; }       // 1-based
  // Bytes of the file before the line's first byte.
  std::uint64_t offset() const { return start_; }
  std::uint64_t read() const { return position_; }  // bytes so far
  bool failed() const { return in_.bad(); }         // the end came because reading failed

 private:
  bool refill();

  std::istream& in_;
  std::size_t most_;
  std::vector<char> chunk_;
  std::size_t taken_ = 0;  // of the chunk
  std::string line_;
  bool too_long_ = false;
  int number_ = 0;
  std::uint64_t start_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace sonder::store::detail
