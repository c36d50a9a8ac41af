#include "study/figures.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace sonder::study {

Figure figure_of(const stats::Estimate& e) {
  if (!e.usable()) return {e.value, 0, 0, 0, 0, e.warnings.empty() ? "not estimable" : e.warnings.front()};
  return {e.value, e.ci95.low, e.ci95.high, e.ci90.low, e.ci90.high, ""};
}

double mean_of(const std::vector<double>& x) {
  return x.empty() ? 0 : std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

std::vector<double> minus(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out(a.size());
  std::transform(a.begin(), a.end(), b.begin(), out.begin(), std::minus<>());
  return out;
}

std::vector<double> present(const std::vector<Score>& scores) {
  std::vector<double> out;
  for (const Score& s : scores)
    if (s) out.push_back(*s);
  return out;
}

std::vector<double> filled(const std::vector<Score>& scores, double with) {
  std::vector<double> out;
  for (const Score& s : scores) out.push_back(s.value_or(with));
  return out;
}

}  // namespace sonder::study
