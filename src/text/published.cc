#include "text/published.h"

#include <cmath>

#include "base/error.h"

namespace sonder::text {

double categorical_dynamic(const FunctionWords& percent) {
  return 30 + percent.articles + percent.prepositions - percent.personal_pronouns -
         percent.impersonal_pronouns - percent.auxiliaries - percent.conjunctions - percent.adverbs -
         percent.negations;
}

double vader_compound(double valences) {
  require(std::isfinite(valences), "a sum of valences is finite");
  return valences / std::hypot(valences, std::sqrt(15.0));
}

double unsigned_mismatch(double a, double b) {
  require(std::isfinite(a) && std::isfinite(b) && a >= 0 && b >= 0, "a density is finite and not negative");
  return a + b > 0 ? std::abs(a - b) / (a + b) : 0;
}

double distance_of_noise(int n_scores) {
  require(n_scores >= 1 && n_scores <= 200, "between 1 and 200 scores");
  // E(chi_n) = sqrt(2) Gamma((n + 1)/2) / Gamma(n/2)
  return 2 * std::tgamma((n_scores + 1) / 2.0) / std::tgamma(n_scores / 2.0);
}

}  // namespace sonder::text
