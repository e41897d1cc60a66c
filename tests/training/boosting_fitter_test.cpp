#include "training/boosting_fitter.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/boosting_data.h"
#include "training/training.h"

namespace ultr::boosting_fitter_test {
namespace {

using testing::BoostingData;
using testing::Fit;
using ::testing::HasSubstr;
using testing::sampled_trees;
using testing::small_trees;
using ::testing::ThrowsMessage;
using testing::values_of;
using testing::with_trees;

/// A model whose trees alone are trained.
TrainableModel only_trees(const TrainableModel& model) {
  std::vector<TrainableModel::Layer> layers;
  for (const TrainableModel::Layer& layer : model.layers())
    if (dynamic_cast<const TreeTower*>(layer.layer.get()) != nullptr) layers.push_back(layer);
  return {model.type(), std::shared_ptr<const ClickModel>(&model.story(), [](const ClickModel*) {}),
          layers, model.setting()};
}

class EveryStoryTest : public ::testing::TestWithParam<testing::TreeStory> {};

INSTANTIATE_TEST_SUITE_P(All, EveryStoryTest, ::testing::ValuesIn(testing::tree_stories()),
                         [](const auto& test) { return test.param.name; });

/// Rounds lower a loss whose other parameters stay as they are.
TEST_P(EveryStoryTest, RoundsLowerTheLoss) {
  const BoostingData data;
  const TrainableModel model = GetParam().build(data.setting(), small_trees);
  const TrainableModel last = model.stages().back();
  const std::vector<TreeTower*> towers = tree_towers(last);
  ASSERT_FALSE(towers.empty());
  const TrainableModel trees_alone = only_trees(last);
  const Fit fit(trees_alone, data.dataset.train);
  double first = 0, loss = 0;
  for (std::int64_t round = 1; round <= 6; ++round) {
    loss = fit.fitter->pass(round, {}).loss;
    if (round == 1) first = loss;
    for (const TreeTower* tower : towers)
      EXPECT_EQ(tower->trees().size(), static_cast<std::size_t>(round));
  }
  // The weights of clicks in the examination half of dla grow with relevance, and with them the
  // loss.
  if (last.type() != "dla") {
    EXPECT_LT(loss, first - 1e-4 * std::abs(first));
  }
  EXPECT_TRUE(fit.fitter->finished());
}

TEST_P(EveryStoryTest, TrainsToTheSameBitsOnAnyNumberOfThreads) {
  const BoostingData data;
  for (const char* trees : {small_trees, sampled_trees}) {
    std::vector<std::vector<std::vector<float>>> all;
    for (const int threads : {1, 3}) {
      const TrainableModel model = GetParam().build(data.setting(), trees);
      for (const TrainableModel& stage : model.stages()) {
        const Fit fit(stage, data.dataset.train, threads);
        for (std::int64_t epoch = 1; epoch <= 2; ++epoch) fit.fitter->pass(epoch, {});
      }
      all.push_back(values_of(model));
    }
    EXPECT_EQ(all[0], all[1]);
  }
}

/// Slopes and second derivatives of the pointwise loss, by hand.
TEST(ScoreSlopesTest, AreSumsOverTheDocumentsOfEachRow) {
  const BoostingData data;
  for (const LossMean mean : {LossMean::documents, LossMean::sessions}) {
    const TrainableModel model = with_trees({"", "naive", "{base: pointwise}"}, data.setting());
    TreeTower& tower = *tree_towers(model)[0];
    tower.add({{.feature = 0, .value = 0.3f, .left = 1, .right = 2}, {.value = -1}, {.value = 1}});
    ScoreSlopes slopes(model, {&tower}, data.dataset.train, {.mean = mean, .threads = 2});
    const BatchLoss loss = slopes(1, {});
    std::vector<double> expected(static_cast<std::size_t>(data.dataset.features.rows())),
        second(expected.size());
    double sum = 0;
    for (std::size_t i = 0; i < data.dataset.train.sessions(); ++i) {
      const SessionView session = data.dataset.train[i];
      const double weight =
          mean == LossMean::documents ? 1 : 1 / static_cast<double>(session.rows.size());
      for (std::size_t k = 0; k < session.rows.size(); ++k) {
        const double x = data.dataset.features.row(session.rows[k])[0] < 0.3f ? -1 : 1;
        const double p = 1 / (1 + std::exp(-x));
        expected[session.rows[k]] += weight * (p - session.clicks[k]);
        second[session.rows[k]] += weight * p * (1 - p);
        sum -= weight * std::log(session.clicks[k] != 0 ? p : 1 - p);
      }
    }
    EXPECT_NEAR(loss.sum, sum, 1e-4 * sum);
    for (std::size_t row = 0; row < expected.size(); ++row) {
      EXPECT_NEAR(slopes.slopes(0)[row], expected[row], 1e-3) << row;
      EXPECT_NEAR(slopes.curvatures(0)[row], second[row], 1e-3) << row;
    }
  }
}

TEST(BoostingFitterTest, RestoresTheBestRound) {
  BoostingData data;
  Dataset& dataset = data.dataset;
  for (std::size_t i = 0; i < dataset.valid.sessions(); ++i)  // as if nothing had been learned
    for (std::uint8_t& click : dataset.valid.clicks(i)) click ^= 1;
  const TrainableModel model = with_trees({"", "naive", "{base: pointwise}"}, data.setting());
  const Fit fit(model, dataset.train, 1, "{epochs: 6, early_stopping: 2}");
  const TrainingResult result = train_model(model, *fit.fitter, fit.options, dataset, 1, {});
  EXPECT_EQ(result.best_epoch, 1);
  EXPECT_EQ(result.epochs.size(), 3u);
  EXPECT_EQ(tree_towers(model)[0]->trees().size(), 1u);
  EXPECT_EQ(evaluate_clicks(model, dataset.valid, LossMean::documents, 1).loss,
            result.epochs[0].valid->loss());
}

/// The losses of dla depend on weights that it learns, so they do not choose a round.
TEST(BoostingFitterTest, KeepsAllRoundsIfLossesCannotBeCompared) {
  const BoostingData data;
  for (const char* loss : {"dla", "pairwise_debias"}) {
    const TrainableModel model = with_trees({"", loss, "{}"}, data.setting());
    const Fit fit(model, data.dataset.train, 1, "{epochs: 6, early_stopping: 1}");
    const TrainingResult result = train_model(model, *fit.fitter, fit.options, data.dataset, 1, {});
    EXPECT_EQ(result.best_epoch, 6);
    EXPECT_EQ(tree_towers(model)[0]->trees().size(), 6u);
    EXPECT_THAT(fit.fitter->why_validation_is_ignored(), HasSubstr("cannot be compared"));
  }
}

/// Returns the parameters that are no trees.
std::vector<Parameter*> others_of(const TrainableModel& model) {
  std::vector<Parameter*> others;
  for (const TrainableModel::Layer& layer : model.layers())
    if (dynamic_cast<const TreeTower*>(layer.layer.get()) == nullptr)
      for (Parameter* parameter : layer.layer->parameters()) others.push_back(parameter);
  return others;
}

TEST(BoostingFitterTest, RegrowsTreesWithTheOtherParametersAsLearned) {
  const BoostingData data;
  const std::string regrown = std::string(small_trees).replace(0, 1, "{regrow: true, ");
  const TrainableModel model = with_trees({"", "dla", "{}"}, data.setting(), regrown);
  const Fit fit(model, data.dataset.train, 1, "{epochs: 12}");
  const TreeTower& tower = *tree_towers(model)[0];
  for (std::int64_t epoch = 1; epoch <= 6; ++epoch) fit.fitter->pass(epoch, {});
  EXPECT_FALSE(fit.fitter->finished());
  const std::vector<RegressionTree> first = tower.trees();
  const std::vector<float> bias = others_of(model)[0]->values();
  for (std::int64_t epoch = 7; epoch <= 12; ++epoch) {
    fit.fitter->pass(epoch, {});
    EXPECT_EQ(tower.trees().size(), static_cast<std::size_t>(epoch - 6));
  }
  EXPECT_TRUE(fit.fitter->finished());
  EXPECT_NE(tower.trees(), first);
  EXPECT_EQ(others_of(model)[0]->values(), bias);

  const TrainableModel known = with_trees({"", "dla", "{}"}, data.setting());
  others_of(known)[0]->assign(bias);
  const TrainableModel trees_alone = only_trees(known);
  const Fit straight(trees_alone, data.dataset.train);
  for (std::int64_t round = 1; round <= 6; ++round) straight.fitter->pass(round, {});
  EXPECT_EQ(tower.trees(), tree_towers(known)[0]->trees());
}

TEST(BoostingFitterTest, RegrowsNothingWithoutOtherParameters) {
  const BoostingData data;
  const std::string regrown = std::string(small_trees).replace(0, 1, "{regrow: true, ");
  const TrainableModel model = with_trees({"", "naive", "{}"}, data.setting(), regrown);
  const Fit fit(model, data.dataset.train);
  for (std::int64_t epoch = 1; epoch <= 6; ++epoch) fit.fitter->pass(epoch, {});
  EXPECT_TRUE(fit.fitter->finished());
  EXPECT_EQ(fit.fitter->why_validation_is_ignored(), "");
}

TEST(BoostingFitterTest, GrowsEachTreeOnAShareOfThePairs) {
  const BoostingData data;
  const auto trees = [&](const std::string& more) {
    const TrainableModel model =
        with_trees({"", "naive", "{base: pointwise}"}, data.setting(),
                   "{type: boosted_trees, rounds: 6, min_child_weight: 0" + more + "}");
    const Fit fit(model, data.dataset.train);
    fit.fitter->pass(1, {});
    return tree_towers(model)[0]->trees();
  };
  const auto all = trees(""), half = trees(", subsample: 0.5");
  EXPECT_LT(half[0][0].cover, 0.8f * all[0][0].cover);
  EXPECT_GT(half[0][0].cover, 0.2f * all[0][0].cover);
  EXPECT_EQ(trees(", subsample: 0.5"), half);
}

/// The features of the training documents lie in one piece of the table, or in several.
TEST(BoostingFitterTest, DocumentsBetweenThoseThatAreShownDoNotMatter) {
  const BoostingData data;
  const FeatureTable& table = data.dataset.features;
  SessionLog log, spread;
  for (std::size_t i = 0; i < 300; ++i) {
    const SessionView session = data.dataset.train[i];
    log.add(session);
    std::vector<std::uint32_t> rows(session.rows.begin(), session.rows.end());
    for (std::uint32_t& row : rows) row *= 2;
    spread.add({rows, session.positions, session.clicks});
  }
  std::vector<float> values(static_cast<std::size_t>(4 * table.rows()));
  for (std::int64_t row = 0; row < table.rows(); ++row)
    std::ranges::copy(table.row(row), values.begin() + 4 * row);
  const ModelSetting setting = data.setting();
  ModelSetting spread_setting = setting;
  spread_setting.rows = 2 * setting.rows;
  spread_setting.features = FeatureTable(std::move(values), 2);
  const testing::LossVariant loss{"", "naive", "{base: pointwise}"};
  const TrainableModel dense = with_trees(loss, setting), sparse = with_trees(loss, spread_setting);
  Fit(dense, log).fitter->pass(1, {});
  Fit(sparse, spread).fitter->pass(1, {});
  EXPECT_EQ(tree_towers(dense)[0]->trees(), tree_towers(sparse)[0]->trees());
}

TEST(BoostingFitterTest, ListsOfOneDocumentLeaveListwiseLossesAtTheStart) {
  const BoostingData data;
  SessionLog log;
  for (std::size_t i = 0; i < 20; ++i) {
    const SessionView session = data.dataset.train[i];
    log.add({session.rows.first(1), session.positions.first(1), session.clicks.first(1)});
  }
  for (const char* base : {"softmax", "pairwise", "lambdarank"}) {
    const TrainableModel model =
        with_trees({"", "naive", std::string("{base: ") + base + "}"}, data.setting());
    const Fit fit(model, log);
    fit.fitter->pass(1, {});
    const auto& trees = tree_towers(model)[0]->trees();
    ASSERT_EQ(trees[0].size(), 1u) << base;
    EXPECT_EQ(trees[0][0].value, 0) << base;
  }
}

TEST(BoostingFitterTest, RefusesWhatCannotBeTrained) {
  const BoostingData data;
  const testing::LossVariant loss{"", "naive", "{base: pointwise}"};
  const TrainableModel model = with_trees(loss, data.setting());
  EXPECT_THAT([&] { Fit(model, data.dataset.train, 1, "{epochs: 5}"); },
              ThrowsMessage<ConfigError>(HasSubstr(
                  "train.epochs is 5, and each epoch grows one tree; expected at least 6")));
  const TrainableModel twice = with_trees({"", "dla", "{}"}, data.setting(),
                                          "{type: boosted_trees, rounds: 6, regrow: true}");
  EXPECT_THAT([&] { Fit(twice, data.dataset.train, 1, "{epochs: 11}"); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("train.epochs is 11, and each epoch grows one tree; expected at least "
                            "12, twice the rounds of relevance")));
  const TrainableModel differing =
      testing::build_model("dbn", data.setting(),
                           "{attraction: {type: boosted_trees, rounds: 2, regrow: true}, "
                           "satisfaction: {type: boosted_trees, rounds: 2}}");
  EXPECT_THAT([&] { Fit(differing, data.dataset.train); },
              ThrowsMessage<ConfigError>(HasSubstr("attraction has regrow: true, and satisfaction "
                                                   "has regrow: false; expected the same")));
  const TrainableModel monotone =
      with_trees(loss, data.setting(), "{type: boosted_trees, rounds: 1, monotone: [-2, 3]}");
  EXPECT_THAT([&] { check_tree_options(monotone, data.dataset.features); },
              ThrowsMessage<ConfigError>(HasSubstr(
                  "relevance: monotone names feature 3; expected 1 to 2, or the negative of one")));
}

TEST(BoostingFitterTest, RefusesFeaturesThatAreNoCategories) {
  const BoostingData data;
  const auto message = [&](const std::string& more, const std::vector<float>& values) {
    const TrainableModel model =
        with_trees({"", "naive", "{base: pointwise}"}, data.setting(),
                   "{type: boosted_trees, rounds: 1, categorical: [1]" + more + "}");
    std::vector<float> features = {0, 0};
    for (const float x : values) features.insert(features.end(), {x, 0.5f});
    try {
      check_tree_options(model, FeatureTable(std::move(features), 2));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message("", {0, 63, std::nanf(""), 5}), "");
  EXPECT_EQ(message("", {1, 64}),
            "relevance: categorical feature 1 of pair 2 is 64; expected at most 63, as the option "
            "categories is 64");
  EXPECT_EQ(message(", categories: 65", {1, 64}), "");
  for (const auto& [value, text] : {std::pair(0.5f, "0.5"), {-1.f, "-1"}})
    EXPECT_EQ(message("", {value}),
              std::string("relevance: categorical feature 1 of pair 1 is ") + text +
                  "; expected a whole number from 0, without log1p and standardise of "
                  "data.scaling");
  EXPECT_EQ(message(", monotone: [-1]", {}),
            "relevance: feature 1 is categorical and monotone; expected one of both, since "
            "categories have no order");
  const TrainableModel model = with_trees({"", "naive", "{base: pointwise}"}, data.setting(),
                                          "{type: boosted_trees, rounds: 1, categorical: [3]}");
  EXPECT_THAT([&] { check_tree_options(model, data.dataset.features); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("relevance: categorical names feature 3; expected 1 to 2")));
}

}  // namespace
}  // namespace ultr::boosting_fitter_test
