#include "layers/embedding.h"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/reductions.h"
#include "layers/listed_inputs.h"

namespace ultr {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::logits_of;

EmbeddingOptions options(bool baseline = true, double spread = 0.01) {
  EmbeddingOptions options;
  options.baseline = baseline;
  options.spread = spread;
  return options;
}

LayerSetting setting(std::int64_t rows) {
  return {.name = "attraction",
          .domain = Domain::document,
          .entries = rows,
          .unknown = 1,
          .start = 1.25};
}

std::vector<std::uint32_t> first_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

TEST(EmbeddingTest, ALogitIsTheBaselinePlusTheRowsOffset) {
  Embedding layer(options(), setting(4));
  Parameter &baseline = *layer.parameters()[0], &rows = *layer.parameters()[1];
  baseline.fill(0.5f);
  rows.assign(std::vector<float>{0, 1, -2, 4});
  EXPECT_THAT(logits_of(layer, {3, 1, 1, 2, 0}),
              ElementsAre(0.5 + 4, 0.5 + 1, 0.5 + 1, 0.5 - 2, 0.5));
}

TEST(EmbeddingTest, WithoutBaselineALogitIsTheRow) {
  Embedding layer(options(false), setting(4));
  ASSERT_EQ(layer.parameters().size(), 1u);
  layer.parameters()[0]->assign(std::vector<float>{0, 1, -2, 4});
  EXPECT_THAT(logits_of(layer, {3, 2, 0}), ElementsAre(4, -2, 0));
}

TEST(EmbeddingTest, TheUnknownRowStartsExactlyAtTheStart) {
  for (const bool baseline : {true, false}) {
    const Embedding layer(options(baseline, 0.3), setting(50));
    const auto logits = logits_of(layer, first_rows(50));
    EXPECT_EQ(logits[0], 1.25);
    EXPECT_NE(logits[1], 1.25);
    EXPECT_NE(logits[1], logits[2]);
  }
}

TEST(EmbeddingTest, WithoutSpreadAllRowsStartAtTheStart) {
  for (const bool baseline : {true, false})
    EXPECT_THAT(logits_of(Embedding(options(baseline, 0), setting(50)), first_rows(50)),
                Each(1.25));
}

TEST(EmbeddingTest, StartsAreNormalWithTheGivenSpread) {
  constexpr std::size_t rows = 20001;
  constexpr double spread = 0.2, n = rows - 1;
  const auto logits = logits_of(Embedding(options(true, spread), setting(rows)), first_rows(rows));
  double sum = 0, squares = 0;
  for (std::size_t row = 1; row < rows; ++row) {
    sum += logits[row] - 1.25;
    squares += (logits[row] - 1.25) * (logits[row] - 1.25);
  }
  EXPECT_NEAR(sum / n, 0, 4.5 * spread / std::sqrt(n));
  EXPECT_NEAR(squares / n, spread * spread, 4.5 * spread * spread * std::sqrt(2 / n));
}

TEST(EmbeddingTest, TheStartIsAFunctionOfSeedAndParameterNumber) {
  const auto start = [](std::uint64_t seed, std::uint32_t number) {
    LayerSetting s = setting(20);
    s.seed = seed;
    s.number = number;
    return logits_of(Embedding(options(), s), first_rows(20));
  };
  EXPECT_EQ(start(1, 0), start(1, 0));
  EXPECT_NE(start(1, 0), start(2, 0));
  EXPECT_NE(start(1, 0), start(1, 1));
}

TEST(EmbeddingTest, ShiftMovesAllLogits) {
  for (const bool baseline : {true, false}) {
    Embedding layer(options(baseline, 0), setting(5));
    layer.shift(-0.75f);
    EXPECT_THAT(logits_of(layer, first_rows(5)), Each(1.25 - 0.75));
  }
}

TEST(EmbeddingTest, OnlyOffsetsDecay) {
  Embedding layer(options(), setting(5));
  const auto parameters = layer.parameters();
  EXPECT_EQ(parameters[0]->name(), "attraction.baseline");
  EXPECT_FALSE(parameters[0]->decays());
  EXPECT_EQ(parameters[1]->name(), "attraction");
  EXPECT_TRUE(parameters[1]->decays());
}

TEST(EmbeddingTest, TheGradientOfRowsIsSparse) {
  Embedding layer(options(), setting(1000));
  Tape tape;
  const testing::ListedInputs inputs(tape, {7, 3, 7});
  tape.backward(sum(inputs.logits_of(layer)));
  ASSERT_EQ(tape.sparse_gradients().size(), 1u);
  const SparseGradient& sparse = tape.sparse_gradients()[0];
  EXPECT_EQ(sparse.parameter, &layer.parameters()[1]->view());
  EXPECT_THAT(sparse.rows, ElementsAre(7, 3, 7));
  ASSERT_EQ(tape.dense_gradients().size(), 1u);
  EXPECT_EQ(tape.dense_gradients()[0].parameter, &layer.parameters()[0]->view());
  EXPECT_EQ(*static_cast<const float*>(tape.dense_gradients()[0].values), 3);
}

}  // namespace
}  // namespace ultr
