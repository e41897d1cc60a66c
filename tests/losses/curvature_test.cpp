#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "losses/loss_variants.h"
#include "models/model_fixture.h"
#include "testing/matrix.h"

// Bounds on the second derivatives of every ranking loss, against finite differences in float64.

namespace ultr::curvature_test {
namespace {

using ::testing::Each;
using testing::is_semidefinite;
using testing::LossVariant;
using testing::Matrix;

constexpr std::int64_t rows = 9, positions = 6;

/// Returns a log of one list of `length` documents, all different, with at least one click.
SessionLog one_list(std::size_t length, std::uint64_t seed) {
  RandomStream random(seed, RandomPurpose::testing, 5, length);
  std::vector<std::uint32_t> shown = {1, 2, 3, 4, 5, 6, 7, 8};
  random.shuffle(shown);
  shown.resize(length);
  std::vector<std::uint16_t> shown_at(length);
  std::vector<std::uint8_t> clicks(length);
  for (std::size_t k = 0; k < length; ++k) {
    shown_at[k] = static_cast<std::uint16_t>(k);
    clicks[k] = (seed + k) % 3 == 0 ? 1 : 0;
  }
  clicks[length / 2] = 1;
  SessionLog log;
  log.add({shown, shown_at, clicks});
  return log;
}

/// The loss of one list as a function of the logits that a layer gives to its documents.
class ListLoss {
 public:
  ListLoss(const TrainableModel& model, const LogitLayer& layer, const Parameter& table,
           const SessionLog& log)
      : shard_(testing::pack_all(log)),
        table_(table),
        inputs_(tape_, shard_.longest(), positions, {}, Noise::on),
        probabilities_(tape_),
        session_(inputs_, probabilities_),
        loss_(-sum(*model.story().objective(session_, Impossible::scored))),
        curvature_(model.story().curvature(session_, layer)) {
    if (!curvature_) return;
    tape_.require(std::array{loss_, *curvature_});
    inputs_.bind(shard_, {.seed = 3});
    tape_.replay();
    tape_.freeze_stopped_values(true);
  }

  bool states_curvature() const { return curvature_.has_value(); }
  std::vector<double> curvature() const { return curvature_->values(); }
  std::vector<double> slopes() {
    tape_.replay();
    tape_.backward(loss_);
    std::vector<double> slopes(shard_.documents(), 0.0);
    for (const SparseGradient& gradient : tape_.sparse_gradients())
      for (std::size_t i = 0; gradient.parameter == &table_.view() && i < gradient.rows.size(); ++i)
        for (std::size_t d = 0; d < slopes.size(); ++d)
          if (shard_.rows()[d] == gradient.rows[i])
            slopes[d] += static_cast<const double*>(gradient.values)[i];
    return slopes;
  }
  std::span<const std::uint32_t> shown() const { return shard_.rows(); }

 private:
  Shard shard_;
  const Parameter& table_;
  Tape tape_{Precision::float64};
  ShardInputs inputs_;
  ProbGraph probabilities_;
  Session session_;
  Tensor loss_;
  std::optional<Tensor> curvature_;
};

/// Returns the matrix of second derivatives by central differences of slopes.
Matrix second_derivatives(ListLoss& loss, std::vector<double>& logits) {
  const std::vector<std::uint32_t> shown(loss.shown().begin(), loss.shown().end());
  constexpr double step = 1e-5;
  Matrix matrix;
  for (const std::uint32_t row : shown) {
    const double before = logits[row];
    logits[row] = before + step;
    std::vector<double> differences = loss.slopes();
    logits[row] = before - step;
    const std::vector<double> below = loss.slopes();
    logits[row] = before;
    for (std::size_t j = 0; j < below.size(); ++j)
      differences[j] = (differences[j] - below[j]) / (2 * step);
    matrix.push_back(differences);
  }
  return matrix;
}

class CurvatureTest : public ::testing::TestWithParam<LossVariant> {};

INSTANTIATE_TEST_SUITE_P(All, CurvatureTest, ::testing::ValuesIn(testing::loss_variants()),
                         [](const auto& test) { return test.param.name; });

TEST_P(CurvatureTest, BoundsTheMatrixOfSecondDerivatives) {
  std::size_t stated = 0;
  for (const std::size_t length : {1u, 2u, 6u}) {
    const SessionLog log = one_list(length, length);
    const TrainableModel model =
        testing::build_loss(GetParam(), {.rows = rows, .positions = positions, .train = &log});
    testing::randomise(model, -2, 2, 7);
    for (const TrainableModel& stage : model.stages())
      for (const TrainableModel::Layer& layer : stage.layers()) {
        const auto entries = layer.layer->entry_logits();
        if (layer.domain != Domain::document || !entries) continue;
        SCOPED_TRACE(stage.type() + ", lists of " + std::to_string(length));
        std::vector<double> logits;
        for (const float x : entries->values->values()) logits.push_back(static_cast<double>(x));
        entries->values->overlay(logits);
        ListLoss loss(stage, *layer.layer, *entries->values, log);
        ASSERT_TRUE(loss.states_curvature()) << layer.name;
        const std::vector<double> bound = loss.curvature();
        const Matrix second = second_derivatives(loss, logits);
        entries->values->overlay({});
        stated += 1;

        ASSERT_EQ(bound.size(), length);
        Matrix difference(length, std::vector<double>(length));
        double mixed = 0;
        for (std::size_t i = 0; i < length; ++i) {
          EXPECT_GE(bound[i], 0);
          for (std::size_t j = 0; j < length; ++j) {
            difference[i][j] = (i == j ? bound[i] : 0) - (second[i][j] + second[j][i]) / 2;
            if (i != j) mixed = std::max(mixed, std::abs(second[i][j]));
          }
        }
        EXPECT_TRUE(is_semidefinite(difference, 1e-8));
        if (mixed < 1e-9) continue;
        if (GetParam().name == "distill_margins") {
          EXPECT_THAT(bound, Each(1)) << "the largest eigenvalue, below twice the diagonal";
          continue;
        }
        // Documents of a list depend on each other: twice the diagonal, or 0 where that is below.
        for (std::size_t i = 0; i < length; ++i)
          EXPECT_NEAR(bound[i], 2 * std::max(0., second[i][i]), 1e-7);
      }
  }
  EXPECT_GE(stated, 3u);
}

TEST(ExactCurvatureTest, IsExactWhereThePointwiseLossIsConvex) {
  const SessionLog log = one_list(5, 1);
  for (const char* name : {"naive_pointwise", "two_tower", "two_tower_dropout", "ips_pointwise",
                           "regression_em", "logging_policy_weights"}) {
    SCOPED_TRACE(name);
    for (const LossVariant& variant : testing::loss_variants()) {
      if (variant.name != name) continue;
      const TrainableModel model =
          testing::build_loss(variant, {.rows = rows, .positions = positions, .train = &log});
      testing::randomise(model, -2, 2, 9);
      for (const TrainableModel::Layer& layer : model.layers()) {
        if (layer.name != "relevance") continue;
        Parameter& table = *layer.layer->entry_logits()->values;
        std::vector<double> logits;
        for (const float x : table.values()) logits.push_back(static_cast<double>(x));
        table.overlay(logits);
        ListLoss loss(model, *layer.layer, table, log);
        const std::vector<double> bound = loss.curvature();
        const Matrix second = second_derivatives(loss, logits);
        table.overlay({});
        for (std::size_t i = 0; i < bound.size(); ++i) EXPECT_NEAR(bound[i], second[i][i], 1e-8);
      }
    }
  }
}

}  // namespace
}  // namespace ultr::curvature_test
