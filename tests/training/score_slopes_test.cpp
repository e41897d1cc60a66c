#include "training/score_slopes.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "layers/tree_tower.h"
#include "testing/matrix.h"
#include "testing/model_inputs.h"
#include "training/boosting_fitter.h"
#include "training/tree_stories.h"

// Slopes in the scores of trees and their bounds on second derivatives, for every ranking loss and
// every click model, against differences of the loss in float64.

namespace ultr::score_slopes_test {
namespace {

constexpr std::int64_t rows = 9, positions = 6;
constexpr const char* trees = "{type: boosted_trees, rounds: 2000, leaves: 4}";

/// Returns a tree that adds a number to the score of one row.
RegressionTree bump(std::uint32_t row, float by) {
  const float at = static_cast<float>(row);
  return {{.feature = 0, .value = at - 0.5f, .left = 1, .right = 2},
          {},
          {.feature = 0, .value = at + 0.5f, .left = 3, .right = 4},
          {.value = by},
          {}};
}

/// Scores and steps are whole multiples of 2^-9, so that sums in float32 are exact.
constexpr float step = 1.0f / 512;

/// Gives all parameters random values, trees random scores, different for each row.
void randomise(const TrainableModel& model) {
  RandomStream random(7, RandomPurpose::testing, 0, 0);
  for (const TrainableModel::Layer& layer : model.layers()) {
    if (auto* tower = dynamic_cast<TreeTower*>(layer.layer.get())) {
      tower->shift(-tower->start());
      for (std::uint32_t row = 1; row < rows; ++row)
        tower->add(bump(row, std::round(static_cast<float>(random.uniform() - 0.5) * 1500) * step));
      continue;
    }
    for (Parameter* parameter : layer.layer->parameters())
      for (std::int64_t row = 0; row < parameter->rows(); ++row)
        for (float& x : parameter->row(row)) x = static_cast<float>(2 * random.uniform() - 1);
  }
}

/// The sums of a loss over a log, in float64, as functions of trees' scores.
class LogLoss {
 public:
  LogLoss(const TrainableModel& model, const SessionLog& log, ProgramKind kind)
      : shard_(testing::pack_all(log)),
        program_(model, kind, shard_.longest(), Precision::float64) {
    program_.run(shard_, round_one);
    program_.freeze_stopped_values(true);
  }
  double operator()() {
    program_.run(shard_, round_one);
    return program_.loss();
  }
  /// Returns the gradient in the scores of the documents, by row.
  std::vector<double> gradient(const TreeTower& tower) {
    (*this)();
    program_.backward(1);
    std::vector<double> by_row(rows, 0.0);
    for (const SparseGradient& gradient : program_.tape().sparse_gradients())
      if (gradient.parameter == program_.inputs().score_view(tower))
        for (std::size_t i = 0; i < gradient.rows.size(); ++i)
          by_row[shard_.rows()[gradient.rows[i]]] += static_cast<const double*>(gradient.values)[i];
    return by_row;
  }

 private:
  /// The noise of the first round.
  static constexpr NoiseKey round_one{.seed = 4, .step = std::uint32_t{1} << 31 | 1};
  Shard shard_;
  ClickProgram program_;
};

class SlopesOfEveryStoryTest : public ::testing::TestWithParam<testing::TreeStory> {
 protected:
  SlopesOfEveryStoryTest() : log_(testing::uneven_lists(3)) {}

  ModelSetting setting(const SessionLog& log) const {
    std::vector<float> features(rows);
    for (std::size_t row = 0; row < features.size(); ++row) features[row] = static_cast<float>(row);
    return {.rows = rows,
            .positions = positions,
            .features = FeatureTable(std::move(features), 1),
            .train = &log};
  }
  const SessionLog log_;
};

INSTANTIATE_TEST_SUITE_P(All, SlopesOfEveryStoryTest, ::testing::ValuesIn(testing::tree_stories()),
                         [](const auto& test) { return test.param.name; });

TEST_P(SlopesOfEveryStoryTest, SlopesAgreeWithDifferencesOfTheLoss) {
  const TrainableModel model = GetParam().build(setting(log_), trees);
  randomise(model);
  std::size_t found = 0;
  for (const TrainableModel& stage : model.stages()) {
    const std::vector<TreeTower*> towers = tree_towers(stage);
    if (towers.empty()) continue;
    ScoreSlopes slopes(stage, {towers.begin(), towers.end()}, log_, {.seed = 4, .threads = 2});
    slopes(1, {});
    LogLoss loss(stage, log_, ProgramKind::training_loss);
    for (std::size_t t = 0; t < towers.size(); ++t)
      for (std::uint32_t row = 1; row < rows; ++row) {
        towers[t]->add(bump(row, step));
        const double above = loss();
        towers[t]->add(bump(row, -2 * step));
        const double below = loss();
        towers[t]->add(bump(row, step));
        const double slope = (above - below) / static_cast<double>(2 * step);
        EXPECT_NEAR(slopes.slopes(t)[row], slope, 1e-4 * (1 + std::abs(slope)))
            << towers[t]->name() << " of " << stage.type() << ", row " << row;
        found += slope != 0 ? 1 : 0;
      }
  }
  EXPECT_GT(found, 4u);
}

TEST_P(SlopesOfEveryStoryTest, CurvaturesBoundTheSecondDerivativesOfClickModels) {
  if (!GetParam().is_click_model) return;  // tests of losses do so for theirs
  const std::vector<std::uint32_t> shown = {3, 1, 8, 5, 2, 6};
  const SessionLog all = testing::all_click_vectors(shown);
  for (const std::size_t clicks : {0u, 1u, 4u, 10u, 33u, 63u}) {
    SessionLog log;
    log.add(all[clicks]);
    const TrainableModel model = GetParam().build(setting(log), trees);
    randomise(model);
    const std::vector<TreeTower*> towers = tree_towers(model);
    LogLoss loss(model, log, ProgramKind::training_loss), bound(model, log, ProgramKind::curvature);
    for (TreeTower* tower : towers) {
      SCOPED_TRACE(tower->name() + ", clicks " + std::to_string(clicks));
      const std::vector<double> bounds = bound.gradient(*tower);
      testing::Matrix difference;
      for (const std::uint32_t row : shown) {
        tower->add(bump(row, step));
        const std::vector<double> above = loss.gradient(*tower);
        tower->add(bump(row, -2 * step));
        const std::vector<double> below = loss.gradient(*tower);
        tower->add(bump(row, step));
        std::vector<double>& line = difference.emplace_back();
        for (const std::uint32_t other : shown)
          line.push_back((other == row ? bounds[row] : 0) -
                         (above[other] - below[other]) / static_cast<double>(2 * step));
      }
      for (std::size_t i = 0; i < shown.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          difference[i][j] = difference[j][i] = (difference[i][j] + difference[j][i]) / 2;
      EXPECT_TRUE(testing::is_semidefinite(difference, 1e-5));
    }
  }
}

}  // namespace
}  // namespace ultr::score_slopes_test
