#include "data/formats/baidu_annotations.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/baidu_text.h"
#include "data/formats/baidu_lines.h"
#include "data/read_features.h"
#include "testing/golden.h"

namespace ultr::baidu_annotations_test {
namespace {

using testing::baidu_annotation;
using ::testing::ElementsAre;
using testing::feature_message;
using ::testing::IsEmpty;
using testing::read_features;
using testing::TemporaryFolder;

TEST(BaiduAnnotationsTest, QueriesAreIdentifiedByTheirText) {
  const TemporaryFolder folder;
  const auto file = folder.write("annotations.txt", baidu_annotation(0, {1, 2}, {4}, {5}, 3) +
                                                        baidu_annotation(0, {3}, {4}, {5}, 0) +
                                                        baidu_annotation(1, {1, 2}, {}, {6}, 4));
  const FeatureLists lists = read_features("baidu_annotations", {file}).lists;
  ASSERT_EQ(lists.lists(), 2u);
  EXPECT_EQ(lists[0].query, text_id(testing::baidu_tokens({1, 2})));
  EXPECT_THAT(lists[0].labels, ElementsAre(3, 4)) << "two qids, one query";
  EXPECT_THAT(lists[0].documents, ElementsAre(text_id("4\t5"), text_id("\t6")));
  EXPECT_EQ(lists[1].query, text_id("3"));
  EXPECT_THAT(lists[1].labels, ElementsAre(0)) << "one qid, two queries";
  EXPECT_THAT(lists[0].clicks, IsEmpty());
  EXPECT_THAT(lists[0].positions, IsEmpty());
}

TEST(BaiduAnnotationsTest, PreparedAsInThePaper) {
  std::string text = baidu_annotation(0, {1}, {21429}, {5}, 3);
  for (int i = 0; i < 5; ++i) text += baidu_annotation(0, {1}, {4}, {i}, i);
  for (int i = 0; i < 4; ++i) text += baidu_annotation(1, {2}, {4}, {i}, i);
  const TemporaryFolder folder;
  const auto file = folder.write("annotations.txt", text);
  EXPECT_EQ(read_features("baidu_annotations", {file}).lists.documents(), 10u);
  const FeatureLists lists = read_features("baidu_annotations", {file}, "prepare: true").lists;
  ASSERT_EQ(lists.lists(), 1u);
  EXPECT_THAT(lists[0].labels, ElementsAre(0, 1, 2, 3, 4));
}

TEST(BaiduAnnotationsTest, ReportsLineAndErrorOfMalformedInput) {
  const auto message = [](const std::string& line) {
    return feature_message("baidu_annotations", baidu_annotation(0, {1}, {2}, {3}, 0) + line);
  };
  EXPECT_EQ(message("0\t1\t2\t3\t5\t8\n"),
            ":2: the label is '5'; expected a whole number from 0 to 4");
  EXPECT_EQ(message("0\tx\t2\t3\t4\t8\n"),
            ":2: a token of the query is 'x'; expected a whole number from 0 to 1048575");
  EXPECT_EQ(message("0\t1\t2\t3\t4\n"),
            ":2: 5 fields; expected 3 of a query or 32 of a document in a click log, 6 of an "
            "annotation");
  EXPECT_EQ(message(testing::baidu_query({1})),
            ":2: a click log; expected an annotation: qid, query, title, abstract, label and "
            "bucket");
}

TEST(BaiduAnnotationsDataTest, FiveHundredJudgedPairs) {
  ULTR_NEEDS_DATA();
  const auto file = *testing::data_folder() / "baidu-ultr" / "annotations.txt";
  const auto [lists, notes] = read_features("baidu_annotations", {file});
  EXPECT_EQ(lists.lists(), 9u);
  EXPECT_EQ(lists.documents(), 500u);
  EXPECT_EQ(lists.length(0), 59u);
  EXPECT_EQ(lists.length(8), 36u);
  EXPECT_THAT(notes, IsEmpty());
  std::multiset<int> labels(lists.columns().labels.begin(), lists.columns().labels.end());
  EXPECT_EQ(labels.count(0), 314u);
  EXPECT_EQ(labels.count(4), 2u);
  // Numbers of words of the query, the title, the abstract and both of the first line.
  EXPECT_THAT(lists[0].features.first(4), ElementsAre(11, 17, 1, 17 + 1));
  // Relevant documents match the words of their query better.
  const auto mean = [&, &all = lists](std::size_t feature, bool relevant) {
    double sum = 0, documents = 0;
    for (std::size_t i = 0; i < all.documents(); ++i)
      if ((all.columns().labels[i] > 1) == relevant) {
        sum += all.columns().features[i * all.features() + feature];
        ++documents;
      }
    return sum / documents;
  };
  constexpr std::size_t overlap = 4, bm25 = 7;
  EXPECT_GT(mean(overlap, true), mean(overlap, false));
  EXPECT_GT(mean(bm25, true), mean(bm25, false));
}

}  // namespace
}  // namespace ultr::baidu_annotations_test
