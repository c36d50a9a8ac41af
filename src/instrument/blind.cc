#include "instrument/instrument.h"

namespace sonder::instrument {

BlindReply blind(const std::string& message, const model::Reply& reply) { return {message, reply.text}; }

BlindReply blind_text(const std::string& message, const std::string& bank_text) {
  return {message, bank_text};
}

}  // namespace sonder::instrument
