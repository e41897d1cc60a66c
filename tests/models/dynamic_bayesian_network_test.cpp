#include "models/dynamic_bayesian_network.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/model_fixture.h"

namespace ultr::dynamic_bayesian_network_test {
namespace {

using ::testing::ElementsAreArray;
using ::testing::UnorderedElementsAre;

SessionLog uneven_log() {
  SessionLog log;
  const auto add = [&](std::vector<std::uint32_t> rows, std::vector<std::uint8_t> clicks) {
    const std::vector<std::uint16_t> positions = {0, 1, 2, 3};
    log.add({rows, std::span(positions).first(rows.size()), clicks});
  };
  add({1, 2, 3, 4}, {1, 0, 1, 1});  // tosses satisfaction of 1 and 3; 4 is last
  add({5, 6}, {0, 1});              // 6 is last
  add({7}, {1});                    // 7 is last
  add({8, 1, 9}, {0, 1, 0});        // satisfaction of 1 again
  add({10, 11, 12}, {0, 0, 0});     // nothing
  return log;
}

TEST(DynamicBayesianNetworkTest, ReadsTheSatisfactionOfClickedDocumentsThatAreNotLast) {
  const TrainableModel model = testing::build_model("dbn", {.rows = 13, .positions = 4});
  const Shard shard = testing::pack_all(uneven_log());
  for (const LossMean mean : {LossMean::documents, LossMean::sessions}) {
    ClickProgram program(model, ProgramKind::loss, shard.longest(), Precision::float32, mean);
    program.run(shard);
    program.backward(1);
    const ParameterView* satisfaction = &testing::parameter_called(model, "satisfaction").view();
    const ParameterView* attraction = &testing::parameter_called(model, "attraction").view();
    std::size_t seen = 0;
    for (const SparseGradient& gradient : program.tape().sparse_gradients()) {
      if (gradient.parameter == satisfaction) {
        EXPECT_THAT(gradient.rows, UnorderedElementsAre(1, 3, 1));
        ++seen;
      }
      if (gradient.parameter == attraction) {
        EXPECT_THAT(gradient.rows, ElementsAreArray(shard.rows()));
        ++seen;
      }
    }
    EXPECT_EQ(seen, 2u);
  }
}

TEST(DynamicBayesianNetworkTest, RanksByAttractionTimesSatisfaction) {
  const TrainableModel model = testing::build_model("dbn", {.rows = 13, .positions = 4});
  testing::randomise(model, -2, 2, 1);
  const Shard shard = testing::pack_all(uneven_log());
  ClickProgram program(model, ProgramKind::relevance, shard.longest(), Precision::float64);
  program.run(shard);
  const auto relevance = program.log_p();
  for (std::size_t i = 0; i < shard.documents(); ++i) {
    const std::uint32_t row = shard.rows()[i];
    EXPECT_NEAR(std::exp(relevance[i]),
                testing::probability_of(model, "attraction", row) *
                    testing::probability_of(model, "satisfaction", row),
                1e-12);
  }
}

}  // namespace
}  // namespace ultr::dynamic_bayesian_network_test
