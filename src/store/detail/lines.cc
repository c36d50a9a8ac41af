#include "store/detail/lines.h"

#include <algorithm>
#include <string_view>

namespace sonder::store::detail {

// istream::read, not the stream's buffer: only the former turns a failing disk into a state instead of an
// exception.
bool LineReader::refill() {
  constexpr std::size_t kChunk = 1U << 16U;
  chunk_.resize(kChunk);
  in_.read(chunk_.data(), static_cast<std::streamsize>(kChunk));
  chunk_.resize(static_cast<std::size_t>(in_.gcount()));
  taken_ = 0;
  return !chunk_.empty();
}

bool LineReader::next() {
  line_.clear();
  too_long_ = false;
  start_ = position_;
  bool any = false;
  for (bool ended = false; !ended && (taken_ < chunk_.size() || refill());) {
    any = true;
    const auto from = chunk_.begin() + static_cast<std::ptrdiff_t>(taken_);
    const auto end = std::find(from, chunk_.end(), '\n');
    ended = end != chunk_.end();
    const auto length = static_cast<std::size_t>(end - from);
    if (line_.size() + length > most_) too_long_ = true;
    if (!too_long_) line_.append(from, end);
    taken_ += length + (ended ? 1 : 0);
    position_ += length + (ended ? 1 : 0);
  }
  if (!any) return false;
  ++number_;
  if (too_long_) line_.clear();
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (number_ == 1 && line_.rfind(kMark, 0) == 0) {
    line_.erase(0, kMark.size());
    start_ += kMark.size();
  }
  return true;
}

}  // namespace sonder::store::detail
