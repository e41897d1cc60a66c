#include "runs/run_inputs.h"

#include <numeric>
#include <span>
#include <string>

#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "dsl/divided_model.h"
#include "experiment/bias_estimation.h"

namespace ultr {
namespace {

/// Throws ConfigError if the model cannot learn from the targets of a log.
void expect_fitting_targets(const TrainableModel& model, const SessionLog& log) {
  const Targets fitting = model.story().targets();
  if (!log.has_targets() || fitting == Targets::grades) return;
  if (fitting == Targets::clicks)
    throw ConfigError(fmt::format(
        "{} learns from clicks, session by session, and the training data have labels or click "
        "rates; expected a ranking loss, or clicks",
        model.type()));
  if (const auto target = log.target_above_one())
    throw ConfigError(fmt::format(
        "{} learns from clicks or their rates, and the training data have a target of {}; "
        "expected at most 1 (data.learn_from.scale: probability)",
        model.type(), *target));
}

/// Describes what is learned: clicks, or targets such as click rates or labels.
std::string described_clicks(const SessionLog& log) {
  const std::span<const float> targets = log.targets();
  if (targets.empty()) return fmt::format("click rate {:.4f}", log.click_rate());
  const double sum = std::accumulate(targets.begin(), targets.end(), 0.0);
  return fmt::format("mean target {:.4f}", sum / static_cast<double>(targets.size()));
}

}  // namespace

ExperimentData load_data(const ExperimentOptions& options) {
  return load_data(
      options.data.as<DataOptions>(), options.name,
      {.seed = static_cast<std::uint64_t>(options.seed), .threads = count_threads(options)});
}

ExperimentData load_data(const DataOptions& options, const std::string& name,
                         const DataSetting& setting) {
  ExperimentData data = options.load(setting);
  const Dataset& dataset = data.dataset;
  for (const std::string& note : dataset.notes) log().warn("{}", note);
  log().info(
      "{}: {} training, {} validation, {} test sessions; {} query-document pairs; {}; {} thread{}",
      name, dataset.train.sessions(), dataset.valid.sessions(), dataset.test.sessions(),
      dataset.dictionary.rows() - 1, described_clicks(dataset.train), setting.threads,
      setting.threads == 1 ? "" : "s");
  return data;
}

TrainableModel build_model(const ExperimentOptions& options, const Dataset& dataset,
                           Communicator* processes) {
  TrainableModel model =
      options.trained().build({.rows = dataset.dictionary.rows(),
                               .positions = static_cast<std::int64_t>(dataset.positions),
                               .seed = static_cast<std::uint64_t>(options.seed),
                               .features = dataset.features,
                               .train = &dataset.train,
                               .held_out = {&dataset.valid, &dataset.test},
                               .estimated_propensities = estimate_propensities(options, dataset),
                               .processes = processes});
  divide_tables(model);  // throws if they cannot be divided
  expect_fitting_targets(model, dataset.train);
  for (const SessionLog* log : {&dataset.train, &dataset.valid, &dataset.test})
    model.story().check(*log);
  return model;
}

}  // namespace ultr
