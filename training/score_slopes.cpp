#include "training/score_slopes.h"

#include <algorithm>
#include <cmath>

namespace ultr {

ScoreSlopes::ScoreSlopes(const TrainableModel& model, std::vector<const FeatureScorer*> scorers,
                         const SessionLog& log, const StepSettings& settings)
    : log_(log),
      scorers_(std::move(scorers)),
      settings_(settings),
      workers_(settings.threads),
      losses_(
          programs_for_workers(model, ProgramKind::training_loss, settings.threads, settings.mean)),
      curvatures_(
          programs_for_workers(model, ProgramKind::curvature, settings.threads, settings.mean)),
      shards_(log, static_cast<std::size_t>(settings.threads)),
      // A few shards per worker: enough to keep all busy, few enough to stay in the cache.
      wave_(static_cast<std::size_t>(settings.threads) * 4) {
  const FeatureTable& features = log.features().empty() ? model.setting().features : log.features();
  const std::vector<double> zeros(static_cast<std::size_t>(features.rows()), 0.0);
  sums_.assign(scorers_.size(), {zeros, zeros});
}

void ScoreSlopes::take(const ClickProgram& program, std::size_t documents,
                       std::vector<std::vector<float>>& to) const {
  to.resize(scorers_.size());
  for (std::size_t s = 0; s < scorers_.size(); ++s) {
    to[s].assign(documents, 0.0f);
    const ParameterView* const view = program.inputs().score_view(*scorers_[s]);
    for (const SparseGradient& gradient : program.tape().sparse_gradients()) {
      if (gradient.parameter != view) continue;
      const auto* const values = static_cast<const float*>(gradient.values);
      for (std::size_t i = 0; i < gradient.rows.size(); ++i) to[s][gradient.rows[i]] += values[i];
    }
  }
}

void ScoreSlopes::run_shard(std::size_t worker, std::size_t number, std::uint32_t round,
                            ShardSlopes& result) {
  // Steps of an optimizer in the same training count from 0: rounds have other noise.
  constexpr std::uint32_t not_a_step = std::uint32_t{1} << 31;
  const NoiseKey noise{.seed = settings_.seed,
                       .step = not_a_step | round,
                       .shard = static_cast<std::uint32_t>(number)};
  const Shard& shard = shards_.shard(number, worker);
  ClickProgram& loss = losses_[worker].run(shard, noise);
  result.loss = loss.loss();
  result.units = settings_.mean == LossMean::documents ? shard.weighted_documents()
                                                       : shard.weighted_sessions();
  loss.backward(1);
  take(loss, shard.documents(), result.slopes);
  ClickProgram& curvature = curvatures_[worker].run(shard, noise);
  curvature.backward(1);
  take(curvature, shard.documents(), result.curvatures);
  result.rows.assign(shard.feature_rows().begin(), shard.feature_rows().end());
}

BatchLoss ScoreSlopes::operator()(std::uint32_t round,
                                  const std::function<void(std::size_t)>& progress) {
  BatchLoss total;
  for (Sums& sums : sums_)
    for (auto* numbers : {&sums.slopes, &sums.curvatures})
      std::fill(numbers->begin(), numbers->end(), 0.0);
  shards_.begin_pass();
  for (std::size_t begin = 0; begin < shards_.count(); begin += wave_.size()) {
    const std::size_t count = std::min(wave_.size(), shards_.count() - begin);
    workers_(workers_.count(), count, [&](std::size_t worker, std::size_t place) {
      run_shard(worker, begin + place, round, wave_[place]);
    });
    for (std::size_t place = 0; place < count; ++place) {
      const ShardSlopes& shard = wave_[place];
      total.sum += shard.loss;
      total.units += shard.units;
      for (std::size_t s = 0; s < scorers_.size(); ++s)
        for (std::size_t i = 0; i < shard.rows.size(); ++i) {
          sums_[s].slopes[shard.rows[i]] += static_cast<double>(shard.slopes[s][i]);
          sums_[s].curvatures[shard.rows[i]] += static_cast<double>(shard.curvatures[s][i]);
        }
    }
    if (progress) progress(std::min((begin + count) * shard_sessions, log_.sessions()));
  }
  log_.release();
  if (!std::isfinite(total.sum))
    throw Diverged(
        "the training loss is not finite; a smaller learning_rate of the trees may help");
  return total;
}

}  // namespace ultr
