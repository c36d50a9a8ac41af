// How every judge is asked, here or elsewhere: instructions, then the message, then the reply. Private to the
// room.
#pragma once

#include <string>

#include "instrument/instrument.h"

namespace sonder::instrument::detail {

inline constexpr int kLevels = 6;  // 0 … 5
inline constexpr const char* kMessage = "\n\nMessage: ";
inline constexpr const char* kReply = "\n\nReply: ";
// The space at the end: local tokenisers spell a digit as a space token and then the digit.
inline constexpr const char* kAsk = "\n\nRating (0 to 5): ";

inline std::string message_part(const BlindReply& reply) { return kMessage + reply.message(); }
inline std::string reply_part(const BlindReply& reply) { return kReply + reply.words() + kAsk; }

}  // namespace sonder::instrument::detail
