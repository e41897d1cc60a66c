#include "runs/results/words_read.h"

#include <gtest/gtest.h>

namespace ultr::words_read_test {
namespace {

/// Documents of one query word and `title` title words.
TokenTable documents(std::initializer_list<std::size_t> titles, std::uint32_t word) {
  TokenColumnsBuilder columns;
  for (const std::size_t title : titles) {
    std::vector<std::uint32_t> tokens(1 + title, word);
    std::vector<std::uint8_t> types(1 + title, 1);
    types[0] = 0;
    columns.add(tokens, types);
  }
  return {columns.build(), 100};
}

TEST(WordsReadTest, CountsAgreeWithTheSequencesThatEncodersRead) {
  const SequenceLayout layout{.vocabulary = 50, .max_tokens = 6};
  for (std::size_t title = 0; title < 9; ++title) {
    const TokenTable table = documents({title}, 7);
    PackedSequences sequences;
    sequences.append(layout, {table[1].tokens, table[1].types});
    std::size_t read = 0;
    for (const std::uint32_t token : sequences.tokens) read += token == 7 ? 1 : 0;
    const WordCounts counts = count_words(layout, table, std::vector<std::uint32_t>{1});
    EXPECT_EQ(counts.documents, 1u);
    EXPECT_EQ(counts.words, 1 + title);
    EXPECT_EQ(counts.words - counts.cut, read) << title;
    EXPECT_EQ(counts.truncated, read < 1 + title ? 1u : 0u) << title;
    EXPECT_EQ(counts.unknown, 0u);
  }
}

TEST(WordsReadTest, UnknownWordsAreThoseThatAreReadAsUnknown) {
  const SequenceLayout layout{.vocabulary = 50, .max_tokens = 6};
  for (const std::uint32_t unknown : {1u, 50u, 99u}) {
    const WordCounts counts =
        count_words(layout, documents({2, 8}, unknown), std::vector<std::uint32_t>{1, 2});
    EXPECT_EQ(counts.words, 12u);
    EXPECT_EQ(counts.unknown, counts.words - counts.cut);
    EXPECT_EQ(counts.truncated, 1u);
  }
}

TEST(WordsReadTest, TheMostFrequentWordIsAKnownOneThatIsRead) {
  const SequenceLayout layout{.vocabulary = 50, .max_tokens = 6};
  TokenColumnsBuilder columns;
  const auto add = [&](const std::vector<std::uint32_t>& title) {
    std::vector<std::uint8_t> types(title.size(), 1);
    columns.add(title, types);
  };
  add({60, 7, 60, 60, 8, 8, 8});  // unknown words, and words beyond the fourth, do not count
  add({7, 8, 9});
  const TokenTable table(columns.build(), 100);
  EXPECT_EQ(count_words(layout, table, std::vector<std::uint32_t>{1, 2}).most_frequent, 2u);
}

TEST(WordsReadTest, AccuraciesAreThoseOfTheBestEpochs) {
  const std::string name = masked_accuracy_of("relevance");
  TrainingResult words, ranking;
  for (const double accuracy : {0.25, 0.5, 0.125}) {
    words.epochs.push_back({.valid = ValidationScores()});
    words.epochs.back().valid->values = {{"loss", 1}, {name, accuracy}};
  }
  words.best_epoch = 2;
  ranking.epochs = {{.valid = ValidationScores()}, {}};
  std::vector<WordsRead> all = {{"relevance", {}, {}}, {"other", {}, {}}};
  for (const TrainingResult& stage : {words, ranking, TrainingResult()})
    set_masked_accuracy(stage, all);
  EXPECT_EQ(all[0].masked_accuracy, 0.5);
  EXPECT_FALSE(all[1].masked_accuracy);
}

TEST(WordsReadTest, ResultsHaveShares) {
  const SequenceLayout layout{.vocabulary = 50, .max_tokens = 6};
  const std::vector<WordsRead> all = {
      {"relevance", layout, {{"train", {10, 40, 8, 3, 4, 7}}, {"test", {}}}, 0.25}};
  const auto json = words_json(all)["relevance"];
  EXPECT_EQ(json["max_tokens"], 6);
  EXPECT_EQ(json["vocabulary"], 50);
  EXPECT_EQ(json["cls_token"], 2);
  EXPECT_EQ(json["train"]["documents"], 10);
  EXPECT_EQ(json["train"]["words"], 40);
  EXPECT_DOUBLE_EQ(json["train"]["unknown_share"], 4. / 32);
  EXPECT_DOUBLE_EQ(json["train"]["truncated_share"], 0.3);
  EXPECT_DOUBLE_EQ(json["train"]["cut_share"], 0.2);
  EXPECT_DOUBLE_EQ(json["train"]["most_frequent_share"], 7. / 28);
  EXPECT_EQ(json["test"]["cut_share"], 0);
  EXPECT_EQ(json["masked_accuracy"], 0.25);
}

}  // namespace
}  // namespace ultr::words_read_test
