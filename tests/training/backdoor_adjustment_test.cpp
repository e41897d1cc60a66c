#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "base/random.h"
#include "dsl/learned_position_bias.h"
#include "models/model_fixture.h"
#include "optim/adam.h"
#include "training/fitters.h"
#include "training/training.h"

/// The backdoor adjustment moves a confounded estimate of the bias of ranks towards the truth.
namespace ultr::backdoor_adjustment_test {
namespace {

constexpr std::size_t lists = 1500, length = 10;

/// Lists that a policy sorts by relevance 2 |x|, where x is a document's only feature. Click rates
/// are those of additive users, σ(-ln k + 2 |x| - 2).
Dataset confounded_lists() {
  Dataset dataset;
  std::vector<float> features = {0};
  for (std::size_t l = 0; l < lists; ++l) {
    RandomStream random(1, RandomPurpose::testing, 0, l);
    std::vector<float> x(length);
    for (float& feature : x) feature = static_cast<float>(random.normal());
    std::sort(x.begin(), x.end(), [](float a, float b) { return std::abs(a) > std::abs(b); });
    std::vector<std::uint32_t> rows;
    std::vector<std::uint16_t> positions(length);
    std::iota(positions.begin(), positions.end(), std::uint16_t{0});
    std::vector<float> rates;
    for (std::size_t k = 0; k < length; ++k) {
      rows.push_back(dataset.dictionary.add(l, k));
      const double logit = 2 * std::abs(x[k]) - 2 - std::log(static_cast<double>(k + 1));
      rates.push_back(static_cast<float>(1 / (1 + std::exp(-logit))));
    }
    features.insert(features.end(), x.begin(), x.end());
    dataset.train.add({.rows = rows,
                       .positions = positions,
                       .clicks = std::vector<std::uint8_t>(length),
                       .query = l,
                       .targets = rates});
  }
  dataset.features = FeatureTable(std::move(features), 1);
  dataset.positions = length;
  return dataset;
}

/// Trains all stages of a loss.
TrainableModel trained(const Dataset& dataset, const std::string& options) {
  const Choice loss(testing::registry().losses(), "backdoor");
  testing::configure(*loss.options, options);
  TrainableModel model =
      loss.as<ModelOptions>().build({.rows = dataset.dictionary.rows(),
                                     .positions = static_cast<std::int64_t>(dataset.positions),
                                     .features = dataset.features,
                                     .train = &dataset.train});
  TrainOptions train;
  testing::configure(train, "{epochs: 30, batch_size: 50, early_stopping: 0}");
  AdamWOptions optimizer;
  testing::configure(optimizer, "{lr: 0.01, weight_decay: 0, schedule: cosine}");
  for (const TrainableModel& stage : model.stages()) {
    const auto fitter = make_fitter(
        optimizer, {.model = stage, .train = dataset.train, .options = train, .threads = 1});
    train_model(stage, *fitter, train, dataset, 1, {});
  }
  return model;
}

double error(const std::vector<double>& bias) {
  double sum = 0;
  for (std::size_t k = 0; k < length; ++k)
    sum += std::pow(bias[k] - bias[0] + std::log(static_cast<double>(k + 1)), 2);
  return sum / length;
}

/// A linear tower sees nothing of |x|, so the estimate gives all of it to the ranks where the
/// policy puts it. The adjustment takes back what softmax(1/k) tells the policy tower: at most one
/// logit between the first rank and the last.
TEST(BackdoorAdjustmentTest, MovesAConfoundedEstimateTowardsTheTruth) {
  const TrainableModel model = trained(confounded_lists(),
                                       "{estimated_relevance: linear, relevance: linear, "
                                       "policy: {type: mlp, widths: [16, 16], activation: elu}}");
  std::vector<double> estimate;
  for (std::size_t k = 0; k < length; ++k)
    estimate.push_back(
        testing::parameter_called(model, "estimated_examination").value(static_cast<int>(k)));
  const std::vector<double> adjusted = learned_position_bias(model)->by_rank;
  EXPECT_LT(estimate.back() - estimate.front(), -std::log(10) - 1) << "confounded";
  EXPECT_GT(adjusted.back() - adjusted.front(), estimate.back() - estimate.front() + 0.1);
  EXPECT_LT(error(adjusted), 0.9 * error(estimate));
}

}  // namespace
}  // namespace ultr::backdoor_adjustment_test
