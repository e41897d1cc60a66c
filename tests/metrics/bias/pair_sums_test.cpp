#include "metrics/bias/pair_sums.h"

#include <gtest/gtest.h>

namespace ultr::pair_sums_test {
namespace {

/// Numbers whose sum depends on the order in which they are added.
double number(std::size_t row, std::size_t position) {
  return 1 / (1 + static_cast<double>(row * 7 + position));
}

/// Counts of pairs at three positions, whose rows are below `rows`.
PairPositionCounts counts_with(std::size_t rows) {
  SessionLog log;
  const std::uint16_t position[] = {2};
  const std::uint8_t click[] = {0};
  if (rows > 0) {
    const auto last = static_cast<std::uint32_t>(rows - 1);
    log.add({.rows = {&last, 1}, .positions = position, .clicks = click, .query = 1});
  }
  return PairPositionCounts(log);
}

std::vector<double> sums_with(int threads, const PairPositionCounts& counts) {
  std::vector<int> calls(counts.rows());
  const auto sums =
      sum_over_pairs<double>(counts, threads, [&](std::size_t row, std::vector<double>& part) {
        ++calls[row];
        for (const std::size_t k : {0, 2}) part[k] += number(row, k);
      });
  EXPECT_EQ(calls, std::vector<int>(counts.rows(), 1));
  return sums;
}

TEST(PairSumsTest, AreThoseOfAllRowsByPosition) {
  for (const std::size_t rows : {1, 1023, 1024, 1025, 5000}) {
    double first = 0, last = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      first += number(row, 0);
      last += number(row, 2);
    }
    const PairPositionCounts counts = counts_with(rows);
    ASSERT_EQ(counts.rows(), rows);
    const std::vector<double> sums = sums_with(1, counts);
    ASSERT_EQ(sums.size(), 3u);
    EXPECT_NEAR(sums[0], first, 1e-12) << rows;
    EXPECT_EQ(sums[1], 0) << rows;
    EXPECT_NEAR(sums[2], last, 1e-12) << rows;
  }
}

TEST(PairSumsTest, ThreadsDoNotChangeThem) {
  const PairPositionCounts counts = counts_with(20000);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(sums_with(threads, counts), sums_with(1, counts));
}

TEST(PairSumsTest, WithoutPairsThereAreNone) { EXPECT_TRUE(sums_with(2, counts_with(0)).empty()); }

}  // namespace
}  // namespace ultr::pair_sums_test
