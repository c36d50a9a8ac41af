#include "latent/dose.h"

#include <cmath>

#include "base/error.h"

namespace sonder::latent {
namespace {

double checked(double kl) {
  if (!std::isfinite(kl) || kl < -1e-9)
    throw Error(ErrorKind::engine,
                "a KL divergence came out negative or not finite while a dose was searched");
  return kl;
}

}  // namespace

DoseFound dose_for_kl(const std::function<double(double)>& kl_of, const DoseSearch& search) {
  require(search.target > 0 && std::isfinite(search.target), "the target KL is a positive number of nats");
  require(search.upper > 0 && std::isfinite(search.upper), "the largest dose to try is a positive number");
  DoseFound found{search.upper, checked(kl_of(search.upper)), false};
  if (found.kl < search.target) return found;
  found.reached = true;
  double low = 0;
  double high = search.upper;
  for (int i = 0; i < search.most_steps; ++i) {
    if (std::abs(found.kl - search.target) <= search.tolerance * search.target) break;
    const double middle = 0.5 * (low + high);
    found = {middle, checked(kl_of(middle)), true};
    (found.kl < search.target ? low : high) = middle;
  }
  return found;
}

}  // namespace sonder::latent
