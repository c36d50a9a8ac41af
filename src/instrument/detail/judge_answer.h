// From the body of a chat completion to a score, or why there is none. Pure. Private to the room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/measured.h"

namespace sonder::instrument::detail {

struct JudgeAnswer {
  Measured<int> level = Missing{"the endpoint's answer is empty"};  // 0..5, as the judge wrote it
  // p of each level at the place where the rating was written, [6], summed over its spellings. Nothing when
  // the endpoint gives no token probabilities, or when anything but form (spaces, quotes, a label, a key)
  // precedes the rating: then they hold for that one course of words only.
  std::optional<std::vector<double>> p = {};
  bool damaged = false;    // no chat completion at all (empty, a web page, half of one): worth asking again
  std::string model = {};  // that says it answered; "" when it does not say
  std::optional<std::int64_t> n_tokens = {};  // what it cost, when it says so
};

// `body`: as the endpoint sent it. The level is Missing as in level_in(), when the judge refuses, and when
// the body is not what a chat completion is. Reasons are fixed sentences: nothing of the body is repeated.
JudgeAnswer read_answer(std::string_view body);

}  // namespace sonder::instrument::detail
