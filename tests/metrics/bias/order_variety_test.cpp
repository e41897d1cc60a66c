#include "metrics/bias/order_variety.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "base/random.h"

namespace ultr::order_variety_test {
namespace {

OrderVariety variety_of(const SessionLog& log) {
  return order_variety(log, PairPositionCounts(log));
}

/// Adds a list of a query, whose documents are shown from the top.
void add(SessionLog& log, std::uint64_t query, const std::vector<std::uint32_t>& rows) {
  std::vector<std::uint16_t> positions(rows.size());
  std::iota(positions.begin(), positions.end(), std::uint16_t{0});
  log.add({.rows = rows,
           .positions = positions,
           .clicks = std::vector<std::uint8_t>(rows.size()),
           .query = query});
}

TEST(OrderVarietyTest, OneOrderPerQueryHasNone) {
  SessionLog log;
  for (int i = 0; i < 3; ++i) add(log, 1, {1, 2, 3});
  add(log, 2, {4, 5});
  const OrderVariety variety = variety_of(log);
  EXPECT_EQ(variety.repeated_queries, 1u);
  EXPECT_EQ(variety.same_order, 1);
  EXPECT_EQ(variety.repeated_pairs, 3u);
  EXPECT_EQ(variety.rank_entropy, 0);
}

TEST(OrderVarietyTest, CountsPairsOfSessionsAndWeighsQueriesBySessions) {
  SessionLog log;
  for (int i = 0; i < 3; ++i) add(log, 1, {1, 2});
  add(log, 1, {2, 1});
  for (int i = 0; i < 2; ++i) add(log, 2, {3, 4});
  const OrderVariety variety = variety_of(log);
  EXPECT_DOUBLE_EQ(variety.same_order, (4 * (3. / 6) + 2 * 1.) / 6);
  const double ln2 = std::numbers::ln2;
  const double of_one = (-(0.75 * std::log(0.75) + 0.25 * std::log(0.25)) + 1. / (2 * 4)) / ln2;
  EXPECT_DOUBLE_EQ(variety.rank_entropy, (2 * 4 * of_one + 2 * 2 * 0.) / (2 * 4 + 2 * 2));
}

TEST(OrderVarietyTest, OrdersDifferByDocumentsAndByDisplayedRanks) {
  SessionLog log;
  add(log, 1, {1, 2});
  add(log, 1, {1, 3});
  const std::vector<std::uint32_t> rows = {1, 2};
  const std::vector<std::uint16_t> gap = {0, 2};
  const std::vector<std::uint8_t> clicks = {0, 0};
  log.add({.rows = rows, .positions = gap, .clicks = clicks, .query = 1});
  EXPECT_EQ(variety_of(log).same_order, 0);
}

TEST(OrderVarietyTest, RandomOrdersComeNearTheEntropyOfAllRanks) {
  SessionLog log;
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  std::vector<std::uint32_t> rows(8);
  std::iota(rows.begin(), rows.end(), 1u);
  for (int i = 0; i < 2000; ++i) {
    for (std::size_t k = rows.size(); k > 1; --k) std::swap(rows[k - 1], rows[random.below(k)]);
    add(log, 1, rows);
  }
  EXPECT_NEAR(variety_of(log).rank_entropy, 3, 0.001);
}

TEST(OrderVarietyTest, TheEntropyOfFewImpressionsIsThatOfDifferentRanksAtMost) {
  SessionLog log;
  add(log, 1, {1, 2});
  add(log, 1, {2, 1});
  EXPECT_DOUBLE_EQ(variety_of(log).rank_entropy, 1);
}

TEST(OrderVarietyTest, WithoutRepetitionsNothingIsKnown) {
  SessionLog log;
  add(log, 1, {1, 2});
  add(log, 2, {0, 0});
  const OrderVariety variety = variety_of(log);
  EXPECT_EQ(variety.repeated_queries, 0u);
  EXPECT_TRUE(std::isnan(variety.same_order));
  EXPECT_EQ(variety.repeated_pairs, 0u);
  EXPECT_TRUE(std::isnan(variety.rank_entropy));
}

}  // namespace
}  // namespace ultr::order_variety_test
