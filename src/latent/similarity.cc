#include "latent/similarity.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "latent/direction.h"

namespace sonder::latent {
namespace {

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

double ratio(double uv, double uu, double vv) {
  require(uu > 0 && vv > 0, "a cosine needs two directions along which something varies");
  return std::clamp(uv / std::sqrt(uu * vv), -1.0, 1.0);
}

}  // namespace

double cosine(std::span<const float> a, std::span<const float> b) {
  require(a.size() == b.size(), "two directions have the same width");
  return ratio(dot(a, b), dot(a, a), dot(b, b));
}

double mahalanobis_cosine(std::span<const float> u, std::span<const float> v, const Rows& x) {
  require(u.size() == x.d && v.size() == x.d, "directions are as wide as the rows");
  require(x.n >= 2, "a covariance needs two rows");
  double mean_u = 0;
  double mean_v = 0;
  std::vector<double> pu(x.n);
  std::vector<double> pv(x.n);
  for (std::size_t i = 0; i < x.n; ++i) {
    pu[i] = dot(u, x.row(i));
    pv[i] = dot(v, x.row(i));
    mean_u += pu[i] / static_cast<double>(x.n);
    mean_v += pv[i] / static_cast<double>(x.n);
  }
  double uv = 0;
  double uu = 0;
  double vv = 0;
  for (std::size_t i = 0; i < x.n; ++i) {
    uv += (pu[i] - mean_u) * (pv[i] - mean_v);
    uu += (pu[i] - mean_u) * (pu[i] - mean_u);
    vv += (pv[i] - mean_v) * (pv[i] - mean_v);
  }
  return ratio(uv, uu, vv);
}

double mahalanobis_cosine(std::span<const float> u, std::span<const float> v, const Numbers& covariance) {
  require(covariance.n == covariance.d && u.size() == covariance.d && v.size() == covariance.d,
          "a covariance is square and as wide as the directions");
  const auto form = [&](std::span<const float> a, std::span<const float> b) {
    double sum = 0;
    for (std::size_t i = 0; i < covariance.n; ++i)
      for (std::size_t j = 0; j < covariance.d; ++j)
        sum += static_cast<double>(a[i]) * covariance.row(i)[j] * static_cast<double>(b[j]);
    return sum;
  };
  return ratio(form(u, v), form(u, u), form(v, v));
}

double random_cosine_tail(double c, int d) {
  require(c >= 0 && c <= 1, "a cosine's size lies between 0 and 1");
  require(d >= 2, "random directions need two dimensions");
  return boost::math::ibetac(0.5, 0.5 * (d - 1), c * c);
}

double random_cosine_sd(int d) {
  require(d >= 1, "a direction has at least one dimension");
  return 1 / std::sqrt(static_cast<double>(d));
}

}  // namespace sonder::latent
