#include "models/document_rank_ctr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/model_fixture.h"

namespace ultr::document_rank_ctr_test {
namespace {

TEST(DocumentRankCtrTest, LearnsANumberForEachPairAtEachRank) {
  const TrainableModel model = testing::build_model("drctr", {.rows = 3, .positions = 2});
  const Parameter& attraction = testing::parameter_called(model, "attraction");
  EXPECT_EQ(attraction.rows(), 3 * 2);
  SessionLog log;
  log.add({std::vector<std::uint32_t>{1, 2}, std::vector<std::uint16_t>{0, 1},
           std::vector<std::uint8_t>{1, 0}});
  log.add({std::vector<std::uint32_t>{2, 1}, std::vector<std::uint16_t>{0, 1},
           std::vector<std::uint8_t>{0, 0}});
  const Shard shard = testing::pack_all(log);
  ClickProgram program(model, ProgramKind::loss, shard.longest(), Precision::float32,
                       LossMean::documents);
  program.run(shard);
  program.backward(1);
  std::vector<std::uint32_t> entries;
  for (const SparseGradient& gradient : program.tape().sparse_gradients())
    if (gradient.parameter == &attraction.view())
      entries.insert(entries.end(), gradient.rows.begin(), gradient.rows.end());
  EXPECT_THAT(entries, ::testing::UnorderedElementsAre(1 * 2 + 0, 2 * 2 + 1, 2 * 2 + 0, 1 * 2 + 1));
}

}  // namespace
}  // namespace ultr::document_rank_ctr_test
