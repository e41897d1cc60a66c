#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/features/feature_lists.h"
#include "data/features/feature_lists_builder.h"

namespace ultr::select_documents_test {
namespace {

using ::testing::ElementsAre;
using Kept = std::vector<std::size_t>;

/// Returns lists 10, 11 and 12 with 2, 1 and 3 documents; document i has id i, features (i, -i).
FeatureLists three_lists() {
  FeatureListsBuilder builder(2);
  std::uint64_t document = 0;
  for (const auto& [query, length] : {std::pair(10u, 2u), {11u, 1u}, {12u, 3u}}) {
    builder.start_list(query);
    for (std::size_t k = 0; k < length; ++k, ++document) {
      const auto row = builder.add({.id = document, .label = 1});
      row[0] = static_cast<float>(document);
      row[1] = -static_cast<float>(document);
    }
  }
  return builder.build();
}

TEST(SelectDocumentsTest, KeepsWholeRowsInTheirLists) {
  const FeatureLists some = select_documents(three_lists(), Kept{1, 3, 5});
  ASSERT_EQ(some.lists(), 2u) << "list 11 keeps none";
  EXPECT_EQ(some[0].query, 10u);
  EXPECT_EQ(some[1].query, 12u);
  EXPECT_THAT(some[0].documents, ElementsAre(1));
  EXPECT_THAT(some[1].documents, ElementsAre(3, 5));
  EXPECT_THAT(some[1].features, ElementsAre(3, -3, 5, -5));
  EXPECT_THAT(some[1].labels, ElementsAre(1, 1));
  EXPECT_TRUE(some[1].clicks.empty()) << "there were none";
}

TEST(SelectDocumentsTest, SelectingAllSharesColumnsAndNoneRemovesLists) {
  const FeatureLists all = three_lists();
  EXPECT_EQ(select_documents(all, Kept{0, 1, 2, 3, 4, 5})[0].features.data(),
            all[0].features.data());
  EXPECT_EQ(select_documents(all, Kept{}).lists(), 0u);
}

}  // namespace
}  // namespace ultr::select_documents_test
