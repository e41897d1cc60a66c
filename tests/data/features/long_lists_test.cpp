#include "data/features/long_lists.h"

#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/features/feature_lists_builder.h"
#include "testing/errors.h"

namespace ultr::long_lists_test {
namespace {

using ::testing::ElementsAre;

/// Lists of the given lengths. Document i of all has id i, feature i and, if asked for, label i %
/// 5.
FeatureLists lists(const std::vector<std::size_t>& lengths, bool labels = true) {
  FeatureListsBuilder builder;
  std::uint64_t document = 0;
  for (const std::size_t length : lengths) {
    builder.start_list(100 + length);
    for (std::size_t k = 0; k < length; ++k, ++document) {
      FeatureDocument added = {.id = document, .position = static_cast<std::uint16_t>(k)};
      if (labels) added.label = static_cast<std::int32_t>(document % 5);
      builder.add(added, 1)[0] = static_cast<float>(document);
    }
  }
  return builder.build();
}

TEST(LengthPercentileTest, IsTheNearestRank) {
  const FeatureLists ten = lists({10, 1, 9, 2, 8, 3, 7, 4, 6, 5});
  EXPECT_EQ(length_percentile(ten, 90), 9u);
  EXPECT_EQ(length_percentile(ten, 90.001), 10u);
  EXPECT_EQ(length_percentile(ten, 100), 10u);
  EXPECT_EQ(length_percentile(ten, 50), 5u);
  EXPECT_EQ(length_percentile(ten, 1e-9), 1u);
  EXPECT_EQ(length_percentile(lists({4}), 10), 4u);
  std::vector<std::size_t> hundred;
  for (std::size_t length = 1; length <= 100; ++length) hundred.push_back(length);
  for (const std::size_t percent : {7u, 14u, 55u, 56u, 100u})
    EXPECT_EQ(length_percentile(lists(hundred), static_cast<double>(percent)), percent);
  for (const double wrong : {0., -1., 100.1}) EXPECT_THROW(length_percentile(ten, wrong), Error);
  EXPECT_EQ(testing::data_message([] { length_percentile(FeatureLists(), 90); }),
            "no list; expected lists to take a percentile of");
}

TEST(CutLongListsTest, ShorterListsStayAsTheyAre) {
  const FeatureLists all = lists({3, 5});
  EXPECT_EQ(cut_long_lists(all, 5, 1)[0].features.data(), all[0].features.data()) << "not copied";
  const FeatureLists cut = cut_long_lists(lists({3, 8, 1}), 5, 1);
  ASSERT_EQ(cut.lists(), 3u);
  EXPECT_THAT(cut[0].documents, ElementsAre(0, 1, 2));
  EXPECT_EQ(cut.length(1), 5u);
  EXPECT_THAT(cut[2].documents, ElementsAre(11));
  EXPECT_EQ(cut[1].query, 108u);
  EXPECT_THROW(cut_long_lists(all, 0, 1), Error);
}

TEST(CutLongListsTest, KeepsTheSharesOfLabelsAndTheOrder) {
  // 100 documents: 60 of label 0, 25 of label 1, 10 of 2, 4 of 3, 1 of 4.
  FeatureListsBuilder builder;
  builder.start_list(1);
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::uint64_t at = i * 37 % 100;  // scattered over the list
    builder.add({.id = i, .label = at < 60 ? 0 : at < 85 ? 1 : at < 95 ? 2 : at < 99 ? 3 : 4});
  }
  const FeatureLists all = builder.build();
  const auto counts = [&](std::size_t most) {
    const FeatureLists cut = cut_long_lists(all, most, 3);
    EXPECT_TRUE(std::is_sorted(cut[0].documents.begin(), cut[0].documents.end()));
    std::map<int, int> by_label;
    for (std::size_t k = 0; k < cut.length(0); ++k) {
      ++by_label[cut[0].labels[k]];
      EXPECT_EQ(cut[0].labels[k], all[0].labels[cut[0].documents[k]]);
    }
    std::vector<int> numbers;
    for (int label = 0; label < 5; ++label) numbers.push_back(by_label[label]);
    return numbers;
  };
  EXPECT_THAT(counts(100), ElementsAre(60, 25, 10, 4, 1));
  // The shares of 20 documents are 12, 5, 2, 0.8 and 0.2.
  EXPECT_THAT(counts(20), ElementsAre(12, 5, 2, 1, 0));
  // The shares of 10 documents are 6, 2.5, 1, 0.4 and 0.1.
  EXPECT_THAT(counts(10), ElementsAre(6, 3, 1, 0, 0));
  // The shares of 50 documents are 30, 12.5, 5, 2 and 0.5. Of equal remainders, the larger label
  // wins.
  EXPECT_THAT(counts(50), ElementsAre(30, 12, 5, 2, 1));
  EXPECT_THAT(counts(1), ElementsAre(1, 0, 0, 0, 0));
}

TEST(CutLongListsTest, DocumentsOfALabelAreAsLikely) {
  for (const bool labels : {true, false}) {
    std::map<std::uint64_t, int> kept;
    constexpr int draws = 2000;
    for (int seed = 0; seed < draws; ++seed) {
      const FeatureLists cut =
          cut_long_lists(lists({20}, labels), 5, static_cast<std::uint64_t>(seed));
      ASSERT_EQ(cut.length(0), 5u);
      for (const std::uint64_t document : cut[0].documents) ++kept[document];
    }
    for (std::uint64_t document = 0; document < 20; ++document)  // 5 of 20, in 5 labels of 4
      EXPECT_NEAR(kept[document] / double{draws}, 5. / 20, 5 * std::sqrt(0.25 * 0.75 / draws));
  }
}

TEST(CutLongListsTest, AListsDrawDependsOnTheSeedAndItsNumberAlone) {
  const auto kept = [](const std::vector<std::size_t>& lengths, std::uint64_t seed, std::size_t i) {
    const FeatureLists all = lists(lengths);
    const FeatureLists cut = cut_long_lists(all, 6, seed);
    std::vector<std::uint16_t> positions(cut[i].positions.begin(), cut[i].positions.end());
    return positions;
  };
  EXPECT_EQ(kept({10, 30}, 1, 1), kept({10, 30}, 1, 1));
  EXPECT_EQ(kept({5, 30}, 1, 1), kept({15, 30}, 1, 1));
  EXPECT_NE(kept({30, 30}, 1, 0), kept({30, 30}, 1, 1));
  EXPECT_NE(kept({30}, 1, 0), kept({30}, 2, 0));
}

TEST(CutLongListsTest, AllColumnsGoTogether) {
  const FeatureLists cut = cut_long_lists(lists({4, 30}), 6, 9);
  for (std::size_t k = 0; k < cut.length(1); ++k) {
    const std::uint64_t document = cut[1].documents[k];
    EXPECT_EQ(cut[1].features[k], static_cast<float>(document));
    EXPECT_EQ(cut[1].positions[k], document - 4);
    EXPECT_EQ(cut[1].labels[k], static_cast<int>(document % 5));
  }
}

TEST(KeepMostRelevantTest, KeepsTheLargestLabelsInTheirOrder) {
  // Labels are 0 1 2 | 3 4 0 1 2 3.
  const FeatureLists kept = keep_most_relevant(lists({3, 6}), 2);
  EXPECT_EQ(kept.lists(), 2u);
  EXPECT_THAT(kept.columns().documents.values(), ElementsAre(1, 2, 3, 4)) << "3 comes before 8";
  EXPECT_THAT(kept.columns().features.values(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(keep_most_relevant(lists({3, 6}), 6).documents(), 9u);
  EXPECT_EQ(testing::data_message([] { keep_most_relevant(lists({3}, false), 2); }),
            "the lists have no relevance labels; expected some to choose documents by");
  EXPECT_THROW(keep_most_relevant(lists({3}), 0), Error);
}

TEST(DropListsWithoutRelevantTest, KeepsListsWithALabelAboveZero) {
  // Labels are 0 | 1 2 3 4 | 0 | 1.
  const FeatureLists kept = drop_lists_without_relevant(lists({1, 4, 1, 1}));
  EXPECT_EQ(kept.lists(), 2u);
  EXPECT_THAT(kept.columns().documents.values(), ElementsAre(1, 2, 3, 4, 6));
  EXPECT_EQ(drop_lists_without_relevant(lists({1})).lists(), 0u);
  EXPECT_EQ(testing::data_message([] { drop_lists_without_relevant(lists({3}, false)); }),
            "the lists have no relevance labels; expected some to choose documents by");
}

}  // namespace
}  // namespace ultr::long_lists_test
