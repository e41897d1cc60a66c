#include "layers/hash_compression.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "layers/listed_rows.h"

namespace ultr::hash_compression_test {
namespace {

using testing::listed_rows;

LayerSetting setting(std::int64_t entries, std::int64_t unknown = 0) {
  return {.name = "attraction",
          .domain = Domain::document,
          .entries = entries,
          .unknown = unknown,
          .seed = 7,
          .number = 2};
}

std::uint32_t key(std::uint64_t seed = 7, std::uint32_t number = 2) {
  return static_cast<std::uint32_t>(RandomStream(seed, RandomPurpose::hashing, number, 0).bits());
}

TEST(Murmur3Test, HasTheKnownAnswers) {
  static_assert(murmur3(0, 0) == 0x2362f9deu);
  EXPECT_EQ(murmur3(0x87654321u, 0), 0xf55b516bu);
  EXPECT_EQ(murmur3(0x87654321u, 0x5082edeeu), 0x2362f9deu);
  EXPECT_EQ(murmur3(0xffffffffu, 0), 0x76293b50u);
}

TEST(HashCompressionTest, RowsAreHashesSpreadOverTheTable) {
  const HashCompression plain(setting(1000), 10), with_unknown(setting(1003, 3), 10);
  const auto rows = listed_rows(plain, 0, 1000), shifted = listed_rows(with_unknown, 0, 1003);
  ASSERT_EQ(plain.tables()[0].rows, 100);
  ASSERT_EQ(with_unknown.tables()[0].rows, 1 + 100);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const double uniform = murmur3(i, key()) / 4294967296.0;
    EXPECT_EQ(rows[i], std::floor(uniform * 100));
    EXPECT_EQ(shifted[i + 3], 1 + rows[i]);
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(shifted[i], 0u);
}

TEST(HashCompressionTest, RowsAreReadEquallyOften) {
  constexpr std::int64_t entries = 200000, rows = 1000;
  std::vector<double> uses(rows);
  for (const std::uint32_t row : listed_rows(HashCompression(setting(entries), 200), 0, entries))
    uses[row] += 1;
  double chi_square = 0;
  for (const double count : uses) chi_square += (count - 200) * (count - 200) / 200;
  // χ² of 999 degrees of freedom: mean 999, standard deviation √(2·999).
  EXPECT_NEAR(chi_square, 999, 4.5 * std::sqrt(2 * 999.));
}

TEST(HashCompressionTest, CollisionsDifferBetweenSeedsAndParameters) {
  const auto rows = [](std::uint64_t seed, std::uint32_t number) {
    LayerSetting s = setting(100);
    s.seed = seed;
    s.number = number;
    return listed_rows(HashCompression(s, 10), 0, 100);
  };
  EXPECT_EQ(rows(7, 2), rows(7, 2));
  EXPECT_NE(rows(7, 2), rows(8, 2));
  EXPECT_NE(rows(7, 2), rows(7, 3));
}

TEST(HashCompressionTest, TheFormulaHasTheKey) {
  EXPECT_EQ(HashCompression(setting(1001, 1), 10).formula(),
            "attraction[0 if e < 1 else 1 + (murmur3_32((e - 1), seed=" + std::to_string(key()) +
                ") * 100 >> 32)]");
  EXPECT_EQ(HashCompression(setting(1000), 10).formula(),
            "attraction[(murmur3_32(e, seed=" + std::to_string(key()) + ") * 100 >> 32)]");
}

}  // namespace
}  // namespace ultr::hash_compression_test
