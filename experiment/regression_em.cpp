#include "experiment/regression_em.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dsl/programs/start.h"
#include "metrics/interventions.h"
#include "models/models.h"
#include "optim/coins.h"
#include "training/fitters.h"

namespace ultr {
namespace {

/// Returns log θ_k of each position under a position-based model.
std::vector<double> log_examination(const TrainableModel& model) {
  const auto layer =
      std::find_if(model.layers().begin(), model.layers().end(),
                   [](const TrainableModel::Layer& l) { return l.domain == Domain::rank; });
  const EntryLogits logits = *layer->layer->entry_logits();
  std::vector<double> logs;
  for (std::int64_t k = 0; k < model.setting().positions; ++k) {
    const double baseline =
        logits.baseline == nullptr ? 0 : static_cast<double>(logits.baseline->value(0));
    logs.push_back(
        -std::log1p(std::exp(-(static_cast<double>(logits.values->value(k)) + baseline))));
  }
  return logs;
}

}  // namespace

RegressionEm regression_em(const Dataset& dataset, const RegressionEmOptions& options,
                           const std::function<void(std::uint64_t sessions)>& progress) {
  const InterventionSums sums = Interventions(dataset.train).sums();
  const std::vector<bool> linked = sums.linked_to_first();
  RegressionEm result;
  result.propensities.assign(sums.positions, std::numeric_limits<double>::quiet_NaN());
  if (!sums.any() || sums.clicks[0] == 0) {
    result.settled = true;
    return result;
  }

  const std::vector<OptionType> no_models;
  const TrainableModel model =
      ModelOptions(model_type<PositionBasedModel>("pbm", ""), no_models)
          .build({.rows = dataset.dictionary.rows(),
                  .positions = static_cast<std::int64_t>(dataset.positions),
                  .seed = options.seed});
  start_at_click_rate(model, dataset.train);
  TrainOptions train;
  train.epochs = options.most_passes;
  const auto fitter = make_fitter(EmOptions(), {.model = model,
                                                .train = dataset.train,
                                                .options = train,
                                                .seed = options.seed,
                                                .threads = options.threads});
  const auto compared = [&](std::size_t k) { return linked[k] && sums.clicks[k] > 0; };
  std::vector<double> log_theta = log_examination(model);
  while (!result.settled && result.passes < options.most_passes) {
    const std::uint64_t seen = static_cast<std::uint64_t>(result.passes) * dataset.train.sessions();
    fitter->pass(++result.passes, [&](std::size_t done) {
      if (progress) progress(seen + done);
    });
    const std::vector<double> next = log_examination(model);
    double change = 0;
    for (std::size_t k = 1; k < sums.positions; ++k)
      if (compared(k))
        change = std::max(change, std::abs((next[k] - next[0]) - (log_theta[k] - log_theta[0])));
    result.settled = change <= options.settled_change;
    log_theta = next;
  }
  for (std::size_t k = 0; k < sums.positions; ++k)
    if (linked[k]) result.propensities[k] = compared(k) ? std::exp(log_theta[k] - log_theta[0]) : 0;
  return result;
}

}  // namespace ultr
