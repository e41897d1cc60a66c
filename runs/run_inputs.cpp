#include "runs/run_inputs.h"

#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "data/simulation/made_up_signals.h"
#include "dsl/divided_model.h"
#include "experiment/bias_estimation.h"
#include "runs/teacher.h"
#include "training/boosting_fitter.h"
#include "training/fitters.h"

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

TrainableModel build_with(const Propensities& estimated, const ExperimentOptions& options,
                          const Dataset& dataset, Communicator* processes) {
  TrainableModel model =
      options.trained().build({.rows = dataset.dictionary.rows(),
                               .positions = static_cast<std::int64_t>(dataset.positions),
                               .seed = static_cast<std::uint64_t>(options.seed),
                               .features = dataset.features,
                               .train = &dataset.train,
                               .held_out = {&dataset.valid, &dataset.test},
                               .estimated_propensities = estimated,
                               .processes = processes});
  divide_tables(model);  // throws if they cannot be divided
  expect_fitting_targets(model, dataset.train);
  return model;
}

/// Returns a list of one document, of the kind that a source of data has, and a dictionary of so
/// many pairs that tables of all their entries can be compressed.
Dataset one_list(const DataOptions& source) {
  constexpr std::size_t positions = 10, pairs = 10'000;
  Dataset dataset;
  dataset.positions = positions;
  for (std::uint64_t document = 0; document < pairs; ++document)
    dataset.dictionary.add(1, document);
  const std::uint32_t row = 1;
  if (source.may_have_features())
    dataset.features =
        FeatureTable(std::vector<float>(1 + pairs), 1, 0, source.scaling()->keeps_missing());
  if (source.may_have_words()) {
    constexpr std::int64_t vocabulary = 1 << 15;  // has the tokens of special meaning of BERT's
    TokenColumnsBuilder words;
    for (std::uint64_t document = 0; document < pairs; ++document) words.add({}, {});
    dataset.features.set_tokens({words.build(), vocabulary});
  }
  const std::vector<float> target = {source.targets() == Targets::grades ? 2.f : 1.f};
  dataset.train.add(
      {.rows = std::span(&row, 1),
       .positions = std::vector<std::uint16_t>{0},
       .clicks = std::vector<std::uint8_t>{1},
       .query = 1,
       .targets = std::span(target).first(source.targets() == Targets::clicks ? 0 : 1)});
  dataset.train = with_made_up_signals(dataset.train);  // the data may have signals
  return dataset;
}

/// Describes what is learned: clicks, or targets such as click rates or labels.
std::string described_clicks(const SessionLog& log) {
  const std::span<const float> targets = log.targets();
  if (targets.empty()) return fmt::format("click rate {:.4f}", log.click_rate());
  const double sum = std::accumulate(targets.begin(), targets.end(), 0.0);
  return fmt::format("mean target {:.4f}", sum / static_cast<double>(targets.size()));
}

}  // namespace

void expect_trainable(const ExperimentOptions& options) {
  const auto& source = options.data.as<DataOptions>();
  const Dataset dataset = one_list(source);
  const TrainableModel model = build_with(options.trained().propensity_estimator().empty()
                                              ? Propensities()
                                              : Propensities(dataset.positions, 1),
                                          options, dataset, nullptr);
  TrainOptions train = options.train;
  if (train.partitions <= train.batch_size) train.partitions = 0;  // one list has one part
  for (const TrainableModel& stage : model.stages())
    make_fitter(options.optimizer.as<FitOptions>(),
                {.model = stage, .train = dataset.train, .options = train});
  make_teacher(model, options);
  source.expect_readable();
}

ExperimentData load_data(const ExperimentOptions& options, MadeLists* made) {
  return load_data(options.data.as<DataOptions>(), options.name,
                   {.seed = static_cast<std::uint64_t>(options.seed),
                    .threads = count_threads(options),
                    .made = made});
}

ExperimentData load_data(const DataOptions& options, const std::string& name,
                         const DataSetting& setting) {
  std::optional<ProgressBars> bars(std::in_place);
  ExperimentData data =
      options.load({.seed = setting.seed,
                    .threads = setting.threads,
                    .progress = setting.progress ? setting.progress : std::ref(*bars),
                    .made = setting.made});
  bars.reset();  // clears the terminal
  const Dataset& dataset = data.dataset;
  for (const std::string& note : dataset.notes) log().warn("{}", note);
  const auto sessions = [](const SessionLog& log) { return std::round(log.weighted_sessions()); };
  log().info(
      "{}: {} training, {} validation, {} test sessions; {} query-document pairs; {}; {} thread{}",
      name, sessions(dataset.train), sessions(dataset.valid), sessions(dataset.test),
      dataset.dictionary.rows() - 1, described_clicks(dataset.train), setting.threads,
      setting.threads == 1 ? "" : "s");
  return data;
}

TrainableModel build_model(const ExperimentOptions& options, const Dataset& dataset,
                           Communicator* processes) {
  TrainableModel model =
      build_with(estimate_propensities(options, dataset), options, dataset, processes);
  for (const SessionLog* log : {&dataset.train, &dataset.valid, &dataset.test}) model.check(*log);
  for (const FeatureTable* features : {&dataset.features, &dataset.train.features(),
                                       &dataset.valid.features(), &dataset.test.features()})
    if (!features->empty()) check_tree_options(model, *features);
  return model;
}

}  // namespace ultr
