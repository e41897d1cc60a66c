#include "runs/bootstrap_relevance.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/sigmoid.h"
#include "base/threads/thread_limit.h"
#include "dsl/programs/start.h"
#include "metrics/bootstrap.h"
#include "runs/pair_relevance.h"
#include "runs/results/run_results.h"
#include "training/fitters.h"
#include "training/predictor.h"

namespace ultr {
namespace {

/// Draws as many sessions as a log has, or as its lists stand for, with replacement.
SessionLog resample(const SessionLog& log, std::uint64_t seed, std::size_t number) {
  const RandomStream random(seed, RandomPurpose::resampling, static_cast<std::uint32_t>(number), 0);
  SessionLog sessions;
  if (log.has_weights()) {
    const std::vector<double> times = draw_by_weight(log.weights(), random);
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (times[i] == 0) continue;
      SessionView session = log[i];
      session.weight = times[i];
      sessions.add(session);
    }
  } else {
    const std::vector<std::uint8_t> times = draw_with_replacement(log.sessions(), random);
    for (std::size_t i = 0; i < times.size(); ++i)
      for (int time = 0; time < times[i]; ++time) sessions.add(log[i]);
  }
  return sessions;
}

/// Trains the model of a run on resamples.
class Retraining {
 public:
  Retraining(const SavedModel& saved, const Dataset& data, int threads)
      : saved_(saved),
        data_(data),
        threads_(threads),
        anew_(saved.features() > 0),
        epochs_(epochs_of_stages()) {}

  bool begins_anew() const { return anew_; }

  /// Trains on sessions with the options of the run.
  TrainableModel operator()(const SessionLog& sessions) const {
    ModelSetting setting = saved_.model().setting();
    if (anew_) {
      setting.rows = data_.dictionary.rows();
      setting.features = data_.features;
    }
    setting.train = &sessions;
    TrainableModel model = saved_.options().trained().build(setting);
    if (!anew_) start_at_saved_parameters(model);
    const std::vector<TrainableModel> stages = model.stages();
    for (std::size_t i = 0; i < stages.size(); ++i) train(stages[i], sessions, epochs_[i]);
    return model;
  }

 private:
  /// Returns the epochs to train each stage: those whose parameters the run has kept, if training
  /// starts anew and its results are there.
  std::vector<std::int64_t> epochs_of_stages() const {
    std::vector<std::int64_t> epochs(saved_.model().stages().size(), saved_.options().train.epochs);
    if (!anew_ || !std::filesystem::exists(saved_.run() / "results.json")) return epochs;
    const RunResults results = read_runs(std::span(&saved_.run(), 1)).front();
    for (std::size_t i = 0; i < epochs.size(); ++i) {
      const auto best = results.metrics.find(
          i + 1 == epochs.size() ? std::string("best_epoch")
                                 : fmt::format("earlier_stages.{}.best_epoch", i + 1));
      if (best != results.metrics.end() && best->second >= 1)
        epochs[i] = std::min(epochs[i], static_cast<std::int64_t>(best->second));
    }
    return epochs;
  }

  void start_at_saved_parameters(const TrainableModel& model) const {
    const std::vector<Parameter*> from = saved_.model().parameters(), to = model.parameters();
    for (std::size_t i = 0; i < to.size(); ++i) to[i]->assign(from[i]->values());
  }

  void train(const TrainableModel& stage, const SessionLog& sessions, std::int64_t epochs) const {
    if (anew_ && stage.story().predicts_clicks() && !sessions.target_above_one())
      start_at_click_rate(stage, sessions);
    const auto fitter = make_fitter(saved_.options().optimizer.as<FitOptions>(),
                                    {.model = stage,
                                     .train = sessions,
                                     .options = saved_.options().train,
                                     .seed = static_cast<std::uint64_t>(saved_.options().seed),
                                     .threads = threads_});
    for (std::int64_t epoch = 1; epoch <= epochs && !fitter->finished(); ++epoch)
      fitter->pass(epoch, {});
  }

  const SavedModel& saved_;
  const Dataset& data_;
  int threads_;
  bool anew_;
  std::vector<std::int64_t> epochs_;
};

}  // namespace

std::vector<ConfidenceInterval> bootstrap_relevance(
    const SavedModel& saved, const Dataset& data, const RelevanceBootstrap& options,
    const std::function<void(std::size_t)>& progress) {
  const ThreadLimit limit(options.threads);
  const Retraining retrained(saved, data, options.threads);
  const std::int64_t entries = data.dictionary.rows();
  const auto logits_of = [&](const TrainableModel& model, const FeatureTable& features) {
    return relevance_logits(model, entries, options.threads, features);
  };
  const std::vector<double> estimate = logits_of(saved.model(), data.features),
                            gone_on = logits_of(retrained(data.train), {});
  const std::size_t rows = estimate.size();
  std::vector<std::vector<float>> values(rows);
  std::vector<bool> known(rows, true);
  for (std::size_t number = 0; number < options.resamples; ++number) {
    const SessionLog sessions = resample(data.train, options.seed, number);
    const std::vector<double> logits = logits_of(retrained(sessions), {});
    if (!retrained.begins_anew()) {
      known.assign(rows, false);
      for (const std::uint32_t row : sessions.rows()) known[row] = true;
    }
    for (std::size_t row = 0; row < rows; ++row)
      if (known[row])
        values[row].push_back(
            static_cast<float>(sigmoid(estimate[row] + logits[row] - gone_on[row])));
    if (progress) progress(number + 1);
  }
  std::vector<ConfidenceInterval> intervals;
  for (const std::vector<float>& of_row : values)
    intervals.push_back(of_row.empty() ? ConfidenceInterval{0, 1}
                                       : percentile_interval({of_row.begin(), of_row.end()}));
  return intervals;
}

}  // namespace ultr
