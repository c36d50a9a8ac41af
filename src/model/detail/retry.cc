#include "model/detail/retry.h"

#include <algorithm>
#include <cmath>

namespace sonder::model::detail {

std::optional<double> wait_after(const RetryRule& rule, int failed, std::optional<double> asked,
                                 double chance) {
  if (failed < 1 || failed >= rule.tries) return std::nullopt;
  const double full = std::min(rule.most, rule.first * std::exp2(std::min(failed - 1, 60)));
  const double own = full / 2 + chance * full / 2;
  if (!asked) return own;
  if (*asked > rule.most_asked) return std::nullopt;
  return std::max(own, std::max(0.0, *asked) * (1 + chance / 10));
}

bool passes(int status) {
  return status == 408 || status == 409 || status == 425 || status == 429 ||
         (status >= 500 && status < 600 && status != 501 && status != 505);
}

}  // namespace sonder::model::detail
