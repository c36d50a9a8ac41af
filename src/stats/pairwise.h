// Who wins against whom? Abilities from paired comparisons, with or without ties.
// Counts must be finite and not negative (Error(bad_input)); results never hold NaN.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/rows.h"
#include "stats/estimate.h"

namespace sonder::stats {

// All meetings of two players, numbered from 0. Counts may be fractions (weights).
struct Meeting {
  int first = 0, second = 0;
  double first_wins = 0, second_wins = 0, ties = 0;
};

enum class TieModel {
  half_wins,   // a tie counts half for each; flagged when there are ties: use it to describe, not to infer
  davidson,    // P(tie) = nu sqrt(p_i p_j) / (p_i + p_j + nu sqrt(p_i p_j))
  rao_kupper,  // P(i wins) = p_i / (p_i + theta p_j), theta >= 1
};

// Log-abilities by maximum likelihood, each against `reference`, whose own is 0. `ability[i]` has a normal
// interval and p against 0; its n_units are the comparisons. `tie` is nu or theta (0 or 1 when no tie
// occurs). `covariance`: [n × n], 0 in the row and column of the reference. log_likelihood without the
// binomial coefficients.
//
// A maximum exists only when every player can be reached from every other along wins (a tie links both
// ways), and, with a tie parameter, when wins contradict each other without the help of ties. Otherwise a
// ridge prior (variance 1/ridge on centred log-abilities) makes the numbers finite, the abilities are
// flagged, and `connected` or `bounded` is false. Players who never met anybody: in their own component.
// Fewer than two players, no comparison, or ties only: undefined. Assumes independent comparisons and
// stochastic transitivity. Source: [Bradley1952], [Davidson1970], [Rao1967], [Ford1957], methods.md 6.
struct Abilities {
  std::vector<Estimate> ability;
  double tie = 0, tie_se = 0;
  double log_likelihood = 0;
  Numbers covariance;
  bool connected = true;
  bool bounded = true;
  int n_components = 1;  // strongly connected components of the graph of wins
  Status status = Status::ok;
  std::vector<std::string> warnings;
};
struct AbilityOptions {
  int reference = 0;
  double ridge = 0.1;
};
Abilities abilities(std::span<const Meeting> meetings, int n_players, TieModel ties,
                    AbilityOptions options = {});

// From a table of wins [n × n]: row beats column. No ties; the diagonal is not read.
Abilities bradley_terry(const Numbers& wins, AbilityOptions options = {});

// P(first beats second), a tie counting half, for a difference of log-abilities.
double win_share(const Abilities& fitted, TieModel ties, int first, int second);

// The strongly connected component of each player, numbered from 0 in the order of their first player.
std::vector<int> win_components(std::span<const Meeting> meetings, int n_players, bool ties_link);

}  // namespace sonder::stats
