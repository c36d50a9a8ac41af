// From the body of a chat completion to a score, or why there is none. Pure. Private to the room.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/measured.h"

namespace sonder::instrument::detail {

struct JudgeAnswer {
  int level = 0;  // that the judge wrote, 0..5
  // p of each level at the place where the rating was written, [6], summed over its spellings. Nothing when
  // the endpoint gives no token probabilities, or when anything but form (spaces, quotes, a label, a key)
  // precedes the rating: then they hold for that one course of words only.
  std::optional<std::vector<double>> p;
  std::string model;  // that says it answered; "" when it does not say
};

// `body`: JSON as the endpoint sent it. Missing as in level_in(), and when the body is not what a chat
// completion is. Reasons are fixed sentences: nothing of the body is repeated.
Measured<JudgeAnswer> read_answer(std::string_view body);

}  // namespace sonder::instrument::detail
