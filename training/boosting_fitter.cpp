#include "training/boosting_fitter.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "base/error.h"
#include "base/random.h"
#include "losses/ranking_loss.h"

namespace ultr {
namespace {

const FeatureTable& training_features(const FitSetting& setting) {
  return setting.train.features().empty() ? setting.model.setting().features
                                          : setting.train.features();
}

TreeGrowth growth(const TreeTower& tower) {
  const TreeTowerOptions& options = tower.options();
  TreeGrowth growth{.leaves = options.leaves,
                    .depth = options.depth,
                    .learning_rate = options.learning_rate,
                    .min_child_weight = options.min_child_weight,
                    .lambda = options.lambda,
                    .min_gain = options.min_gain,
                    .columns = options.columns,
                    .bins = options.bins};
  for (const std::int64_t feature : options.categorical)
    growth.categorical.push_back(static_cast<std::size_t>(feature) - 1);
  if (options.monotone.empty()) return growth;
  growth.monotone.assign(static_cast<std::size_t>(tower.features()), 0);
  for (const std::int64_t feature : options.monotone)
    growth.monotone[static_cast<std::size_t>(std::abs(feature)) - 1] = feature > 0 ? 1 : -1;
  return growth;
}

/// Returns the features of relevance of some rows, ascending: in the table if they follow each
/// other there, which spares memory, or else in `copied`.
std::span<const float> features_of(std::span<const std::uint32_t> rows, const FeatureTable& table,
                                   std::vector<float>& copied) {
  const auto count = static_cast<std::size_t>(table.relevance_count());
  const std::size_t numbers = rows.size() * count;
  if (rows.empty()) return {};
  if (table.bias_count() == 0 && rows.back() - rows.front() + 1 == rows.size())
    return {table.row(rows.front()).data(), numbers};
  copied.reserve(numbers);
  for (const std::uint32_t row : rows) {
    const auto its = table.row(row).first(count);
    copied.insert(copied.end(), its.begin(), its.end());
  }
  return copied;
}

/// Returns the number of XGBoost's threads for so many numbers. Its threads spin while they wait
/// for each other, which takes longer than the work on small data.
int xgboost_threads(std::size_t numbers, int most) {
  constexpr std::size_t numbers_per_thread = 5'000'000;
  const std::size_t wanted = 1 + numbers / numbers_per_thread;
  return static_cast<int>(std::min(wanted, static_cast<std::size_t>(most)));
}

/// Throws DataError unless a feature, from 1, of all rows is a category or missing.
void check_categories(const TreeTower& tower, const FeatureTable& features, std::int64_t feature) {
  const std::int64_t categories = tower.options().categories;
  for (std::int64_t row = 0; row < features.rows(); ++row) {
    const float x = features.row(row)[static_cast<std::size_t>(feature) - 1];
    if (std::isnan(x)) continue;
    if (!(x >= 0 && x == std::floor(x)))
      throw DataError(fmt::format(
          "{}: categorical feature {} of pair {} is {}; expected a whole number from 0, without "
          "log1p and standardise of data.scaling",
          tower.name(), feature, row, x));
    if (x >= static_cast<float>(categories))
      throw DataError(fmt::format(
          "{}: categorical feature {} of pair {} is {}; expected at most {}, as the option "
          "categories is {}",
          tower.name(), feature, row, x, categories - 1, categories));
  }
}

/// Throws ConfigError unless all towers have the same option regrow, which is returned.
bool wants_to_regrow(const std::vector<TreeTower*>& towers) {
  const bool regrow = towers.front()->options().regrow;
  for (const TreeTower* tower : towers)
    if (tower->options().regrow != regrow)
      throw ConfigError(fmt::format("{} has regrow: {}, and {} has regrow: {}; expected the same",
                                    towers.front()->name(), regrow, tower->name(), !regrow));
  return regrow;
}

/// Throws ConfigError if training ends before all trees are grown, so many times.
void check_epochs(const std::vector<TreeTower*>& towers, std::int64_t epochs, std::int64_t times) {
  for (const TreeTower* tower : towers)
    if (const std::int64_t rounds = tower->options().rounds; epochs < times * rounds)
      throw ConfigError(
          fmt::format("train.epochs is {}, and each epoch grows one tree; expected at least {}, "
                      "{}the rounds of {}",
                      epochs, times * rounds, times == 1 ? "" : "twice ", tower->name()));
}

}  // namespace

std::vector<TreeTower*> tree_towers(const TrainableModel& model) {
  std::vector<TreeTower*> towers;
  for (const TrainableModel::Layer& layer : model.layers())
    if (auto* tower = dynamic_cast<TreeTower*>(layer.layer.get())) towers.push_back(tower);
  return towers;
}

void check_tree_options(const TrainableModel& model, const FeatureTable& features) {
  for (const TreeTower* tower : tree_towers(model)) {
    const TreeTowerOptions& options = tower->options();
    for (const std::int64_t feature : options.monotone)
      if (feature == 0 || std::abs(feature) > features.relevance_count())
        throw ConfigError(
            fmt::format("{}: monotone names feature {}; expected 1 to {}, or the negative of one",
                        tower->name(), feature, features.relevance_count()));
    for (const std::int64_t feature : options.categorical) {
      if (feature > features.relevance_count())
        throw ConfigError(fmt::format("{}: categorical names feature {}; expected 1 to {}",
                                      tower->name(), feature, features.relevance_count()));
      if (std::ranges::any_of(options.monotone,
                              [&](std::int64_t other) { return std::abs(other) == feature; }))
        throw ConfigError(
            fmt::format("{}: feature {} is categorical and monotone; expected one of both, since "
                        "categories have no order",
                        tower->name(), feature));
      check_categories(*tower, features, feature);
    }
  }
}

BoostingFitter::BoostingFitter(const FitSetting& setting, const MakeFitter& make)
    : setting_(setting), towers_(tree_towers(setting.model)) {
  if (setting.model.setting().processes != nullptr)
    throw ConfigError(
        fmt::format("{}: 'boosted_trees' needs all sessions at once, which cannot be divided over "
                    "{} processes; "
                    "expected one process",
                    towers_.front()->name(), setting.model.setting().processes->size()));
  for (const TreeTower* tower : towers_)
    growing_rounds_ = std::max(growing_rounds_, tower->options().rounds);
  std::vector<TrainableModel::Layer> others;
  for (const TrainableModel::Layer& layer : setting.model.layers())
    if (dynamic_cast<TreeTower*>(layer.layer.get()) == nullptr) others.push_back(layer);
  regrows_ = wants_to_regrow(towers_) && !others.empty();
  check_epochs(towers_, setting.options.epochs, regrows_ ? 2 : 1);
  if (others.empty()) return;
  // The model outlives the fitter, and with it its story.
  const std::shared_ptr<const ClickModel> story(&setting.model.story(), [](const ClickModel*) {});
  others_ = std::make_unique<TrainableModel>(setting.model.type(), story, std::move(others),
                                             setting.model.setting());
  fitter_ = make({.model = *others_,
                  .train = setting.train,
                  .options = setting.options,
                  .seed = setting.seed,
                  .threads = setting.threads});
}

void BoostingFitter::prepare() {
  const FeatureTable& table = training_features(setting_);
  check_tree_options(setting_.model, table);
  slopes_ = std::make_unique<ScoreSlopes>(
      setting_.model, std::vector<const FeatureScorer*>(towers_.begin(), towers_.end()),
      setting_.train,
      StepSettings{
          .mean = setting_.options.mean(), .seed = setting_.seed, .threads = setting_.threads});
  std::vector<bool> shown(static_cast<std::size_t>(table.rows()), false);
  if (setting_.train.features().empty()) {
    for (std::size_t i = 0; i < setting_.train.sessions(); ++i)
      for (const std::uint32_t row : setting_.train[i].rows) shown[row] = true;
  } else {
    std::fill(shown.begin() + 1, shown.end(), true);
  }
  for (std::uint32_t row = 0; row < shown.size(); ++row)
    if (shown[row]) rows_.push_back(row);
  const auto count = static_cast<std::size_t>(table.relevance_count());
  std::vector<float> copied;
  const std::span<const float> features = features_of(rows_, table, copied);
  const int threads = xgboost_threads(features.size(), setting_.threads);
  for (TreeTower* tower : towers_)
    growing_.push_back({tower, TreeGrower(features, count, growth(*tower), threads)});
}

void BoostingFitter::grow(std::int64_t round) {
  std::vector<double> slopes(rows_.size()), curvatures(rows_.size());
  for (std::size_t t = 0; t < growing_.size(); ++t) {
    TreeTower& tower = *growing_[t].tower;
    if (static_cast<std::int64_t>(tower.trees().size()) >= std::min(round, tower.options().rounds))
      continue;
    const double share = tower.options().subsample;
    RandomStream random(setting_.seed, RandomPurpose::boosting, static_cast<std::uint32_t>(round),
                        t);
    const std::uint64_t seed = random.bits();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const bool taken = share == 1 || random.uniform() < share;
      slopes[i] = taken ? slopes_->slopes(t)[rows_[i]] : 0;
      curvatures[i] = taken ? slopes_->curvatures(t)[rows_[i]] : 0;
    }
    tower.add(growing_[t].grower.grow(slopes, curvatures, seed));
  }
}

PassResult BoostingFitter::pass(std::int64_t epoch,
                                const std::function<void(std::size_t)>& progress) {
  const bool again = regrows_ && epoch > growing_rounds_;
  const std::int64_t round = again ? epoch - growing_rounds_ : epoch;
  const bool others_learn = fitter_ != nullptr && !again;
  for (TreeTower* tower : towers_)
    if (again && !tower->is_regrown()) tower->clear_to_regrow();
  const auto is_grown = [&](const TreeTower* tower) {
    return static_cast<std::int64_t>(tower->trees().size()) >=
           std::min(round, tower->options().rounds);
  };
  PassResult result{.learning_rate = towers_.front()->options().learning_rate};
  if (!std::all_of(towers_.begin(), towers_.end(), is_grown)) {
    if (!slopes_) prepare();
    const BatchLoss loss = (*slopes_)(static_cast<std::uint32_t>(epoch),
                                      others_learn ? std::function<void(std::size_t)>() : progress);
    result.loss = loss.sum / loss.units;
    grow(round);
  }
  if (others_learn) return fitter_->pass(epoch, progress);
  ++rounds_;
  return result;
}

FitProgress BoostingFitter::progress() const {
  return fitter_ ? fitter_->progress() : FitProgress{.steps = rounds_};
}

void BoostingFitter::resume(const FitProgress& progress) {
  if (fitter_)
    fitter_->resume(progress);
  else
    rounds_ = progress.steps;
}

bool BoostingFitter::are_all_grown() const {
  return std::all_of(towers_.begin(), towers_.end(), [](const TreeTower* tower) {
    return static_cast<std::int64_t>(tower->trees().size()) >= tower->options().rounds;
  });
}

bool BoostingFitter::finished() const {
  return are_all_grown() && (!regrows_ || towers_.front()->is_regrown());
}

std::string BoostingFitter::why_validation_is_ignored() const {
  if (regrows_) return "trees are grown twice (regrow)";
  const auto* loss = dynamic_cast<const RankingLoss*>(&setting_.model.story());
  if (fitter_ != nullptr && loss != nullptr && loss->weights_drift())
    return "its losses cannot be compared between epochs: all rounds are kept";
  return "";
}

}  // namespace ultr
