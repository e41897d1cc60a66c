#include "data/log/pair_position_counts.h"

#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace ultr::pair_position_counts_test {
namespace {

using Sums = std::map<std::pair<std::size_t, std::size_t>, std::pair<double, double>>;

/// Impressions and clicks by row and position.
Sums of(const PairPositionCounts& counts) {
  Sums sums;
  std::size_t cells = 0;
  for (std::size_t row = 0; row < counts.rows(); ++row) {
    std::size_t next = 0;
    for (const auto& [position, impressions, clicks] : counts.row(row)) {
      EXPECT_GE(position, next) << "cells are sorted";
      next = position + std::size_t{1};
      sums[{row, position}] = {impressions, clicks};
      ++cells;
    }
  }
  EXPECT_EQ(counts.cells().size(), cells);
  return sums;
}

/// Adds a random list, and its documents to the sums.
void add_list(RandomStream& random, double weight, bool targets, SessionLog& log, Sums& sums) {
  std::vector<std::uint32_t> rows(1 + random.below(6));
  std::vector<std::uint16_t> positions(rows.size());
  std::vector<std::uint8_t> clicks(rows.size());
  std::vector<float> rates(targets ? rows.size() : 0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    rows[k] = static_cast<std::uint32_t>(random.below(50));
    positions[k] = static_cast<std::uint16_t>(k == 0 ? random.below(3)
                                                     : positions[k - 1] + 1 + random.below(2));
    clicks[k] = static_cast<std::uint8_t>(random.below(2));
    if (targets) rates[k] = static_cast<float>(random.below(5)) / 4;
    auto& [impressions, clicked] = sums[{rows[k], positions[k]}];
    impressions += weight;
    clicked += weight * (targets ? static_cast<double>(rates[k]) : clicks[k]);
  }
  log.add(
      {.rows = rows, .positions = positions, .clicks = clicks, .targets = rates, .weight = weight});
}

TEST(PairPositionCountsTest, AreTheSumsOverDocuments) {
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  for (const bool targets : {false, true})
    for (const bool weighted : {false, true}) {
      SessionLog log;
      Sums sums;
      for (int s = 0; s < 500; ++s)
        add_list(random, weighted ? 1 + static_cast<double>(random.below(3)) : 1, targets, log,
                 sums);
      EXPECT_EQ(of(PairPositionCounts(log)), sums) << targets << weighted;
    }
}

TEST(PairPositionCountsTest, WithoutSessionsThereAreNone) {
  const PairPositionCounts counts{SessionLog()};
  EXPECT_EQ(counts.rows(), 0u);
  EXPECT_TRUE(counts.cells().empty());
}

TEST(PairPositionCountsTest, RowsThatAreNotShownHaveNoCells) {
  SessionLog log;
  log.add({.rows = std::vector<std::uint32_t>{3},
           .positions = std::vector<std::uint16_t>{2},
           .clicks = std::vector<std::uint8_t>{1}});
  const PairPositionCounts counts(log);
  ASSERT_EQ(counts.rows(), 4u);
  EXPECT_TRUE(counts.row(0).empty());
  ASSERT_EQ(counts.row(3).size(), 1u);
  EXPECT_EQ(counts.row(3)[0].position, 2);
}

}  // namespace
}  // namespace ultr::pair_position_counts_test
