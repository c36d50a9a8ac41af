// Signal detection: how well two kinds are told apart, whatever the leaning of the one who answers.
#pragma once

#include "stats/estimate.h"

namespace sonder::stats {

// d' of a two-alternative forced choice answered rightly with this share, strictly inside (0, 1):
// sqrt(2) z(share). Source: [Green1966], methods.md 6.
double dprime_2afc(double share);
// From k right of n, log-linear correction (k + .5) / (n + 1); delta-method normal interval. n = 0:
// undefined. p: exact binomial against chance.
Estimate dprime_2afc(long right, long n);

// Yes to signals (hits) and to noise (false alarms): d' = z(H) - z(F), criterion c = -(z(H) + z(F)) / 2.
// c < 0: leans to yes.
struct YesNo {
  Estimate dprime;
  Estimate criterion;
};
// Rates strictly inside (0, 1); no interval. Error(bad_input) otherwise.
YesNo yes_no(double hit_rate, double false_alarm_rate);
// From counts, log-linear correction (k + .5) / (n + 1) in both, always, so that 0 and n need no other rule.
// Normal intervals by Gourevitch and Galanter's variance. No signals or no noise: undefined. p: against 0.
// Source: [Hautus1995], [Gourevitch1967], methods.md 8.3.
YesNo yes_no(long hits, long signals, long false_alarms, long noises);

}  // namespace sonder::stats
