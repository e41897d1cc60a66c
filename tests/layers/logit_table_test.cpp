#include "layers/logit_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/ops/reductions.h"
#include "layers/listed_inputs.h"

namespace ultr::logit_table_test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::logits_of;

LayerSetting ranks(std::int64_t entries) {
  return {.name = "examination", .domain = Domain::rank, .entries = entries, .start = -0.5};
}

TEST(LogitTableTest, StartsAtTheStartEverywhere) {
  EXPECT_THAT(logits_of(LogitTable(ranks(3)), {0, 1, 2}), Each(-0.5));
}

TEST(LogitTableTest, GivesEachDocumentItsEntry) {
  LogitTable layer(ranks(3));
  layer.parameters()[0]->assign(std::vector<float>{1, 2, 4});
  EXPECT_THAT(logits_of(layer, {2, 0, 0, 1}), ElementsAre(4, 1, 1, 2));
}

TEST(LogitTableTest, IsReadAsAWholeAndRepeatedLater) {
  const LogitTable layer(ranks(3));
  Tape tape;
  const testing::ListedInputs inputs(tape, {2, 0, 0, 1});
  const Logits logits = layer.logits(inputs);
  EXPECT_EQ(logits.values.shape(), Shape::vector(3));
  ASSERT_TRUE(logits.per_document);
  EXPECT_EQ(logits.per_document->node, inputs.index(Domain::rank).node);
}

TEST(LogitTableTest, OfTheGlobalDomainIsAScalar) {
  LogitTable layer({.name = "continuation", .domain = Domain::global, .start = 2});
  Tape tape;
  const testing::ListedInputs inputs(tape, {0, 0});
  const Logits logits = layer.logits(inputs);
  EXPECT_EQ(logits.values.shape(), Shape::scalar());
  EXPECT_FALSE(logits.per_document);
  EXPECT_EQ(logits.values.item(), 2);
}

TEST(LogitTableTest, TheGradientIsDense) {
  LogitTable layer(ranks(3));
  Tape tape;
  const testing::ListedInputs inputs(tape, {2, 0, 0});
  tape.backward(sum(inputs.logits_of(layer)));
  EXPECT_TRUE(tape.sparse_gradients().empty());
  ASSERT_EQ(tape.dense_gradients().size(), 1u);
  EXPECT_EQ(tape.dense_gradients()[0].parameter, &layer.parameters()[0]->view());
  const auto* gradient = static_cast<const float*>(tape.dense_gradients()[0].values);
  EXPECT_THAT(std::vector<float>(gradient, gradient + 3), ElementsAre(2, 0, 1));
}

TEST(LogitTableTest, ShiftMovesAllLogitsAndNothingDecays) {
  LogitTable layer(ranks(3));
  layer.shift(0.25f);
  EXPECT_THAT(logits_of(layer, {0, 1, 2}), Each(-0.5 + 0.25));
  ASSERT_EQ(layer.parameters().size(), 1u);
  EXPECT_EQ(layer.parameters()[0]->name(), "examination");
  EXPECT_FALSE(layer.parameters()[0]->decays());
}

}  // namespace
}  // namespace ultr::logit_table_test
