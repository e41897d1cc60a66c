
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "analyses/predicted_clicks.h"
#include "losses/losses.h"
#include "metrics/group_folds.h"
#include "optim/optim.h"
#include "options/config_tree.h"
#include "options/read.h"
#include "training/fitters.h"
#include "training/predictor.h"
#include "training/training.h"

namespace ultr {
namespace {

/// Scales the sample's features for towers: sign(x) ln(1 + |x|), then mean 0 and deviation 1.
/// Missing ones become the mean.
std::vector<float> scaled_features(const DocumentSample& sample) {
  const std::size_t count = sample.feature_count, rows = sample.features.size() / count;
  std::vector<float> scaled(sample.features);
  for (float& x : scaled) x = std::copysign(std::log1p(std::abs(x)), x);
  for (std::size_t column = 0; column < count; ++column) {
    const auto visit_present = [&](auto visit) {
      for (std::size_t row = 0; row < rows; ++row)
        if (float& x = scaled[row * count + column]; !std::isnan(x)) visit(x);
    };
    double sum = 0, squares = 0, present = 0;
    visit_present([&](float x) {
      sum += static_cast<double>(x);
      present += 1;
    });
    const double mean = sum / std::max(present, 1.0);
    visit_present([&](float x) {
      const double distance = static_cast<double>(x) - mean;
      squares += distance * distance;
    });
    const double deviation = std::sqrt(squares / std::max(present, 1.0));
    visit_present([&](float& x) {
      x = static_cast<float>((static_cast<double>(x) - mean) / (deviation > 0 ? deviation : 1));
    });
  }
  for (float& x : scaled)
    if (std::isnan(x)) x = 0;
  return scaled;
}

/// The sessions of a sample in the wanted folds. Documents are identified by their features alone,
/// which the sessions carry.
struct FoldSessions {
  SessionLog log{};
  std::vector<std::size_t> documents{};  // numbers in the sample
};

FoldSessions sessions_of_fold(const Dataset& dataset, const DocumentSample& sample,
                              const std::vector<float>& features, std::uint64_t seed,
                              const std::function<bool(std::uint64_t fold)>& wanted) {
  const std::size_t count = sample.feature_count;
  FoldSessions part;
  std::vector<float> rows(count);  // row 0
  std::size_t first = 0;
  for (const std::uint32_t s : sample.sessions) {
    SessionView session = dataset.train[s];
    const std::size_t length = session.rows.size();
    if (wanted(fold_of(s, seed))) {
      const std::vector<std::uint32_t> no_pairs(length, PairDictionary::unknown);
      session.rows = no_pairs;
      part.log.add(session);
      for (std::size_t i = 0; i < length; ++i) part.documents.push_back(first + i);
      const auto its = std::span(features).subspan(first * count, length * count);
      rows.insert(rows.end(), its.begin(), its.end());
    }
    first += length;
  }
  if (part.log.sessions() > 0)
    part.log.set_features({std::move(rows), static_cast<std::int64_t>(count)});
  return part;
}

}  // namespace

PredictedClicks clicks_by_tower(const Dataset& dataset, const DocumentSample& sample,
                                std::uint64_t seed, int threads) {
  PredictedClicks predicted{
      .model = "additive two-tower model with a 2 x 32 relevance tower over features",
      .clicks = std::vector(sample.features.size() / sample.feature_count,
                            std::numeric_limits<double>::quiet_NaN())};
  const std::vector<float> features = scaled_features(sample);
  const std::vector<OptionType> no_models;
  ModelOptions loss(model_type<TwoTowerLoss>("two_tower", ""), no_models);
  read_options(parse_config("relevance: {type: mlp, widths: [32, 32], activation: elu}", "tower"),
               loss);
  const Choice optimizer(optimizer_types(), "adamw");
  TrainOptions train;
  train.epochs = 100;
  train.early_stopping = 5;
  // The biases of ranks start at 0 and have some way to go: 60 steps per epoch, if there are enough
  // sessions.
  train.batch_size =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(sample.sessions.size()) / 100, 1, 64);
  auto& adamw = optimizer.as<OptimizerOptions>();
  adamw.learning_rate = 0.005;
  adamw.weight_decay = 0.01;
  for (std::uint64_t fold = 0; fold < folds; ++fold) {
    const auto sessions_of = [&](const std::function<bool(std::uint64_t)>& wanted) {
      return sessions_of_fold(dataset, sample, features, seed, wanted);
    };
    const std::uint64_t stopping = (fold + 1) % folds;
    const FoldSessions held_out = sessions_of([&](std::uint64_t f) { return f == fold; });
    Dataset others;
    others.train = sessions_of([&](std::uint64_t f) { return f != fold && f != stopping; }).log;
    others.valid = sessions_of([&](std::uint64_t f) { return f == stopping; }).log;
    if (held_out.log.sessions() * others.train.sessions() * others.valid.sessions() == 0) continue;
    const TrainableModel model =
        loss.build({.positions = static_cast<std::int64_t>(dataset.train.positions()),
                    .seed = seed,
                    .features = FeatureTable(std::vector<float>(sample.feature_count),
                                             static_cast<std::int64_t>(sample.feature_count)),
                    .train = &others.train});
    const auto fitter = make_fitter(optimizer.as<FitOptions>(), {.model = model,
                                                                 .train = others.train,
                                                                 .options = train,
                                                                 .seed = seed,
                                                                 .threads = threads});
    train_model(model, *fitter, train, others, threads, {});
    const std::vector<double> clicks = Predictor(model, threads).click(held_out.log);
    for (std::size_t i = 0; i < clicks.size(); ++i)
      predicted.clicks[held_out.documents[i]] = clicks[i];
  }
  return predicted;
}

}  // namespace ultr
