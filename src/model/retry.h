// What one try over HTTP brought, and whether and when to try again. Pure: no clock, no network.
#pragma once

#include <optional>
#include <string>

namespace sonder::model {

// Why nothing came back.
enum class Fault { none, unreachable, timeout, broken, certificate, too_large };

// What one try brought.
struct Delivery {
  int status = 0;  // of HTTP; 0 when there is a fault
  std::string body;
  double retry_after = 0;  // s, as the endpoint asked; 0: it did not
  Fault fault = Fault::none;
};

enum class Outcome {
  answered,  // a JSON object with status 2xx
  again,     // worth another try: too busy, too slow, cut off, not JSON
  refused,   // this question will not be answered; another may be
  hopeless,  // no question will be: key, address, quota, certificate
};

// `reason` is made of our own words and a number: nothing that the endpoint wrote is repeated.
struct Reception {
  Outcome outcome = Outcome::answered;
  std::string reason;  // empty when answered
};
Reception receive(const Delivery& delivery);

// How long to go on asking. Times in s.
struct Patience {
  int tries = 6;
  double first_wait = 1;
  double longest_wait = 60;
};

// Longest Retry-After that is waited for, s.
inline constexpr double kLongestAsked = 600;

// Seconds to wait after try `n_tried` (1, 2, …) failed; nothing: give up, because the tries are spent or the
// endpoint asked for more than kLongestAsked. Doubles with each try up to longest_wait, half of it drawn by
// `u` in [0, 1), and is never less than `retry_after`: then `u` adds up to a tenth, so that not all return
// at once.
std::optional<double> wait_before_next(const Patience& patience, int n_tried, double retry_after, double u);

}  // namespace sonder::model
