#include "data/features/bias_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/features/feature_lists_builder.h"
#include "testing/errors.h"

namespace ultr::bias_columns_test {
namespace {

using testing::config_message;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Features = std::vector<std::int64_t>;

TEST(BiasColumnsTest, MoveBehindTheOthersInTheirOrder) {
  const BiasColumns bias(Features{3, 1}, 4);
  EXPECT_EQ(bias.count(), 2u);
  EXPECT_THAT(bias.order(), ElementsAre(1, 3, 0, 2));
  std::vector<float> rows = {10, 20, 30, 40, 11, 21, 31, 41};
  bias.move_last(rows);
  EXPECT_THAT(rows, ElementsAre(20, 40, 10, 30, 21, 41, 11, 31));

  FeatureListsBuilder builder;
  builder.start_list(7);
  for (const float x : {10.f, 11.f}) {
    const std::span<float> features = builder.add({.label = 1}, 4);
    for (std::size_t c = 0; c < 4; ++c) features[c] = x + 10 * static_cast<float>(c);
  }
  const FeatureLists moved = bias.move_last(builder.build());
  EXPECT_EQ(moved[0].query, 7u);
  EXPECT_THAT(moved[0].features, ElementsAre(20, 40, 10, 30, 21, 41, 11, 31));
}

TEST(BiasColumnsTest, WithoutThemNothingMoves) {
  const BiasColumns none;
  EXPECT_TRUE(none.empty());
  EXPECT_THAT(none.order(), IsEmpty());
  std::vector<float> rows = {10, 20};
  none.move_last(rows);
  EXPECT_THAT(rows, ElementsAre(10, 20));
  EXPECT_TRUE(BiasColumns(Features{}, 2).empty());
}

TEST(BiasColumnsTest, RejectsMalformedFeatures) {
  EXPECT_EQ(config_message([] { BiasColumns(Features{5}, 4); }),
            "data.bias_features has 5; the data have features 1 to 4");
  EXPECT_EQ(config_message([] {
              BiasColumns(Features{2, 2}, 4);
            }),
            "data.bias_features has 2 twice; expected each once");
  EXPECT_EQ(config_message([] {
              BiasColumns(Features{2, 1}, 2);
            }),
            "data.bias_features has all features; expected some to be left for relevance");
}

}  // namespace
}  // namespace ultr::bias_columns_test
