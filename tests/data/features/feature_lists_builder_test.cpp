#include "data/features/feature_lists_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "testing/errors.h"

namespace ultr::feature_lists_builder_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FeatureListsBuilderTest, CollectsListsAndTheirColumns) {
  FeatureListsBuilder builder;
  builder.start_list(7);
  auto row = builder.add({.id = 50,
                          .position = std::uint16_t{3},
                          .click = std::uint8_t{1},
                          .label = 2,
                          .propensity = 0.5f},
                         2);
  row[1] = 4;
  builder.add({.id = 51,
               .position = std::uint16_t{4},
               .click = std::uint8_t{0},
               .label = -2,
               .propensity = 1.f});
  builder.start_list(9);  // gets no document
  builder.start_list(8);
  builder.add({.id = 52,
               .position = std::uint16_t{0},
               .click = std::uint8_t{0},
               .label = 0,
               .propensity = 1.f},
              1)[0] = 5;
  EXPECT_EQ(builder.lists(), 2u);
  EXPECT_EQ(builder.documents(), 3u);
  EXPECT_EQ(builder.features(), 2u);
  const FeatureLists lists = builder.build();
  ASSERT_EQ(lists.lists(), 2u);
  EXPECT_EQ(lists[0].query, 7u);
  EXPECT_EQ(lists[1].query, 8u);
  EXPECT_THAT(lists[0].documents, ElementsAre(50, 51));
  EXPECT_THAT(lists[0].positions, ElementsAre(3, 4));
  EXPECT_THAT(lists[0].clicks, ElementsAre(1, 0));
  EXPECT_THAT(lists[0].labels, ElementsAre(2, -2));
  EXPECT_THAT(lists[0].propensities, ElementsAre(0.5f, 1.f));
  EXPECT_THAT(lists[0].features, ElementsAre(0, 4, 0, 0));
  EXPECT_THAT(lists[1].features, ElementsAre(5, 0));
}

TEST(FeatureListsBuilderTest, RowsGrowWithTheWidestDocument) {
  // In whatever order widths come, rows are as if the builder had started with the final width.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random(seed, RandomPurpose::testing, 0, 0);
    FeatureListsBuilder growing, wide(50);
    growing.start_list(0);
    wide.start_list(0);
    for (int document = 0; document < 30; ++document) {
      const std::size_t width = document == 17 ? 50 : random.bits() % 51;
      const auto a = growing.add({}, width), b = wide.add({}, width);
      for (std::size_t i = 0; i < width; ++i)
        a[i] = b[i] = static_cast<float>(100 * document) + static_cast<float>(i);
    }
    const FeatureLists x = growing.build(), y = wide.build();
    ASSERT_EQ(x.features(), 50u);
    EXPECT_THAT(x[0].features, ::testing::ElementsAreArray(y[0].features));
  }
}

TEST(FeatureListsBuilderTest, OmitsFeaturesAndColumnsThatDocumentsLack) {
  FeatureListsBuilder builder;
  EXPECT_EQ(FeatureListsBuilder().build().lists(), 0u);
  builder.start_list(1);
  EXPECT_THAT(builder.add({}), IsEmpty());
  const FeatureLists lists = builder.build();
  EXPECT_EQ(lists.documents(), 1u);
  EXPECT_THAT(lists[0].labels, IsEmpty());
}

TEST(FeatureListsBuilderTest, RejectsColumnsOfSomeDocuments) {
  FeatureListsBuilder builder;
  builder.start_list(1);
  builder.add({.label = 1});
  builder.add({});
  EXPECT_EQ(data_message([&] { builder.build(); }),
            "labels: 1 for 2 documents; expected one for each, or none");
  FeatureListsBuilder early;
  EXPECT_THROW(early.add({}), Error);
}

TEST(FeatureListsBuilderTest, HandsOverWholeListsInParts) {
  std::vector<std::vector<std::size_t>> lengths;  // lengths of the lists of each part
  FeatureListsBuilder builder(2, {.numbers = 6, .take = [&](const FeatureLists& part) {
                                    EXPECT_EQ(part.features(), 2u);
                                    lengths.emplace_back();
                                    for (std::size_t i = 0; i < part.lists(); ++i)
                                      lengths.back().push_back(part.length(i));
                                  }});
  for (const std::uint64_t length : {1, 2, 4, 1}) {
    builder.start_list(length);
    for (std::uint64_t k = 0; k < length; ++k) builder.add({.label = 1})[1] = 3;
  }
  EXPECT_EQ(builder.lists(), 4u);
  EXPECT_EQ(builder.documents(), 8u);
  builder.finish_part();
  builder.finish_part();
  EXPECT_THAT(lengths, ElementsAre(ElementsAre(1, 2), ElementsAre(4), ElementsAre(1)))
      << "three documents of two features are six numbers";
  EXPECT_EQ(builder.lists(), 4u);
  EXPECT_EQ(builder.documents(), 8u);
}

}  // namespace
}  // namespace ultr::feature_lists_builder_test
