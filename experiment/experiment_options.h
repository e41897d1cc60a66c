#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiment/registry.h"
#include "metrics/metrics.h"
#include "models/model_options.h"
#include "options/config_tree.h"
#include "options/fields.h"
#include "training/checkpoint_options.h"
#include "training/train_options.h"

namespace ultr {

/// evaluate: how results are measured.
struct EvaluateOptions final : Options {
  std::vector<std::int64_t> cutoffs = {1, 3, 5, 10};
  std::string gain = "exponential";
  std::string without_relevant = "zero";

  void fields(Fields& f) override;
  RankingOptions ranking() const;
};

/// report: what the run's page shows.
struct ReportOptions final : Options {
  bool enabled = true;
  std::string title;

  void fields(Fields& f) override;
};

/// The loss.type of click models, which have their own.
inline constexpr const char* likelihood_loss = "likelihood";

/// One experiment: all that a configuration may say.
struct ExperimentOptions final : Options {
  std::string name;
  std::int64_t seed = 1;
  std::int64_t threads = 0;
  std::string output;
  std::vector<std::string> plugins;
  /// The registry that the options choose from; set by resolve_options.
  Registry* known_types = nullptr;
  /// In place of all that follows but the report: a Task other than training a model.
  std::optional<Choice> analysis;
  Choice data, loss, model, optimizer;  // no model with a ranking loss, which has its towers
  TrainOptions train;
  CheckpointOptions checkpoint;
  EvaluateOptions evaluate;
  ReportOptions report;

  /// Chooses from the registry's types, and must not outlive it.
  explicit ExperimentOptions(const Registry& registry);
  void fields(Fields& f) override;
  /// Makes the options those of an analysis if the configuration has one, to be called before it is
  /// read. Throws ConfigError if the analysis has no type or stands beside what it replaces.
  void choose_analysis(const ConfigNode& config, const Registry& registry);
  /// Throws ConfigError if it is an analysis, which has neither data nor a model.
  void expect_model() const;
  bool trains_click_model() const { return loss.type == likelihood_loss; }
  /// What is trained: a click model, or a ranking loss.
  ModelOptions& trained() const { return (trains_click_model() ? model : loss).as<ModelOptions>(); }
  /// Finds all files and makes their paths absolute (see DataOptions::locate_files).
  void locate_files(const std::filesystem::path& config_folder) const;
  /// What no field can see alone. Throws ConfigError.
  void check() const;
};

/// Threads to use, at least 1.
int count_threads(const ExperimentOptions& options);

}  // namespace ultr
