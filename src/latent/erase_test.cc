#include "latent/erase.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/seed.h"
#include "latent/direction.h"

namespace sonder::latent {
namespace {

// methods.md M8: four of class 1, then four of class 0.
Rows eight() {
  Rows x(8, 2);
  x.data = {2, 1, 3, 3, 4, 2, 1, 0, 0, 1, -1, -1, 1, 2, 2, 0};
  return x;
}
const std::vector<int> kLabel = {1, 1, 1, 1, 0, 0, 0, 0};

double mean_squared_change(const Erasure& erasure, const Rows& x) {
  double total = 0;
  for (std::size_t i = 0; i < x.n; ++i) {
    const auto after = erasure.apply(x.row(i));
    for (std::size_t j = 0; j < x.d; ++j) total += std::pow(after[j] - static_cast<double>(x.row(i)[j]), 2);
  }
  return total / static_cast<double>(x.n);
}

std::vector<double> class_mean(const Erasure& erasure, const Rows& x, std::span<const int> label, int which) {
  std::vector<double> mean(x.d, 0.0);
  double n = 0;
  for (std::size_t i = 0; i < x.n; ++i) {
    if (label[i] != which) continue;
    const auto after = erasure.apply(x.row(i));
    for (std::size_t j = 0; j < x.d; ++j) mean[j] += after[j];
    ++n;
  }
  for (double& value : mean) value /= n;
  return mean;
}

// Source: methods.md M8, last figure.
TEST(Golden, M08_AblationAlongTheGap) {
  const auto gone = project_out(std::vector<double>{2, 1}, std::vector<double>{0, 0}).apply(eight().row(0));
  EXPECT_NEAR(gone[0], 0, 1e-12);
  EXPECT_NEAR(gone[1], 0, 1e-12);
}

// Source: methods.md M9; no shrinkage, n - 1.
TEST(Golden, M09_Leace) {
  const Rows x = eight();
  const Erasure erased = leace(x, kLabel);
  const double expected[] = {-1. / 13, 2. / 13, -7. / 13, 14. / 13};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(erased.project.data[i], expected[i], 1e-12) << i;
  const auto first = erased.apply(x.row(0));
  EXPECT_NEAR(first[0], 19. / 13, 1e-12);
  EXPECT_NEAR(first[1], 9.5 / 13, 1e-12);
  for (const int which : {0, 1}) {
    const auto mean = class_mean(erased, x, kLabel, which);
    EXPECT_NEAR(mean[0], 1.5, 1e-12);
    EXPECT_NEAR(mean[1], 1.0, 1e-12);
  }
  EXPECT_NEAR(mean_squared_change(erased, x), 2.7884615, 5e-8);

  const Erasure orthogonal = project_out(std::vector<double>{2, 1}, std::vector<double>{1.5, 1});
  const double plain[] = {.2, -.4, -.4, .8};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(orthogonal.project.data[i], plain[i], 1e-12) << i;
  EXPECT_NEAR(mean_squared_change(orthogonal, x), 3.1, 1e-12);
}

Rows noise(std::size_t n, std::size_t d, Seed seed) {
  Rows x(n, d);
  Stream stream(seed);
  for (float& value : x.data) value = static_cast<float>(stream.normal());
  return x;
}

TEST(Leace, TakesOutAPlantedClassAndIsAProjection) {
  Rows x = noise(90, 7, Seed(1));
  std::vector<int> label(x.n);
  for (std::size_t i = 0; i < x.n; ++i) {
    label[i] = static_cast<int>(i % 3) * 10;  // three classes, any names
    x.row(i)[0] += static_cast<float>(label[i]);
    x.row(i)[3] -= label[i] == 20 ? 4.F : 0.F;
    x.row(i)[5] = x.row(i)[4];  // a direction without variance of its own
  }
  const Erasure erased = leace(x, label);
  const auto at0 = class_mean(erased, x, label, 0);
  for (const int which : {10, 20}) {
    const auto other = class_mean(erased, x, label, which);
    for (std::size_t j = 0; j < x.d; ++j) EXPECT_NEAR(other[j], at0[j], 1e-6);
  }
  for (std::size_t i = 0; i < x.d; ++i)
    for (std::size_t j = 0; j < x.d; ++j) {
      double twice = 0;
      for (std::size_t k = 0; k < x.d; ++k) twice += erased.project.row(i)[k] * erased.project.row(k)[j];
      EXPECT_NEAR(twice, erased.project.row(i)[j], 1e-9);
    }
}

// Second route: the closed form of two classes, P = I - c c' S^-1 / (c' S^-1 c), here with S = 2 × 2 by hand.
TEST(Leace, OfTwoClassesIsTheClosedForm) {
  const Rows x = noise(40, 2, Seed(2));
  std::vector<int> label(x.n);
  for (std::size_t i = 0; i < x.n; ++i) label[i] = x.row(i)[0] + x.row((i + 1) % x.n)[1] > 0 ? 1 : 0;
  double m[2] = {}, z = 0, s[3] = {}, c[2] = {};
  for (std::size_t i = 0; i < x.n; ++i) {
    for (int j = 0; j < 2; ++j) m[j] += static_cast<double>(x.row(i)[static_cast<std::size_t>(j)]) / 40;
    z += label[i] / 40.;
  }
  for (std::size_t i = 0; i < x.n; ++i) {
    const double a = static_cast<double>(x.row(i)[0]) - m[0];
    const double b = static_cast<double>(x.row(i)[1]) - m[1];
    s[0] += a * a, s[1] += a * b, s[2] += b * b;
    c[0] += a * (label[i] - z), c[1] += b * (label[i] - z);
  }
  const double v[2] = {s[2] * c[0] - s[1] * c[1], s[0] * c[1] - s[1] * c[0]};  // S^-1 c, up to a factor
  const double size = c[0] * v[0] + c[1] * v[1];
  const Erasure erased = leace(x, label);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_NEAR(erased.project.row(i)[j], (i == j ? 1 : 0) - c[i] * v[j] / size, 1e-10);
}

TEST(Inlp, LeavesALogisticReaderNothingItFoundBefore) {
  Rows x = noise(60, 5, Seed(3));
  std::vector<int> label(x.n);
  for (std::size_t i = 0; i < x.n; ++i) {
    label[i] = static_cast<int>(i % 2);
    x.row(i)[2] += 3.F * static_cast<float>(label[i]);
  }
  const auto gap_after = [&](int n) {
    const Erasure erased = inlp(x, label, n, .1);
    const auto a = class_mean(erased, x, label, 1);
    const auto b = class_mean(erased, x, label, 0);
    double total = 0;
    for (std::size_t j = 0; j < x.d; ++j) total += std::pow(a[j] - b[j], 2);
    return std::sqrt(total);
  };
  EXPECT_GT(mean_squared_change(inlp(x, label, 1, .1), x), 1);
  EXPECT_LT(gap_after(1), 1.5);
  EXPECT_LT(gap_after(3), gap_after(1));
  EXPECT_NEAR(gap_after(5), 0, 1e-6);  // everything is gone
}

TEST(Erasure, RefusesWhatItCannotErase) {
  const Rows x = eight();
  EXPECT_THROW(leace(x, std::vector<int>(8, 1)), Error);
  EXPECT_THROW(leace(x, std::vector<int>{1, 0}), Error);
  EXPECT_THROW(leace(Rows(8, 2), kLabel), Error);
  EXPECT_THROW(inlp(x, kLabel, 3, 1), Error);
  EXPECT_THROW(inlp(x, kLabel, 1, 0), Error);
  EXPECT_THROW(project_out(std::vector<double>{0, 0}, std::vector<double>{0, 0}), Error);
  EXPECT_THROW(leace(x, kLabel).apply(std::vector<float>{1}), Error);
}

}  // namespace
}  // namespace sonder::latent
