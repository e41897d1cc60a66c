#include "data/features/lambdamart.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <set>
#include <span>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "testing/errors.h"

namespace ultr::lambdamart_test {
namespace {

/// 30 lists of 20 documents with three features, uniform on [0, 1). The label is five times the
/// second feature, rounded down: 0 to 4.
struct Lists {
  std::vector<float> features;
  std::vector<std::uint32_t> sizes = std::vector<std::uint32_t>(30, 20);
  std::vector<std::int32_t> labels;

  explicit Lists(std::uint64_t seed) {
    RandomStream random(seed, RandomPurpose::testing, 0, 0);
    for (int document = 0; document < 30 * 20; ++document) {
      for (int feature = 0; feature < 3; ++feature)
        features.push_back(static_cast<float>(random.uniform()));
      labels.push_back(static_cast<std::int32_t>(5 * features[features.size() - 2]));
    }
  }
  LabelledLists view() const {
    return {.features = features, .feature_count = 3, .list_sizes = sizes, .labels = labels};
  }
};

/// Returns the share of lists whose document with the highest score has the highest label.
double best_on_top(const Lists& lists, const std::vector<double>& scores) {
  double hits = 0;
  for (std::size_t first = 0; first < scores.size(); first += 20) {
    const auto list = std::span(scores).subspan(first, 20);
    const auto top = std::max_element(list.begin(), list.end()) - list.begin();
    const auto labels = std::span(lists.labels).subspan(first, 20);
    hits +=
        labels[static_cast<std::size_t>(top)] == *std::max_element(labels.begin(), labels.end());
  }
  return hits / static_cast<double>(lists.sizes.size());
}

TEST(LambdaMartTest, LearnsToRankHeldOutLists) {
  const Lists train(1), test(2);
  const LambdaMart trees(train.view(), {}, 1);
  EXPECT_EQ(trees.trees(), 100);
  EXPECT_EQ(trees.features(), 3u);
  EXPECT_EQ(best_on_top(test, trees.score(test.features)), 1);
  EXPECT_LT(best_on_top(test, std::vector<double>(test.labels.size())), 0.5) << "without trees";
}

TEST(LambdaMartTest, TheSameSeedGivesTheSameTrees) {
  const Lists lists(1);
  LambdaMartOptions shares;
  shares.document_share = 0.5;
  shares.feature_share = 0.7;
  for (const LambdaMartOptions& options : {LambdaMartOptions{}, shares}) {
    const LambdaMart one(lists.view(), options, 7);
    const LambdaMart other(Lists(3).view(), options, 8);  // training another model changes nothing
    EXPECT_EQ(one.score(lists.features),
              LambdaMart(lists.view(), options, 7).score(lists.features));
  }
  EXPECT_NE(LambdaMart(lists.view(), shares, 7).score(lists.features),
            LambdaMart(lists.view(), shares, 8).score(lists.features));
  EXPECT_NO_THROW(LambdaMart(lists.view(), shares, ~std::uint64_t{0}));
}

TEST(LambdaMartTest, ATreeHasOneValuePerLeaf) {
  const Lists lists(1);
  for (const std::int64_t leaves : {2, 3, 5}) {
    LambdaMartOptions options;
    options.trees = 1;
    options.leaves = leaves;
    const std::vector<double> scores = LambdaMart(lists.view(), options, 1).score(lists.features);
    EXPECT_EQ(std::set<double>(scores.begin(), scores.end()).size(),
              static_cast<std::size_t>(leaves));
  }
}

TEST(LambdaMartTest, TheLearningRateScalesATree) {
  const Lists lists(1);
  LambdaMartOptions slow, fast;
  slow.trees = fast.trees = 1;
  slow.learning_rate = 0.125;
  fast.learning_rate = 0.5;
  const std::vector<double> one = LambdaMart(lists.view(), slow, 1).score(lists.features),
                            four = LambdaMart(lists.view(), fast, 1).score(lists.features);
  for (std::size_t i = 0; i < one.size(); ++i)
    EXPECT_NEAR(four[i] - four[0], 4 * (one[i] - one[0]), 1e-5);
}

TEST(LambdaMartTest, FirstTreesEqualThoseOfAShorterTraining) {
  const Lists lists(1);
  LambdaMartOptions few;
  few.trees = 7;
  const LambdaMart all(lists.view(), {}, 1);
  EXPECT_EQ(all.score(lists.features, 7), LambdaMart(lists.view(), few, 1).score(lists.features));
  EXPECT_EQ(all.score(lists.features, 100), all.score(lists.features));
  EXPECT_NE(all.score(lists.features, 7), all.score(lists.features));
}

TEST(LambdaMartTest, LeavesNoThreadBehind) {
  const auto threads = [] {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  const auto before = threads();
  const Lists lists(1);
  LambdaMart(lists.view(), {}, 1).score(lists.features);
  EXPECT_EQ(threads(), before);
}

TEST(LambdaMartTest, RejectsListsWithoutValidLabels) {
  const Lists lists(1);
  const auto message = [&](const std::function<void(LabelledLists&)>& change) {
    LabelledLists changed = lists.view();
    change(changed);
    return testing::message_of<Error>([&] { LambdaMart(changed, {}, 1); });
  };
  EXPECT_EQ(message([](LabelledLists& l) { l.feature_count = 7; }),
            "1800 numbers do not fill rows of 7 features");
  EXPECT_EQ(message([](LabelledLists& l) { l.feature_count = 0; }),
            "1800 numbers do not fill rows of 0 features");
  EXPECT_EQ(message([](LabelledLists& l) { l.labels = l.labels.first(599); }),
            "LambdaMART was given 600 rows of features, 599 labels and lists of 600 documents; "
            "expected the same number of each, at least 1");
  EXPECT_EQ(message([](LabelledLists& l) { l.list_sizes = l.list_sizes.first(29); }),
            "LambdaMART was given 600 rows of features, 600 labels and lists of 580 documents; "
            "expected the same number of each, at least 1");
  const std::vector<std::uint32_t> sizes = {600, 0};
  EXPECT_EQ(message([&](LabelledLists& l) { l.list_sizes = sizes; }),
            "LambdaMART was given a list without documents");
  for (const std::int32_t label : {-2, 31}) {
    std::vector<std::int32_t> labels = lists.labels;
    labels[3] = label;
    EXPECT_EQ(message([&](LabelledLists& l) { l.labels = labels; }),
              fmt::format("LambdaMART was given label {}; expected 0 to 30", label));
  }
  std::vector<float> infinite = lists.features;
  infinite[5] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(message([&](LabelledLists& l) { l.features = infinite; }),
              ::testing::StartsWith("XGBoost: "));
}

TEST(LambdaMartTest, RejectsDocumentsWithOtherFeatures) {
  const Lists lists(1);
  const LambdaMart trees(lists.view(), {}, 1);
  EXPECT_TRUE(trees.score({}).empty());
  EXPECT_EQ(testing::message_of<Error>([&] { trees.score(std::vector<float>(4)); }),
            "4 numbers do not fill rows of 3 features");
  for (const std::int64_t count : {0, 101})
    EXPECT_EQ(testing::message_of<Error>([&] { trees.score(lists.features, count); }),
              fmt::format("asked for {} trees; expected 1 to 100", count));
}

}  // namespace
}  // namespace ultr::lambdamart_test
