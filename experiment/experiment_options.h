#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dsl/model_options.h"
#include "experiment/registry.h"
#include "metrics/metrics.h"
#include "options/config_tree.h"
#include "options/fields.h"
#include "training/train_options.h"

namespace ultr {

/// Section `evaluate`: how results are measured.
struct EvaluateOptions final : Options {
  std::vector<std::int64_t> cutoffs = {1, 3, 5, 10};
  std::string gain = "exponential";
  std::string without_relevant = "zero";
  std::int64_t relevant = 1;
  std::int64_t train_sessions = 200000;

  void fields(Fields& f) override;
  RankingOptions ranking() const;
};

/// Section `report`: the page about the run.
struct ReportOptions final : Options {
  bool enabled = true;
  std::string title;

  void fields(Fields& f) override;
};

/// The loss.type of click models, which maximise a likelihood of their own.
inline constexpr const char* likelihood_loss = "likelihood";

/// One experiment: all options of a configuration.
struct ExperimentOptions final : Options {
  std::string name;
  std::int64_t seed = 1;
  std::int64_t threads = 0;
  std::string output;
  std::vector<std::string> plugins;
  /// The registry that the options choose from; set by resolve_options.
  Registry* known_types = nullptr;
  /// A Task to run instead of training a model. Of the options below, only `report` counts.
  std::optional<Choice> analysis;
  Choice data, loss, model, optimizer;  // a ranking loss has its own towers in place of a model
  TrainOptions train;
  CheckpointOptions checkpoint;
  EvaluateOptions evaluate;
  ReportOptions report;

  /// Starts with the defaults, of types of the registry, which must outlive the options.
  explicit ExperimentOptions(const Registry& registry);
  void fields(Fields& f) override;
  /// Makes these the options of an analysis if the configuration has one. Must be called before the
  /// configuration is read. Throws ConfigError if the analysis has no type or stands beside options
  /// that it replaces.
  void choose_analysis(const ConfigNode& config, const Registry& registry);
  /// Throws ConfigError if this is an analysis, which has neither data nor a model.
  void expect_model() const;
  bool trains_click_model() const { return loss.type == likelihood_loss; }
  /// Returns the options of the click model or ranking loss to train.
  ModelOptions& trained() const { return (trains_click_model() ? model : loss).as<ModelOptions>(); }
  /// Finds all files and makes their paths absolute (see DataOptions::locate_files).
  void locate_files(const std::filesystem::path& config_folder) const;
  /// Checks conditions across fields. Throws ConfigError if one does not hold.
  void check() const;
};

/// Returns the number of threads to use, at least 1.
int count_threads(const ExperimentOptions& options);

}  // namespace ultr
