#include "stats/pairwise.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

#include "stats/detail/numbers.h"
#include "stats/detail/scaled.h"

namespace sonder::stats {
namespace {

constexpr int kMostSteps = 200;
constexpr double kConverged = 1e-11;  // largest step, in log-ability

double log1p_exp(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

// The log-likelihood of one meeting as a function of the difference d of log-abilities and of the tie
// parameter t, with its derivatives.
struct Local {
  double value = 0, d = 0, t = 0, dd = 0, dt = 0, tt = 0;
};

Local of_wins(const Meeting& m, double d) {
  const double first = m.first_wins + m.ties / 2;
  const double second = m.second_wins + m.ties / 2;
  const double p = detail::logistic(d);
  return {-first * log1p_exp(-d) - second * log1p_exp(d),
          first - (first + second) * p,
          0,
          -(first + second) * p * (1 - p),
          0,
          0};
}

// t = log nu. A multinomial logit of (d/2, -d/2, t).
Local of_davidson(const Meeting& m, double d, double t) {
  const double n = m.first_wins + m.second_wins + m.ties;
  const double top = std::max(std::abs(d) / 2, t);
  const double a = std::exp(d / 2 - top);
  const double b = std::exp(-d / 2 - top);
  const double c = std::exp(t - top);
  const double all = a + b + c;
  const double tied = c / all;
  const double lean = (a - b) / all / 2;  // derivative of log all by d
  Local out;
  out.value = (m.first_wins - m.second_wins) * d / 2 + m.ties * t - n * (std::log(all) + top);
  out.d = (m.first_wins - m.second_wins) / 2 - n * lean;
  out.t = m.ties - n * tied;
  out.dd = -n * ((a + b) / all / 4 - lean * lean);
  out.dt = n * lean * tied;
  out.tt = -n * tied * (1 - tied);
  return out;
}

// t = log theta > 0. A cumulative logit with cuts ±t: P(first) = s(d - t), P(second) = s(-d - t).
Local of_rao_kupper(const Meeting& m, double d, double t) {
  const double up = detail::logistic(d - t);
  const double down = detail::logistic(-d - t);
  const double up_slope = up * (1 - up);
  const double down_slope = down * (1 - down);
  Local out;
  out.value = -m.first_wins * log1p_exp(t - d) - m.second_wins * log1p_exp(t + d);
  out.d = m.first_wins * (1 - up) - m.second_wins * (1 - down);
  out.t = -m.first_wins * (1 - up) - m.second_wins * (1 - down);
  out.dd = -m.first_wins * up_slope - m.second_wins * down_slope;
  out.dt = m.first_wins * up_slope - m.second_wins * down_slope;
  out.tt = out.dd;
  if (m.ties > 0) {
    // log P(tie) = log(e^2t - 1) + log s(d - t) + log s(-d - t).
    const double grow = -std::expm1(-2 * t);  // 1 - e^-2t
    out.value += m.ties * (2 * t + std::log(grow) - log1p_exp(t - d) - log1p_exp(t + d));
    out.d += m.ties * ((1 - up) - (1 - down));
    out.t += m.ties * (2 / grow - (1 - up) - (1 - down));
    out.dd -= m.ties * (up_slope + down_slope);
    out.dt += m.ties * (up_slope - down_slope);
    out.tt -= m.ties * (4 * std::exp(-2 * t) / (grow * grow) + up_slope + down_slope);
  }
  return out;
}

Local local(const Meeting& m, TieModel ties, double d, double t) {
  if (ties == TieModel::davidson) return of_davidson(m, d, t);
  if (ties == TieModel::rao_kupper) return of_rao_kupper(m, d, t);
  return of_wins(m, d);
}

struct Fit {
  Eigen::VectorXd at;  // log-abilities, then the tie parameter if there is one
  Eigen::MatrixXd information;
  double value = 0;
};

class Problem {
 public:
  Problem(std::span<const Meeting> meetings, int n_players, TieModel ties, int reference, double ridge,
          bool tie_free)
      : meetings_(meetings),
        n_(n_players),
        ties_(ties),
        reference_(reference),
        ridge_(ridge),
        tie_free_(tie_free) {}

  Eigen::Index size() const { return n_ + (tie_free_ ? 1 : 0); }

  // Value, gradient and minus the Hessian. The reference is held where it is by a unit row.
  double look(const Eigen::VectorXd& at, Eigen::VectorXd* gradient, Eigen::MatrixXd* information,
              double* likelihood = nullptr) const {
    const double t = tie_free_ ? at[n_] : 0;
    double value = 0;
    if (gradient != nullptr) {
      gradient->setZero(size());
      information->setZero(size(), size());
    }
    for (const Meeting& m : meetings_) {
      const Local l = local(m, ties_, at[m.first] - at[m.second], t);
      value += l.value;
      if (gradient == nullptr) continue;
      auto& g = *gradient;
      auto& h = *information;
      g[m.first] += l.d;
      g[m.second] -= l.d;
      h(m.first, m.first) -= l.dd;
      h(m.second, m.second) -= l.dd;
      h(m.first, m.second) += l.dd;
      h(m.second, m.first) += l.dd;
      if (tie_free_) {
        g[n_] += l.t;
        h(n_, n_) -= l.tt;
        h(n_, m.first) -= l.dt;
        h(m.first, n_) -= l.dt;
        h(n_, m.second) += l.dt;
        h(m.second, n_) += l.dt;
      }
    }
    if (likelihood != nullptr) *likelihood = value;
    if (ridge_ > 0) {
      const Eigen::VectorXd centred = at.head(n_).array() - at.head(n_).mean();
      value -= ridge_ / 2 * centred.squaredNorm();
      if (gradient != nullptr) {
        gradient->head(n_) -= ridge_ * centred;
        information->topLeftCorner(n_, n_) +=
            ridge_ * (Eigen::MatrixXd::Identity(n_, n_) -
                      Eigen::MatrixXd::Constant(n_, n_, 1.0 / static_cast<double>(n_)));
      }
    }
    if (gradient != nullptr) {
      (*gradient)[reference_] = 0;
      information->row(reference_).setZero();
      information->col(reference_).setZero();
      (*information)(reference_, reference_) = 1;
    }
    return value;
  }

  // Newton with halved steps; the likelihood is concave in both models.
  std::pair<Fit, bool> solve() const {
    Fit fit;
    fit.at = Eigen::VectorXd::Zero(size());
    if (tie_free_ && ties_ == TieModel::rao_kupper) fit.at[n_] = 0.5;
    Eigen::VectorXd gradient;
    bool done = false;
    for (int step = 0; step < kMostSteps && !done; ++step) {
      const double value = look(fit.at, &gradient, &fit.information);
      const Eigen::VectorXd move = fit.information.ldlt().solve(gradient);
      double scale = 1;
      Eigen::VectorXd next = fit.at + move;
      while (scale > 1e-10 &&
             (!inside(next) || !(look(next, nullptr, nullptr) >= value - 1e-12 * std::abs(value)))) {
        scale /= 2;
        next = fit.at + scale * move;
      }
      done = scale * move.lpNorm<Eigen::Infinity>() < kConverged;
      if (inside(next)) fit.at = next;
    }
    look(fit.at, &gradient, &fit.information, &fit.value);
    return {fit, done};
  }

 private:
  bool inside(const Eigen::VectorXd& at) const {
    return at.allFinite() && (!tie_free_ || ties_ != TieModel::rao_kupper || at[n_] > 0);
  }

  std::span<const Meeting> meetings_;
  Eigen::Index n_;
  TieModel ties_;
  int reference_;
  double ridge_;
  bool tie_free_;
};

void require_meetings(std::span<const Meeting> meetings, int n_players) {
  for (const Meeting& m : meetings) {
    require(
        m.first >= 0 && m.first < n_players && m.second >= 0 && m.second < n_players && m.first != m.second,
        "a meeting names two different players of those numbered 0 to n - 1");
    const double counts[] = {m.first_wins, m.second_wins, m.ties};
    detail::require_counts(counts);
  }
}

Abilities undefined(int n_players, std::string why) {
  Abilities out;
  out.status = Status::undefined;
  out.connected = false;
  out.covariance = Numbers(static_cast<std::size_t>(std::max(0, n_players)),
                           static_cast<std::size_t>(std::max(0, n_players)));
  out.ability.assign(static_cast<std::size_t>(std::max(0, n_players)),
                     detail::without_interval(Status::undefined, 0, 0, why));
  out.warnings.push_back(std::move(why));
  return out;
}

Estimate by_normal(double value, double variance, int n_units) {
  Estimate estimate;
  estimate.value = value;
  estimate.se = std::sqrt(std::max(0.0, variance));
  estimate.n_units = n_units;
  const double half95 = detail::normal_quantile(0.975) * estimate.se;
  const double half90 = detail::normal_quantile(0.95) * estimate.se;
  estimate.ci95 = {value - half95, value + half95};
  estimate.ci90 = {value - half90, value + half90};
  estimate.p = estimate.se > 0 ? std::min(1.0, 2 * detail::normal_tail(std::abs(value) / estimate.se)) : 1;
  return estimate;
}

void flag_all(Abilities& out, const std::string& why) {
  if (out.status == Status::ok) out.status = Status::flagged;
  out.warnings.push_back(why);
  for (Estimate& ability : out.ability) detail::flag(ability, why);
}

// With a tie parameter the likelihood grows without end when log-abilities exist that put every winner a step
// or more above the loser and tied players a step or less apart: difference constraints, by Bellman and Ford.
bool tie_bounded(std::span<const Meeting> meetings, int n_players) {
  std::vector<int> at(static_cast<std::size_t>(n_players));
  const auto lower = [&](int player, int than, int by) {
    int& own = at[static_cast<std::size_t>(player)];
    const int most = at[static_cast<std::size_t>(than)] + by;
    const bool moved = own > most;
    own = std::min(own, most);
    return moved;
  };
  for (int round = 0; round <= n_players; ++round) {
    bool moved = false;
    for (const Meeting& m : meetings) {
      if (m.first_wins > 0) moved = lower(m.second, m.first, -1) || moved;
      if (m.second_wins > 0) moved = lower(m.first, m.second, -1) || moved;
      if (m.ties > 0) {
        moved = lower(m.second, m.first, 1) || moved;
        moved = lower(m.first, m.second, 1) || moved;
      }
    }
    if (!moved) return false;
  }
  return true;
}

}  // namespace

std::vector<int> win_components(std::span<const Meeting> meetings, int n_players, bool ties_link) {
  require(n_players >= 0, "a number of players is not negative");
  require_meetings(meetings, n_players);
  const auto n = static_cast<std::size_t>(n_players);
  std::vector<std::vector<std::size_t>> beats(n);
  std::vector<std::vector<std::size_t>> loses(n);
  const auto link = [&](int winner, int loser) {
    beats[static_cast<std::size_t>(winner)].push_back(static_cast<std::size_t>(loser));
    loses[static_cast<std::size_t>(loser)].push_back(static_cast<std::size_t>(winner));
  };
  for (const Meeting& m : meetings) {
    const bool tied = ties_link && m.ties > 0;
    if (m.first_wins > 0 || tied) link(m.first, m.second);
    if (m.second_wins > 0 || tied) link(m.second, m.first);
  }
  const auto reach = [&](std::size_t from, const auto& edges, std::vector<char>& seen) {
    std::vector<std::size_t> open{from};
    seen[from] = 1;
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (const std::size_t next : edges[at]) {
        if (seen[next] == 0) {
          seen[next] = 1;
          open.push_back(next);
        }
      }
    }
  };
  std::vector<int> component(n, -1);
  int count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (component[i] >= 0) continue;
    std::vector<char> down(n);
    std::vector<char> up(n);
    reach(i, beats, down);
    reach(i, loses, up);
    for (std::size_t j = 0; j < n; ++j) {
      if (down[j] != 0 && up[j] != 0) component[j] = count;
    }
    ++count;
  }
  return component;
}

Abilities abilities(std::span<const Meeting> meetings, int n_players, TieModel ties, AbilityOptions options) {
  require_meetings(meetings, n_players);
  require(options.ridge > 0, "the ridge is positive");
  if (n_players < 2) return undefined(n_players, "abilities need two players");
  require(options.reference >= 0 && options.reference < n_players, "the reference is one of the players");
  double n_compared = 0;
  double n_tied = 0;
  for (const Meeting& m : meetings) {
    n_compared += m.first_wins + m.second_wins + m.ties;
    n_tied += m.ties;
  }
  if (n_compared <= 0) return undefined(n_players, "nobody met anybody");
  const bool all_tied = ties != TieModel::half_wins && n_tied >= n_compared;
  if (all_tied) return undefined(n_players, "every comparison is a tie, so the tie parameter has no maximum");
  const auto component = win_components(meetings, n_players, true);
  Abilities out;
  out.n_components = *std::max_element(component.begin(), component.end()) + 1;
  out.connected = out.n_components == 1;
  const bool tie_free = ties != TieModel::half_wins && n_tied > 0;
  out.bounded = !tie_free || tie_bounded(meetings, n_players);
  const double ridge = out.connected && out.bounded ? 0 : options.ridge;
  const TieModel model = tie_free ? ties : TieModel::half_wins;
  const Problem problem(meetings, n_players, model, options.reference, ridge, tie_free);
  const auto [fit, done] = problem.solve();
  const Eigen::MatrixXd inverse =
      fit.information.ldlt().solve(Eigen::MatrixXd::Identity(fit.information.rows(), fit.information.cols()));
  const auto n = static_cast<std::size_t>(n_players);
  out.covariance = Numbers(n, n);
  for (int i = 0; i < n_players; ++i) {
    const bool fixed = i == options.reference;
    for (int j = 0; j < n_players && !fixed; ++j) {
      if (j != options.reference)
        out.covariance.row(static_cast<std::size_t>(i))[static_cast<std::size_t>(j)] = inverse(i, j);
    }
    out.ability.push_back(detail::settled(
        by_normal(fixed ? 0 : fit.at[i], fixed ? 0 : inverse(i, i), detail::as_units(n_compared))));
  }
  out.log_likelihood = fit.value;
  out.tie = ties == TieModel::rao_kupper ? 1 : 0;
  if (tie_free) {
    out.tie = std::exp(fit.at[n_players]);
    out.tie_se = out.tie * std::sqrt(std::max(0.0, inverse(n_players, n_players)));
  }
  if (!out.connected)
    flag_all(
        out,
        "not every player can be reached from every other along wins: a ridge prior keeps abilities finite");
  if (out.connected && !out.bounded)
    flag_all(out, "ties alone keep the players together: a ridge prior keeps abilities finite");
  if (!done) flag_all(out, "the maximum was not reached");
  if (ties == TieModel::half_wins && n_tied > 0)
    flag_all(out, "ties count as half wins, so the errors are not to be trusted");
  return out;
}

Abilities bradley_terry(const Numbers& wins, AbilityOptions options) {
  require(wins.n == wins.d, "a table of wins is square");
  std::vector<Meeting> meetings;
  for (std::size_t i = 0; i < wins.n; ++i) {
    for (std::size_t j = i + 1; j < wins.n; ++j) {
      if (wins.row(i)[j] != 0 || wins.row(j)[i] != 0)
        meetings.push_back({static_cast<int>(i), static_cast<int>(j), wins.row(i)[j], wins.row(j)[i], 0});
    }
  }
  return abilities(meetings, static_cast<int>(wins.n), TieModel::half_wins, options);
}

double win_share(const Abilities& fitted, TieModel ties, int first, int second) {
  const int n = static_cast<int>(fitted.ability.size());
  require(first >= 0 && first < n && second >= 0 && second < n, "both are players that were fitted");
  const double d = fitted.ability[static_cast<std::size_t>(first)].value -
                   fitted.ability[static_cast<std::size_t>(second)].value;
  if (ties == TieModel::davidson && fitted.tie > 0) {
    const double win = std::exp(std::min(d, 0.0));
    const double lose = std::exp(-std::max(d, 0.0));
    const double tied = fitted.tie * std::sqrt(win * lose);
    return (win + tied / 2) / (win + lose + tied);
  }
  if (ties == TieModel::rao_kupper && fitted.tie > 1) {
    const double t = std::log(fitted.tie);
    return (1 + detail::logistic(d - t) - detail::logistic(-d - t)) / 2;
  }
  return detail::logistic(d);
}

}  // namespace sonder::stats
