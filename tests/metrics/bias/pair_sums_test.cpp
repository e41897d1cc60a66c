#include "metrics/bias/pair_sums.h"

#include <gtest/gtest.h>

namespace ultr::pair_sums_test {
namespace {

/// Numbers whose sum depends on the order in which they are added.
double number(std::size_t row, std::size_t position) {
  return 1 / (1 + static_cast<double>(row * 7 + position));
}

std::vector<double> sums_with(int threads, std::size_t rows) {
  PairSums<double> sums(rows, 3, threads);
  std::vector<int> calls(rows);
  const auto add = [&](std::size_t row, std::vector<double>& by_position) {
    ++calls[row];
    for (const std::size_t k : {0, 2}) by_position[k] += number(row, k);
  };
  const std::vector<double> first = sums.over_rows(add);
  EXPECT_EQ(sums.over_rows(add), first) << "begins with zeros";
  EXPECT_EQ(calls, std::vector<int>(rows, 2));
  return first;
}

TEST(PairSumsTest, AreThoseOfAllRowsByPosition) {
  for (const std::size_t rows : {0, 1, 1023, 1024, 1025, 5000}) {
    double first = 0, last = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      first += number(row, 0);
      last += number(row, 2);
    }
    const std::vector<double> sums = sums_with(1, rows);
    ASSERT_EQ(sums.size(), 3u);
    EXPECT_NEAR(sums[0], first, 1e-12) << rows;
    EXPECT_EQ(sums[1], 0) << rows;
    EXPECT_NEAR(sums[2], last, 1e-12) << rows;
  }
}

TEST(PairSumsTest, ThreadsDoNotChangeThem) {
  for (const int threads : {2, 3, 8}) EXPECT_EQ(sums_with(threads, 20000), sums_with(1, 20000));
}

}  // namespace
}  // namespace ultr::pair_sums_test
