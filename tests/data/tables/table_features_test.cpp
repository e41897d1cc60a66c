#include "data/tables/table_features.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/log/id_names.h"
#include "data/text/vocabulary.h"
#include "options/config_tree.h"
#include "options/read.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::table_features_test {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

/// Reads a text as lists of documents with features.
FeatureLists read(const std::string& text, const std::string& options,
                  const FeatureReading& reading = {}) {
  const testing::TemporaryFolder folder;
  TableFeatures format;
  read_options(parse_config(options, "test"), format);
  std::vector<std::string> notes;
  return format.read({folder.write("lists.csv", text)}, reading, notes);
}

std::string message(const std::string& text, const std::string& options,
                    const FeatureReading& reading = {}) {
  return testing::data_message([&] { read(text, options, reading); });
}

const std::string options = "columns: {features: [price, rating], bias_features: [height]}";

TEST(TableFeaturesTest, ReadsJudgedListsOfQueriesWithTheirFeatures) {
  IdNames names;
  const FeatureLists lists = read(
      "query,document,label,height,rating,price\nred shoes,A,2,10,4,1.5\nhat,B,0,20,5,2\n"
      "red shoes,C,-2,30,3,-1e3\n",
      options, {.names = &names});
  ASSERT_EQ(lists.lists(), 2u);
  EXPECT_EQ(names.text(lists[0].query), "red shoes");
  EXPECT_EQ(names.text(lists[0].documents[1]), "C");
  EXPECT_THAT(lists[0].labels, ElementsAre(2, -2));
  EXPECT_THAT(lists[0].features, ElementsAre(1.5f, 4.f, 10.f, -1000.f, 3.f, 30.f));
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 1));
  EXPECT_TRUE(lists[0].clicks.empty());
}

const std::string of_words =
    "columns: {query_words: query, title: name, abstract: text, features: [price]}";
constexpr const char* words =
    "query,document,label,price,name,text\nred shoes,A,2,1,Red  shoes,a pair\n"
    "hat,B,0,2,,\nred shoes,C,1,3,shoes,\n";

TEST(TableFeaturesTest, WordsBecomeTokensOfQueryTitleAndAbstract) {
  Vocabulary vocabulary;
  const FeatureLists lists = read(words, of_words, {.vocabulary = &vocabulary});
  ASSERT_TRUE(lists.has_words());
  // red shoes Red a pair hat: from 5
  EXPECT_THAT(lists.words(0).tokens, ElementsAre(5, 6, 7, 6, 8, 9));
  EXPECT_THAT(lists.words(0).types, ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_THAT(lists.words(1).tokens, ElementsAre(5, 6, 6)) << "the list has document C";
  EXPECT_THAT(lists.words(2).tokens, ElementsAre(10));
  EXPECT_EQ(vocabulary.words(), 6u);
  vocabulary.complete();
  const FeatureLists others = read("query,document,label,price,name,text\nblue shoes,A,2,1,Red,\n",
                                   of_words, {.features = 1, .vocabulary = &vocabulary});
  EXPECT_THAT(others.words(0).tokens, ElementsAre(unknown_word, 6, 7));
}

TEST(TableFeaturesTest, DocumentsWithWordsAloneHaveTheirNumberAsAFeature) {
  Vocabulary vocabulary;
  const FeatureLists lists =
      read(words, "columns: {title: name, abstract: text}", {.vocabulary = &vocabulary});
  EXPECT_EQ(lists.features(), 1u);
  EXPECT_THAT(lists[0].features, ElementsAre(4, 1));
  EXPECT_THAT(lists[1].features, ElementsAre(0));
  EXPECT_THAT(testing::config_message([&] { read(words, of_words); }),
              HasSubstr("columns.query_words, title and abstract are for training"));
}

TEST(TableFeaturesTest, ReadsListsOfSessionsWithTheirClicks) {
  const FeatureLists lists = read(
      "session,query,document,position,click,label,p,height,rating,price\n"
      "s,q,A,2,1,3,0.5,1,2,3\nt,q,A,1,0,3,1,4,5,6\ns,q,B,1,0,0,0.25,7,8,9\n",
      "columns: {features: [price, rating], bias_features: [height], propensity: p}");
  ASSERT_EQ(lists.lists(), 2u);
  EXPECT_THAT(lists[0].clicks, ElementsAre(0, 1));
  EXPECT_THAT(lists[0].labels, ElementsAre(0, 3));
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 1));
  EXPECT_THAT(lists[0].propensities, ElementsAre(0.25f, 0.5f));
  EXPECT_THAT(lists[0].features, ElementsAre(9, 8, 7, 3, 2, 1));
}

TEST(TableFeaturesTest, ReadsListsThatAreLongerThanClickLogsMayBe) {
  std::string text = "query,document,label,price,rating,height\n";
  for (int i = 0; i < 300; ++i) text += "q," + std::to_string(i) + ",0,1,2,3\n";
  EXPECT_EQ(read(text, options).length(0), 300u);
}

TEST(TableFeaturesTest, TheLastFeaturesAreTheBiasFeatures) {
  TableFeatures format;
  read_options(parse_config(options, "test"), format);
  EXPECT_THAT(format.bias_features(), ElementsAre(3));
}

TEST(TableFeaturesTest, RejectsFeaturesThatAreNotThereOrNoNumbers) {
  EXPECT_THAT(
      message("query,document,label,price,ratings,height\n", options),
      HasSubstr(":1: has no column 'rating'; expected data.reader.columns.features to be one of "
                "'query', 'document', 'label', 'price', 'ratings', 'height' (did you mean "
                "'ratings'?)"));
  for (const std::string cell : {"", "nan", "x"})
    EXPECT_THAT(
        message("query,document,price,rating,height\nq,A,1,2,3\nq,B," + cell + ",2,3\n", options),
        HasSubstr(":3: column 'price' is '" + cell + "'; expected a finite number"));
  EXPECT_THAT(message("query,document,price,rating,height\nq,A,,2,3\n", options),
              EndsWith("expected a finite number (or data.scaling.missing: keep, for "
                       "boosted_trees)"));
  EXPECT_THAT(message("query,document,price,rating,height\nq,A,1,2,3\n", options, {.features = 2}),
              HasSubstr("name 3 columns; expected 2, as the training files have"));
}

TEST(TableFeaturesTest, EmptyCellsMayBeMissingFeatures) {
  const FeatureReading reading = {.missing = true};
  const FeatureLists lists =
      read("query,document,price,rating,height\nq,A,,2,3\nq,B,NaN,2,nan\n", options, reading);
  EXPECT_TRUE(lists.columns().missing);
  const auto features = lists[0].features;
  for (const std::size_t i : {0u, 3u, 5u}) EXPECT_TRUE(std::isnan(features[i])) << i;
  EXPECT_EQ(features[1], 2);
  EXPECT_THAT(message("query,document,price,rating,height\nq,A,x,2,3\n", options, reading),
              HasSubstr("column 'price' is 'x'; expected a finite number"));
}

}  // namespace
}  // namespace ultr::table_features_test
