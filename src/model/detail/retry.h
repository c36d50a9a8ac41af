// When to ask again. Pure. Private to the room.
#pragma once

#include <optional>

#include "model/endpoint.h"

namespace sonder::model::detail {

// Seconds to wait after the `failed`-th failed try (from 1): min(most, first * 2^(failed - 1)), of which the
// upper half is scaled by `chance` in [0, 1), so that many askers do not come back together. At least
// `asked`, what the endpoint asked for, and then up to a tenth more by chance. Nothing when the tries are
// used up, or the endpoint asked for more than rule.most_asked.
std::optional<double> wait_after(const RetryRule& rule, int failed, std::optional<double> asked,
                                 double chance);

// Whether a status says that the same question may be answered later.
bool passes(int status);

}  // namespace sonder::model::detail
