#include "data/log/feature_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace ultr::feature_table_test {
namespace {

using ::testing::ElementsAre;
using ::testing::ThrowsMessage;
using Numbers = std::vector<float>;

TEST(FeatureTableTest, HasOneRowPerPair) {
  const FeatureTable table(Numbers{0, 0, 0, 1, 2, 3, 4, 5, 6}, 3);
  EXPECT_FALSE(table.empty());
  EXPECT_EQ(table.rows(), 3);
  EXPECT_EQ(table.count(), 3);
  EXPECT_THAT(table.row(0), ElementsAre(0, 0, 0));
  EXPECT_THAT(table.row(2), ElementsAre(4, 5, 6));
}

TEST(FeatureTableTest, IsEmptyByDefault) {
  const FeatureTable none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.rows(), 0);
  EXPECT_EQ(none.count(), 0);
}

TEST(FeatureTableTest, SomeRowsKeepTheirWords) {
  FeatureTable table(Numbers{0, 0, 1, 2, 3, 4}, 2, 1, true);
  TokenColumnsBuilder words;
  const std::vector<std::uint32_t> first = {5}, second = {6, 7};
  words.add({first, std::vector<std::uint8_t>(1)});
  words.add({second, std::vector<std::uint8_t>(2)});
  table.set_tokens({words.build(), 8});
  const FeatureTable some = table.of_rows(std::vector<std::uint32_t>{2, 0, 1});
  EXPECT_EQ(some.rows(), 4);
  EXPECT_EQ(some.bias_count(), 1);
  EXPECT_TRUE(some.may_miss());
  EXPECT_THAT(some.row(0), ElementsAre(0, 0));
  EXPECT_THAT(some.row(1), ElementsAre(3, 4));
  EXPECT_THAT(some.row(2), ElementsAre(0, 0));
  EXPECT_THAT(some.row(3), ElementsAre(1, 2));
  EXPECT_THAT(some.tokens()[1].tokens, ElementsAre(6, 7));
  EXPECT_THAT(some.tokens()[2].tokens, ::testing::IsEmpty());
  EXPECT_THAT(some.tokens()[3].tokens, ElementsAre(5));
  EXPECT_EQ(some.tokens().vocabulary(), 8);
}

TEST(FeatureTableTest, BiasFeaturesAreTheLastColumns) {
  const FeatureTable table(Numbers{0, 0, 0, 1, 2, 3}, 3, 1);
  EXPECT_EQ(table.bias_count(), 1);
  EXPECT_EQ(table.relevance_count(), 2);
  const ParameterView relevance = table.relevance_view(), bias = table.bias_view();
  EXPECT_EQ(relevance.columns, 2);
  EXPECT_EQ(relevance.stride, 3);
  EXPECT_EQ(static_cast<const float*>(relevance.values)[3], 1);
  EXPECT_EQ(bias.columns, 1);
  EXPECT_EQ(bias.stride, 3);
  EXPECT_EQ(static_cast<const float*>(bias.values)[3], 3);
}

TEST(FeatureTableTest, CopiesShareTheNumbers) {
  FeatureTable copy;
  ParameterView view;
  {
    const FeatureTable table(Numbers{0, 0, 1, 2}, 2);
    view = table.relevance_view();
    copy = table;
  }
  EXPECT_EQ(copy.relevance_view().values, view.values);
  EXPECT_EQ(view.values, copy.row(0).data());
  EXPECT_EQ(view.rows, 2);
  EXPECT_EQ(view.columns, 2);
  EXPECT_EQ(view.stride, 2);
}

TEST(FeatureTableTest, RejectsPartialRowsAndFeaturesOfTheUnknownPair) {
  EXPECT_THAT(
      [] {
        FeatureTable(Numbers{0, 0, 1}, 2);
      },
      ThrowsMessage<DataError>("features: 3 numbers do not fill rows of 2"));
  EXPECT_THAT([] { FeatureTable(Numbers{}, 2); },
              ThrowsMessage<DataError>("features: 0 numbers do not fill rows of 2"));
  EXPECT_THAT(
      [] {
        FeatureTable(Numbers{0, 0.5f, 1, 1}, 2);
      },
      ThrowsMessage<DataError>("features: the row of the unknown pair is not zero"));
}

}  // namespace
}  // namespace ultr::feature_table_test
