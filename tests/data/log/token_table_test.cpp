#include "data/log/token_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/log/feature_table.h"
#include "testing/errors.h"

namespace ultr::token_table_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TokenColumnsBuilder two_documents() {
  TokenColumnsBuilder words;
  words.add(std::vector<std::uint32_t>{5, 9, 6}, std::vector<std::uint8_t>{0, 1, 1});
  words.add({}, {});
  return words;
}

TEST(TokenTableTest, RowsAreDocumentsAfterTheUnknownOne) {
  const TokenTable table(two_documents().build(), 10);
  EXPECT_EQ(table.rows(), 3);
  EXPECT_EQ(table.vocabulary(), 10);
  EXPECT_THAT(table[0].tokens, IsEmpty());
  EXPECT_THAT(table[1].tokens, ElementsAre(5, 9, 6));
  EXPECT_THAT(table[1].types, ElementsAre(0, 1, 1));
  EXPECT_THAT(table[2].tokens, IsEmpty());
  EXPECT_TRUE(TokenTable().empty());
}

TEST(TokenTableTest, AVocabularyHasAllTokensOfItsDocuments) {
  EXPECT_EQ(vocabulary_of(two_documents().build()), 10);
  EXPECT_EQ(vocabulary_of({}), first_word) << "those that are no words";
}

TEST(TokenTableTest, BuildersAreJoined) {
  TokenColumnsBuilder words = two_documents();
  words.add(two_documents());
  EXPECT_EQ(words.documents(), 4u);
  const TokenTable table(words.build(), 10);
  EXPECT_THAT(table[2].tokens, IsEmpty());
  EXPECT_THAT(table[3].tokens, ElementsAre(5, 9, 6));
}

TEST(TokenTableTest, WordsAreOfTheDocumentsThatHaveFeatures) {
  FeatureTable features(std::vector<float>(3), 1);
  features.set_tokens({two_documents().build(), 10});
  EXPECT_EQ(features.tokens().rows(), features.rows());
  FeatureTable fewer(std::vector<float>(2), 1);
  EXPECT_EQ(testing::data_message([&] {
              fewer.set_tokens({two_documents().build(), 10});
            }),
            "tokens: words of 2 documents; expected those of 1, as features");
}

}  // namespace
}  // namespace ultr::token_table_test
