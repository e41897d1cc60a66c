#include "training/score_program.h"

#include <cmath>

#include <gtest/gtest.h>

#include "dsl/programs/click_program.h"
#include "testing/small_log.h"

namespace ultr::score_program_test {
namespace {

class ScoreProgramTest : public ::testing::TestWithParam<std::string> {};

/// The scores of all documents, summed by entry, are the gradient of log P(clicks).
TEST_P(ScoreProgramTest, ScoresAddUpToTheGradient) {
  const ExperimentData data = testing::small_simulation();
  const TrainableModel model = testing::model_for(GetParam(), data.dataset);
  Shard shard;
  shard.pack(data.dataset.train, std::array{0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u});
  ScoreProgram scores(model, shard.longest());
  scores.run(shard);
  std::vector<double> sums(model.layers().size());
  for (std::size_t pass = 0; pass < scores.passes(); ++pass) {
    scores.differentiate(pass);
    for (std::size_t l = 0; l < sums.size(); ++l)
      for (const double score : scores.scores(l)) sums[l] += score;
  }
  ClickProgram program(model, ProgramKind::exact_loss, shard.longest(), Precision::float64);
  program.run(shard);
  program.backward(-1);
  for (std::size_t l = 0; l < sums.size(); ++l) {
    const ParameterView& values = model.layers()[l].layer->entry_logits()->values->view();
    double gradient = 0;
    for (const SparseGradient& sparse : program.tape().sparse_gradients())
      if (sparse.parameter == &values)
        for (std::size_t i = 0; i < sparse.rows.size(); ++i)
          gradient += static_cast<const double*>(sparse.values)[i];
    for (const DenseGradient& dense : program.tape().dense_gradients())
      if (dense.parameter == &values)
        for (std::int64_t i = 0; i < values.rows; ++i)
          gradient += static_cast<const double*>(dense.values)[i];
    EXPECT_NEAR(sums[l], gradient, 1e-9) << model.layers()[l].name;
    EXPECT_NE(gradient, 0) << model.layers()[l].name;
  }
}

TEST_P(ScoreProgramTest, WeightsAreThoseOfConditionalClicks) {
  const ExperimentData data = testing::small_simulation();
  const TrainableModel model = testing::model_for(GetParam(), data.dataset);
  Shard shard;
  shard.pack(data.dataset.train, std::array{0u, 1u, 2u, 3u});
  ScoreProgram scores(model, shard.longest());
  scores.run(shard);
  ClickProgram program(model, ProgramKind::conditional, shard.longest(), Precision::float64);
  program.run(shard);
  const std::vector<double> log_p = program.log_p();
  for (std::size_t i = 0; i < log_p.size(); ++i) {
    const double p = std::exp(log_p[i]);
    const double seen = shard.clicks()[i] != 0 ? p : 1 - p;
    const double expected = seen > 0 && seen < 1 ? std::sqrt(seen / (1 - seen)) : 0;
    EXPECT_NEAR(scores.weights()[i], expected, 1e-9 * (1 + expected));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ScoreProgramTest,
                         ::testing::Values("gctr", "rctr", "dctr", "drctr", "pbm", "two_tower",
                                           "ubm", "dcm", "ccm", "dbn", "sdbn"),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace ultr::score_program_test
