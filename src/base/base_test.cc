#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/cancel.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/measured.h"
#include "base/nearest.h"
#include "base/rows.h"
#include "base/seed.h"

namespace sonder {
namespace {

// Source: FIPS 180-4 examples.
TEST(Hash, KnowsThePublishedDigests) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Hash, OfAFileEqualsThatOfItsBytes) {
  const std::string path = (std::filesystem::temp_directory_path() / "sonder_base_hash").string();
  const std::string bytes(3 << 20, 'x');  // more than one read
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(sha256_file(path), sha256(bytes));
  std::filesystem::remove(path);
  EXPECT_THROW(sha256_file(path), Error);
}

// Source: the known-answer file of Random123, philox4x32-10, counter and key all zero: 6627e8d5 e169c58d
// bc57ac4c 9b00dbd8.
TEST(Stream, IsPhilox) {
  Stream stream(Seed(0));
  EXPECT_EQ(stream(), 0x6627e8d5U);
  EXPECT_EQ(stream(), 0xe169c58dU);
  EXPECT_EQ(stream(), 0xbc57ac4cU);
  EXPECT_EQ(stream(), 0x9b00dbd8U);
}

TEST(Seed, ChildrenAreNamedAndDoNotMeet) {
  const Seed root(1);
  EXPECT_EQ(root.child("sham"), root.child("sham"));
  std::set<std::uint64_t> values = {root.value()};
  for (const char* name : {"sham", "sampling", "", "a", "aa", "1"}) values.insert(root.child(name).value());
  for (std::uint64_t i = 0; i < 1000; ++i) values.insert(root.child(i).value());
  EXPECT_EQ(values.size(), 1007U);
  EXPECT_NE(root.child("a").child("b"), root.child("b").child("a"));
  EXPECT_NE(root.child("1"), root.child(std::uint64_t{1}));
}

TEST(Stream, UniformAndNormalHaveTheirMoments) {
  Stream stream(Seed(3));
  const int n = 200000;
  double u = 0;
  double z = 0;
  double zz = 0;
  for (int i = 0; i < n; ++i) {
    const double x = stream.uniform();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    u += x;
    const double y = stream.normal();
    z += y;
    zz += y * y;
  }
  EXPECT_NEAR(u / n, 0.5, 4 * std::sqrt(1.0 / 12 / n));  // four standard errors
  EXPECT_NEAR(z / n, 0.0, 4 * std::sqrt(1.0 / n));
  EXPECT_NEAR(zz / n, 1.0, 4 * std::sqrt(2.0 / n));
}

TEST(Stream, BelowIsInRangeAndEven) {
  Stream stream(Seed(4));
  std::array<int, 7> count{};
  for (int i = 0; i < 70000; ++i) ++count.at(stream.below(7));
  for (const int n : count) EXPECT_NEAR(n, 10000, 4 * std::sqrt(10000.0 * 6 / 7));
}

TEST(Measured, IsANumberOrAReason) {
  const Measured<double> there = 0.25;
  const Measured<double> gone = Missing{"the judge gave no number"};
  EXPECT_EQ(*there, 0.25);
  EXPECT_EQ(there.reason(), "");
  EXPECT_FALSE(gone);
  EXPECT_EQ(gone.reason(), "the judge gave no number");
  EXPECT_EQ(gone.value_or(1), 1);
  EXPECT_THROW(gone.value(), Error);
}

TEST(Rows, AreRowMajorAndOfOneLength) {
  Numbers table;
  table.append(std::array<double, 2>{1, 2});
  table.append(std::array<double, 2>{3, 4});
  EXPECT_EQ(table.data, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(table.row(1)[0], 3);
  EXPECT_THROW(table.append(std::array<double, 1>{5}), Error);
}

TEST(Cancel, IsAskedOnceAndThrows) {
  Cancel cancel;
  EXPECT_NO_THROW(cancel.check());
  cancel.ask();
  EXPECT_TRUE(cancel.asked());
  EXPECT_THROW(cancel.check(), Error);
}

TEST(Error, SaysWhereAndWhatKind) {
  try {
    require(false, "pairs come in pairs");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_STREQ(error.what(), "pairs come in pairs");
    EXPECT_GT(error.where().line, 0);
  }
}

TEST(Nearest, TheNearestWordIsTheOneThatWasMeant) {
  const std::vector<std::string> known = {"doses", "dose", "unit", "placebos", "random_ablations"};
  EXPECT_EQ(nearest("dosis", known), "doses");
  EXPECT_EQ(nearest("uint", known), "unit");  // two neighbours swapped count once
  EXPECT_EQ(nearest("randomablation", known), "random_ablations");
  EXPECT_FALSE(nearest("temperature", known).has_value());
  EXPECT_FALSE(nearest("x", known).has_value());
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
}

}  // namespace
}  // namespace sonder
