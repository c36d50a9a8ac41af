#include "model/detail/reply_text.h"

#include <algorithm>

#include "base/error.h"

namespace sonder::model::detail {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

unsigned byte_at(std::string_view s, std::size_t i) { return static_cast<unsigned char>(s[i]); }

// Length of the well-formed letter at i; 0 when broken. `cut`: it may only lack its end. Source: Unicode 15,
// table 3-7.
std::size_t letter(std::string_view s, std::size_t i, bool& cut) {
  cut = false;
  const unsigned lead = byte_at(s, i);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  for (std::size_t k = 1; k < length; ++k) {
    if (i + k == s.size()) {
      cut = true;
      return 0;
    }
    const unsigned low = k == 1 && lead == 0xE0 ? 0xA0 : k == 1 && lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = k == 1 && lead == 0xED ? 0x9F : k == 1 && lead == 0xF4 ? 0x8F : 0xBF;
    const unsigned next = byte_at(s, i + k);
    if (next < low || next > high) return 0;
  }
  return length;
}

}  // namespace

std::string valid_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  bool broken = false;  // inside a run of bytes that belong to one broken letter
  for (std::size_t i = 0; i < bytes.size();) {
    bool cut = false;
    const std::size_t length = letter(bytes, i, cut);
    if (cut) break;
    if (length > 0) {
      text.append(bytes.substr(i, length));
      i += length;
      broken = false;
      continue;
    }
    const bool continues = (byte_at(bytes, i) & 0xC0U) == 0x80U;
    if (!broken || !continues) text.append(kReplacement);
    broken = true;
    ++i;
  }
  return text;
}

ReplyText::ReplyText(const std::vector<std::string>& stops) : stops_(&stops), end_(std::string::npos) {
  for (const std::string& stop : stops) {
    require(!stop.empty(), "a stop text has at least one letter");
    longest_ = std::max(longest_, stop.size());
  }
}

bool ReplyText::add(Token token, std::string_view piece) {
  const std::size_t old = bytes_.size();
  tokens_.push_back(token);
  begins_.push_back(old);
  bytes_.append(piece);
  if (longest_ == 0) return false;
  const std::size_t from = old - std::min(old, longest_ - 1);
  for (const std::string& stop : *stops_) end_ = std::min(end_, bytes_.find(stop, from));
  return end_ != std::string::npos;
}

Reply ReplyText::finish(Stopped stopped) {
  Reply reply;
  reply.stopped = stopped;
  if (end_ != std::string::npos) {
    while (!tokens_.empty() && begins_.back() >= end_) {
      tokens_.pop_back();
      begins_.pop_back();
    }
    bytes_.resize(end_);
  }
  reply.text = valid_utf8(bytes_);
  reply.tokens = std::move(tokens_);
  return reply;
}

}  // namespace sonder::model::detail
