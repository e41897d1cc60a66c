#include "runs/bootstrap_relevance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/quantile.h"
#include "base/random.h"
#include "base/sigmoid.h"
#include "base/threads/thread_limit.h"
#include "runs/pair_relevance.h"
#include "training/fitters.h"

namespace ultr {
namespace {

constexpr double outside = 0.025;  // share of resamples beyond each bound

/// Draws as many sessions as the lists of a log stand for, with replacement, and weighs lists by
/// them.
SessionLog resample_weighted(const SessionLog& log, RandomStream& random) {
  std::vector<double> ends(log.weights().begin(), log.weights().end());
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<double> drawn(log.sessions());
  for (auto left = static_cast<std::uint64_t>(std::llround(ends.back())); left > 0; --left) {
    const auto end = std::ranges::upper_bound(ends, random.uniform() * ends.back());
    ++drawn[std::min(static_cast<std::size_t>(end - ends.begin()), drawn.size() - 1)];
  }
  SessionLog sessions;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (drawn[i] == 0) continue;
    SessionView session = log[i];
    session.weight = drawn[i];
    sessions.add(session);
  }
  return sessions;
}

/// Draws as many sessions as a log has, with replacement.
SessionLog resample(const SessionLog& log, std::uint64_t seed, std::size_t number) {
  RandomStream random(seed, RandomPurpose::resampling, static_cast<std::uint32_t>(number), 0);
  if (log.has_weights()) return resample_weighted(log, random);
  std::vector<std::size_t> drawn(log.sessions());
  for (std::size_t& session : drawn) session = random.below(log.sessions());
  std::ranges::sort(drawn);  // neighbours are read together
  SessionLog sessions;
  for (const std::size_t session : drawn) sessions.add(log[session]);
  return sessions;
}

/// Returns a model with the parameters of the saved one, trained on other sessions.
TrainableModel trained_on(const SavedModel& saved, const SessionLog& sessions,
                          const RelevanceBootstrap& options) {
  TrainableModel model = saved.options().trained().build(saved.model().setting());
  const std::vector<Parameter*> from = saved.model().parameters(), to = model.parameters();
  for (std::size_t i = 0; i < to.size(); ++i) to[i]->assign(from[i]->values());
  const TrainOptions& train = saved.options().train;
  const auto fitter = make_fitter(saved.options().optimizer.as<FitOptions>(),
                                  {.model = model,
                                   .train = sessions,
                                   .options = train,
                                   .seed = static_cast<std::uint64_t>(saved.options().seed),
                                   .threads = options.threads});
  for (std::int64_t epoch = 1; epoch <= train.epochs && !fitter->finished(); ++epoch)
    fitter->pass(epoch, {});
  return model;
}

}  // namespace

std::vector<ConfidenceInterval> bootstrap_relevance(
    const SavedModel& saved, const SessionLog& train, const RelevanceBootstrap& options,
    const std::function<void(std::size_t)>& progress) {
  if (saved.model().stages().size() > 1)
    throw ConfigError("bootstrap: the model is trained in stages; expected one that is not");
  if (saved.features() > 0)
    throw ConfigError("bootstrap: the model reads features; expected one with tables only");
  const ThreadLimit limit(options.threads);
  const auto rows = static_cast<std::size_t>(saved.dictionary().rows());
  std::vector<std::vector<float>> values(rows);
  std::vector<std::uint8_t> shown;
  for (std::size_t number = 0; number < options.resamples; ++number) {
    const SessionLog sessions = resample(train, options.seed, number);
    const TrainableModel model = trained_on(saved, sessions, options);
    const std::vector<double> logits = relevance_logits(model, options.threads);
    shown.assign(rows, 0);
    for (const std::uint32_t row : sessions.rows()) shown[row] = 1;
    for (std::size_t row = 0; row < rows; ++row)
      if (shown[row] != 0) values[row].push_back(static_cast<float>(sigmoid(logits[row])));
    if (progress) progress(number + 1);
  }
  std::vector<ConfidenceInterval> intervals;
  for (std::vector<float>& of_row : values) {
    std::ranges::sort(of_row);
    const std::vector<double> sorted(of_row.begin(), of_row.end());
    intervals.push_back(sorted.empty() ? ConfidenceInterval{0, 1}
                                       : ConfidenceInterval{quantile(sorted, outside),
                                                            quantile(sorted, 1 - outside)});
  }
  return intervals;
}

}  // namespace ultr
