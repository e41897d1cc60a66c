#include "data/features/feature_lists.h"

#include <cmath>
#include <limits>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"

namespace ultr::feature_lists_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
template <class T>
using Values = std::vector<T>;

/// Lists of 2 and 1 documents with all columns and 2 features.
FeatureColumns full() {
  FeatureColumns columns;
  columns.offsets = Values<std::int64_t>{0, 2, 3};
  columns.queries = Values<std::uint64_t>{7, 8};
  columns.documents = Values<std::uint64_t>{50, 51, 52};
  columns.positions = Values<std::uint16_t>{0, 4, 1};
  columns.clicks = Values<std::uint8_t>{0, 1, 1};
  columns.labels = Values<std::int32_t>{-2, 0, largest_label};
  columns.propensities = Values<float>{0.5f, 1.f, 0.25f};
  columns.features = Values<float>{1, 2, 3, 4, 5, 6};
  columns.feature_count = 2;
  return columns;
}

TEST(FeatureListsTest, ShowsListByList) {
  const FeatureLists lists(full());
  ASSERT_EQ(lists.lists(), 2u);
  EXPECT_EQ(lists.documents(), 3u);
  EXPECT_EQ(lists.features(), 2u);
  EXPECT_EQ(lists.length(0), 2u);
  EXPECT_EQ(lists.length(1), 1u);
  EXPECT_EQ(lists[0].query, 7u);
  EXPECT_THAT(lists[0].documents, ElementsAre(50, 51));
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 4));
  EXPECT_THAT(lists[0].clicks, ElementsAre(0, 1));
  EXPECT_THAT(lists[0].labels, ElementsAre(-2, 0));
  EXPECT_THAT(lists[0].propensities, ElementsAre(0.5f, 1.f));
  EXPECT_THAT(lists[0].features, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(lists[1].query, 8u);
  EXPECT_THAT(lists[1].documents, ElementsAre(52));
  EXPECT_THAT(lists[1].features, ElementsAre(5, 6));
}

TEST(FeatureListsTest, OnlyOffsetsAreNeeded) {
  FeatureColumns columns;
  columns.offsets = Values<std::int64_t>{0, 2, 3};
  const FeatureLists lists(columns);
  EXPECT_EQ(lists.documents(), 3u);
  EXPECT_EQ(lists.features(), 0u);
  EXPECT_EQ(lists[1].query, 0u);
  EXPECT_THAT(lists[1].documents, IsEmpty());
  EXPECT_THAT(lists[1].labels, IsEmpty());
  EXPECT_THAT(lists[1].features, IsEmpty());
}

TEST(FeatureListsTest, MayHaveNoList) {
  EXPECT_EQ(FeatureLists().lists(), 0u);
  EXPECT_EQ(FeatureLists().documents(), 0u);
}

TEST(FeatureListsTest, CopiesShareTheColumns) {
  const FeatureLists lists(full());
  const FeatureLists copy = lists;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy[0].features.data(), lists[0].features.data());
}

TEST(FeatureListsTest, RejectsMalformedColumns) {
  const auto expect_message = [](const auto& change, const std::string& message) {
    FeatureColumns columns = full();
    change(columns);
    EXPECT_EQ(data_message([&] { FeatureLists made(columns); }), message);
  };
  const auto offsets = [](Values<std::int64_t> values) {
    return [values](FeatureColumns& c) { c.offsets = values; };
  };
  expect_message(offsets({}), "offsets: no entries; expected one more than there are lists");
  expect_message(offsets({1, 3}), "offsets: entry 0 is 1; expected 0");
  const std::string more = "; expected more, since every list has a document";
  expect_message(offsets({0, 2, 2, 3}), "offsets: entry 2 is 2 after 2" + more);
  expect_message(offsets({0, 3, 2}), "offsets: entry 2 is 2 after 3" + more);
  expect_message(offsets({0, 3}), "queries: 2 entries; expected one for each of the 1 lists");
  expect_message(offsets({0, 2, 4}),
                 "documents: 3 entries; expected one for each of the 4 documents");
  expect_message(
      [](auto& c) {
        c.positions = Values<std::uint16_t>{0, 1};
      },
      "positions: 2 entries; expected one for each of the 3 documents");
  expect_message(
      [](auto& c) {
        c.clicks = Values<std::uint8_t>{0, 2, 0};
      },
      "clicks: entry 1 is 2; expected 0 or 1");
  for (const int label : {-3, -1, largest_label + 1})
    expect_message(
        [&](auto& c) {
          c.labels = Values<std::int32_t>{0, 0, label};
        },
        "labels: entry 2 is " + std::to_string(label) + "; expected -2 (unjudged) or 0 to 31");
  expect_message(
      [](auto& c) {
        c.propensities = Values<float>{0.f, 1, 1};
      },
      "propensities: entry 0 is 0; expected a number above 0 and at most 1");
  expect_message(
      [](auto& c) {
        c.propensities = Values<float>{1, 1.5f, 1};
      },
      "propensities: entry 1 is 1.5; expected a number above 0 and at most 1");
  expect_message(
      [](auto& c) {
        c.propensities = Values<float>{1, 1, std::nanf("")};
      },
      "propensities: entry 2 is nan; expected a number above 0 and at most 1");
  expect_message(
      [](auto& c) {
        c.features = Values<float>{1, 2, 3, 4};
      },
      "features: 2 rows of 2; expected one for each of the 3 documents");
  expect_message([](auto& c) { c.feature_count = 3; },
                 "features: 2 rows of 3; expected one for each of the 3 documents");
  expect_message([](auto& c) { c.features = Values<float>{1, 2, 3, std::nanf(""), 5, 6}; },
                 "features: feature 1 of document 1 is nan; expected a finite number (or "
                 "data.scaling.missing: keep, for boosted_trees)");
  constexpr float infinity = std::numeric_limits<float>::infinity();
  expect_message([&](auto& c) { c.features = Values<float>{1, 2, 3, 4, -infinity, 6}; },
                 "features: feature 0 of document 2 is -inf; expected a finite number");
}

TEST(FeatureListsTest, FeaturesMayBeMissingIfTheColumnsSaySo) {
  FeatureColumns columns;
  columns.offsets = Values<std::int64_t>{0, 1, 2};
  columns.queries = Values<std::uint64_t>{1, 2};
  columns.features = Values<float>{1, std::nanf(""), 3, 4};
  columns.feature_count = 2;
  columns.missing = true;
  const FeatureLists lists(columns);
  EXPECT_TRUE(std::isnan(lists[0].features[1]));
  const std::vector<std::size_t> kept = {0};
  const FeatureLists selected = select_documents(lists, kept);
  EXPECT_TRUE(selected.columns().missing);
  EXPECT_TRUE(std::isnan(selected[0].features[1]));
  EXPECT_TRUE(std::isnan(lists.with_features([](std::span<float>) {})[0].features[1]));
  columns.features = Values<float>{1, std::numeric_limits<float>::infinity(), 3, 4};
  EXPECT_EQ(data_message([&] { FeatureLists made(columns); }),
            "features: feature 1 of document 0 is inf; expected a finite number");
}

}  // namespace
}  // namespace ultr::feature_lists_test
