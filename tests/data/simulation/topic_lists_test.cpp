#include <algorithm>
#include <array>
#include <set>

#include <gtest/gtest.h>

#include "data/features/lexical_features.h"
#include "testing/make_lists.h"

namespace ultr::topic_lists_test {
namespace {

constexpr std::uint32_t words_per_topic = 30, topics = 20;
const std::string small = "{train_queries: 300, valid_queries: 50, test_queries: 100}";

/// Returns the topic of a token, or `topics` for common words.
std::uint32_t topic_of(std::uint32_t token) {
  return std::min((token - static_cast<std::uint32_t>(first_word)) / words_per_topic, topics);
}

TEST(TopicListsTest, DocumentsHaveWordsOfQueryTitleAndAbstract) {
  const FeatureLists lists = testing::make_lists("topics", small).train;
  ASSERT_TRUE(lists.has_words());
  EXPECT_EQ(lists.features(), lexical_feature_names.size());
  for (std::size_t d = 0; d < lists.documents(); ++d) {
    const DocumentTokens words = lists.words(d);
    std::array<int, 3> counts{};
    for (const std::uint8_t type : words.types) ++counts.at(type);
    EXPECT_EQ(counts, (std::array<int, 3>{2, 5, 15}));
    EXPECT_TRUE(std::is_sorted(words.types.begin(), words.types.end()));
    EXPECT_EQ(topic_of(words.tokens[0]), topic_of(words.tokens[1]));
  }
}

TEST(TopicListsTest, LabelsSayHowManyWordsAreOfTheTopicOfTheQuery) {
  const FeatureLists lists = testing::make_lists("topics", small).train;
  std::array<double, 5> of_topic{}, words_of_label{};
  for (std::size_t d = 0; d < lists.documents(); ++d) {
    const DocumentTokens words = lists.words(d);
    const auto label = static_cast<std::size_t>(lists.columns().labels[d]);
    for (std::size_t i = 2; i < words.tokens.size(); ++i) {
      ++words_of_label.at(label);
      of_topic.at(label) += topic_of(words.tokens[i]) == topic_of(words.tokens[0]) ? 1 : 0;
    }
  }
  for (std::size_t y = 0; y < of_topic.size(); ++y)
    EXPECT_NEAR(of_topic[y] / words_of_label[y], 0.2 * static_cast<double>(y), 0.02) << y;
}

TEST(TopicListsTest, ADocumentAloneSaysNothing) {
  // The most frequent topic of a document's words is as often relevant as any other.
  const FeatureLists lists = testing::make_lists("topics", "{train_queries: 4000}").train;
  std::array<double, topics> relevant{}, count{};
  for (std::size_t d = 0; d < lists.documents(); ++d) {
    std::array<int, topics + 1> words{};
    for (const std::uint32_t token : lists.words(d).tokens.subspan(2)) ++words.at(topic_of(token));
    const auto topic =
        static_cast<std::size_t>(std::max_element(words.begin(), words.end() - 1) - words.begin());
    ++count.at(topic);
    relevant.at(topic) += lists.columns().labels[d] > 0 ? 1 : 0;
  }
  for (std::size_t t = 0; t < topics; ++t) EXPECT_NEAR(relevant[t] / count[t], 0.6, 0.06) << t;
}

TEST(TopicListsTest, SyntheticListsKeepTheirWordsIfAsked) {
  const std::string options = "{train_queries: 5, valid_queries: 1, test_queries: 1";
  const auto plain = testing::make_lists("synthetic", options + "}");
  const auto words = testing::make_lists("synthetic", options + ", words: true}");
  EXPECT_FALSE(plain.train.has_words());
  ASSERT_TRUE(words.train.has_words());
  const auto features = words.train[0].features;
  EXPECT_TRUE(std::ranges::equal(features, plain.train[0].features));
  std::array<float, 3> counts{};  // query, title and abstract length are the first features
  for (const std::uint8_t type : words.train.words(0).types) ++counts.at(type);
  for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(counts.at(i), features[i]);
}

}  // namespace
}  // namespace ultr::topic_lists_test
