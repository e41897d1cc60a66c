#include "data/text/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::vocabulary_test {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for_each_word(text, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

TEST(VocabularyTest, WordsStandBetweenSpaces) {
  EXPECT_THAT(words_of(" red  shoes,\tsize 42\n"), ElementsAre("red", "shoes,", "size", "42"));
  EXPECT_THAT(words_of("  "), ElementsAre());
  EXPECT_THAT(words_of(""), ElementsAre());
}

TEST(VocabularyTest, NewWordsGetTheNextTokenUntilItIsComplete) {
  Vocabulary vocabulary;
  EXPECT_EQ(vocabulary.add("red"), 5u);
  EXPECT_EQ(vocabulary.add("shoes"), 6u);
  EXPECT_EQ(vocabulary.add("red"), 5u);
  EXPECT_EQ(vocabulary.tokens(), 7);
  vocabulary.complete();
  EXPECT_EQ(vocabulary.add("blue"), unknown_word);
  EXPECT_EQ(vocabulary.add("shoes"), 6u);
  EXPECT_EQ(vocabulary.find("blue"), unknown_word);
  EXPECT_EQ(vocabulary.words(), 2u);
}

TEST(VocabularyTest, RareWordsAreDroppedAndTheOthersRenumbered) {
  Vocabulary vocabulary;
  TokenColumnsBuilder documents;
  for (const std::string text : {"a b c", "c b", "c d"}) {
    std::vector<std::uint32_t> tokens;
    for_each_word(text, [&](std::string_view word) { tokens.push_back(vocabulary.add(word)); });
    documents.add(tokens, std::vector<std::uint8_t>(tokens.size()));
  }
  const TokenColumns kept = vocabulary.drop_rare(2, documents.build());
  EXPECT_EQ(vocabulary.words(), 2u);
  EXPECT_EQ(vocabulary.find("b"), 5u);
  EXPECT_EQ(vocabulary.find("c"), 6u);
  EXPECT_EQ(vocabulary.find("a"), unknown_word);
  EXPECT_THAT(std::vector<std::uint32_t>(kept.tokens.begin(), kept.tokens.end()),
              ElementsAre(1, 5, 6, 6, 5, 6, 1));
  EXPECT_EQ(kept.offsets.size(), 4u);
}

TEST(VocabularyTest, ComesBackFromAFileComplete) {
  const testing::TemporaryFolder folder;
  Vocabulary vocabulary;
  for (const char* word : {"red", "shoes,", "größe"}) vocabulary.add(word);
  vocabulary.save(folder.path() / "words.txt");
  Vocabulary read = Vocabulary::load(folder.path() / "words.txt");
  EXPECT_EQ(read.tokens(), vocabulary.tokens());
  EXPECT_EQ(read.find("größe"), vocabulary.find("größe"));
  EXPECT_EQ(read.add("blue"), unknown_word);
  const auto twice = folder.write("twice.txt", "red\nblue\nred\n");
  EXPECT_THAT(testing::data_message([&] { Vocabulary::load(twice); }),
              ::testing::HasSubstr("twice.txt:3: the word 'red' again; expected each word once"));
}

}  // namespace
}  // namespace ultr::vocabulary_test
