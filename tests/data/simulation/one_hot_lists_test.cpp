#include "data/simulation/one_hot_lists.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/read_features.h"
#include "testing/make_lists.h"

namespace ultr::one_hot_lists_test {
namespace {

using testing::make_lists;
using testing::values;

/// Returns every document of the lists, sorted, as (id, label).
std::vector<std::pair<std::uint64_t, std::int32_t>> documents(const FeatureLists& lists) {
  std::vector<std::pair<std::uint64_t, std::int32_t>> all;
  for (std::size_t i = 0; i < lists.documents(); ++i)
    all.emplace_back(lists.columns().documents[i], lists.columns().labels[i]);
  std::sort(all.begin(), all.end());
  return all;
}

TEST(OneHotListsTest, AllPartsHaveTheSameDocumentsInOtherLists) {
  const auto parts = make_lists("one_hot", "{documents: 1003, length: 10}");
  EXPECT_EQ(parts.train.lists(), 101u);
  EXPECT_EQ(parts.train.length(0), 10u);
  EXPECT_EQ(parts.train.length(100), 3u) << "what is left";
  EXPECT_EQ(parts.train.features(), 0u);
  EXPECT_TRUE(parts.train.columns().queries.empty()) << "an id is the same document everywhere";
  EXPECT_EQ(documents(parts.train), documents(parts.valid));
  EXPECT_EQ(documents(parts.train), documents(parts.test));
  EXPECT_NE(values(parts.train[0].documents), values(parts.test[0].documents));
  EXPECT_NE(values(parts.train[0].documents), values(parts.valid[0].documents));
}

TEST(OneHotListsTest, ValidationListsCanBeLeftOut) {
  const auto parts = make_lists("one_hot", "{validation: false}");
  EXPECT_EQ(parts.valid.lists(), 0u);
  testing::expect_equal(parts.test, make_lists("one_hot").test);
}

TEST(OneHotListsTest, LabelsAreUniform) {
  constexpr double n = 10000;
  std::map<std::int32_t, double> count;
  const FeatureLists train = make_lists("one_hot").train;
  for (const std::int32_t label : train.columns().labels) ++count[label];
  ASSERT_EQ(count.size(), 5u);
  for (const auto& [label, times] : count)
    EXPECT_NEAR(times / n, 1 / 5., 4 * std::sqrt(1 / 5. * 4 / 5. / n)) << label;
}

TEST(OneHotListsTest, CollisionsAreByRemainder) {
  const auto ids = [](const std::string& collisions) {
    std::map<std::uint64_t, int> count;
    const auto parts = make_lists("one_hot", "{documents: 1000, collisions: " + collisions + "}");
    for (const std::uint64_t id : parts.train.columns().documents) ++count[id];
    return count;
  };
  EXPECT_EQ(ids("0").size(), 1000u);
  const auto few = ids("0.2");
  ASSERT_EQ(few.size(), 800u);
  for (const auto& [id, times] : few) EXPECT_EQ(times, id < 200 ? 2 : 1) << id;
  const auto most = ids("0.9");
  ASSERT_EQ(most.size(), 100u);
  for (const auto& [id, times] : most) EXPECT_EQ(times, 10) << id;
}

TEST(OneHotListsTest, CollisionsLeaveListsAndLabels) {
  const auto without = make_lists("one_hot", "{documents: 500}"),
             with = make_lists("one_hot", "{documents: 500, collisions: 0.5}");
  EXPECT_EQ(values(without.train.columns().labels.values()),
            values(with.train.columns().labels.values()));
  for (std::size_t i = 0; i < 500; ++i)
    EXPECT_EQ(with.train.columns().documents[i], without.train.columns().documents[i] % 250);
}

}  // namespace
}  // namespace ultr::one_hot_lists_test
