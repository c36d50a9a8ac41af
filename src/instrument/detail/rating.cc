#include "instrument/detail/rating.h"

#include <algorithm>
#include <cmath>

namespace sonder::instrument::detail {

Measured<Rating> rating_of(std::span<const double> p, int first_level) {
  Rating rating;
  double first = 0;
  double second = 0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const double level = first_level + static_cast<double>(k);
    rating.mass += p[k];
    first += level * p[k];
    second += level * level * p[k];
  }
  // Written so that a mass that is not a number is missing too.
  if (!(rating.mass >= kLeastMass))
    return Missing{"the judge put less than .80 of its probability on the ratings"};
  rating.score = first / rating.mass;
  rating.sd = std::sqrt(std::max(0.0, second / rating.mass - rating.score * rating.score));
  return rating;
}

}  // namespace sonder::instrument::detail
