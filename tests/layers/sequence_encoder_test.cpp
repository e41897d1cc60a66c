#include "layers/sequence_encoder.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ultr::sequence_encoder_test {
namespace {

using ::testing::ElementsAre;
using Tokens = std::vector<std::uint32_t>;
using Types = std::vector<std::uint8_t>;

TEST(PackedSequencesTest, TextsAreSeparated) {
  PackedSequences packed;
  const Tokens tokens = {7, 8, 9, 10};
  const Types types = {0, 0, 1, 2};
  packed.append({.vocabulary = 20}, {tokens, types});
  EXPECT_THAT(packed.tokens, ElementsAre(2, 7, 8, 3, 9, 3, 10, 3));
  EXPECT_THAT(packed.types, ElementsAre(0, 0, 0, 0, 1, 1, 2, 2));
  EXPECT_THAT(packed.places, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  packed.append({.vocabulary = 20}, {});
  EXPECT_THAT(packed.offsets, ElementsAre(0, 8, 9));
}

TEST(PackedSequencesTest, LongSequencesEndWithASeparator) {
  for (std::int64_t most = 2; most < 10; ++most) {
    const SequenceLayout layout{.vocabulary = 20, .max_tokens = most};
    const Tokens tokens = {7, 8, 9, 10};
    const Types types = {0, 0, 1, 2};
    PackedSequences packed;
    packed.append(layout, {tokens, types});
    EXPECT_EQ(packed.tokens.size(), std::min<std::size_t>(static_cast<std::size_t>(most), 8));
    EXPECT_EQ(packed.tokens.size(), sequence_length(layout, {tokens, types}));
    EXPECT_EQ(packed.tokens.back(), 3u);
  }
}

TEST(PackedSequencesTest, UnknownTokensAndTypesAreReplaced) {
  PackedSequences packed;
  const Tokens tokens = {19, 20};
  const Types types = {1, 2};
  packed.append({.vocabulary = 20, .types = 2}, {tokens, types});
  EXPECT_THAT(packed.tokens, ElementsAre(2, 19, 3, 1, 3));
  EXPECT_THAT(packed.types, ElementsAre(1, 1, 1, 1, 1));
}

TEST(MaskedTokensTest, MasksAShareOfTheWordsAndNothingElse) {
  const SequenceLayout layout{.vocabulary = 1000, .max_tokens = 1000};
  Tokens tokens(800);
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::uint32_t>(5 + i);
  PackedSequences plain;
  const Types types(800, 1);
  for (int i = 0; i < 20; ++i) plain.append(layout, {tokens, types});
  PackedSequences masked = plain;
  MaskedTokens chosen;
  const Tokens key = {1, 2, 3, 4};
  mask_tokens(layout, 0.15, key, masked, chosen);
  EXPECT_NEAR(static_cast<double>(chosen.places.size()) / 16000, 0.15, 0.01);
  EXPECT_EQ(chosen.offsets.size(), 21u);
  std::size_t as_mask = 0, unchanged = 0, next = 0;
  for (std::size_t i = 0; i < plain.tokens.size(); ++i) {
    if (next == chosen.places.size() || chosen.places[next] != i) {
      ASSERT_EQ(masked.tokens[i], plain.tokens[i]);
      continue;
    }
    ASSERT_EQ(chosen.words[next++], plain.tokens[i]);
    ASSERT_GE(plain.tokens[i], 5u);
    as_mask += masked.tokens[i] == layout.mask ? 1 : 0;
    unchanged += masked.tokens[i] == plain.tokens[i] ? 1 : 0;
  }
  const auto count = static_cast<double>(chosen.places.size());
  EXPECT_NEAR(static_cast<double>(as_mask) / count, 0.8, 0.03);
  EXPECT_NEAR(static_cast<double>(unchanged) / count, 0.1, 0.03);
}

}  // namespace
}  // namespace ultr::sequence_encoder_test
