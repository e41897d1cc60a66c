#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "data/features/bias_columns.h"
#include "data/features/feature_scaling.h"
#include "data/log/dataset.h"
#include "experiment/list_reader.h"
#include "models/learned_position_bias.h"
#include "options/fields.h"

namespace ultr {

/// Data as an experiment has it; simulated data come with the model that made them, scaled features
/// with their scaling, and which of them are bias features.
struct ExperimentData {
  Dataset dataset;
  std::optional<FeatureScaling> scaling;
  BiasColumns bias_columns;
  bool learns_labels = false;  // sessions have judged relevance in place of clicks
  std::shared_ptr<const TrainableModel> truth;
  /// What a simulated logging policy orders by, one a document of the judged test lists, list after
  /// list; empty: there is none.
  std::vector<double> policy_scores;
  std::optional<PositionBias> position_bias;  // that simulated users have, if it is one
};

/// What reading or making data needs to know of the experiment.
struct DataSetting {
  std::uint64_t seed = 1;
  int threads = 1;
};

/// The options of a source of data.
class DataOptions : public Options {
 public:
  /// Throws ConfigError for options that contradict each other.
  virtual void check() const = 0;
  /// Leaves out all but the training sessions: other files are neither looked for nor read.
  virtual void keep_training_only() = 0;
  /// Finds files and makes their paths absolute, so that a saved configuration works anywhere.
  /// `config_folder` is where relative paths are looked up first. Throws DataError for a missing
  /// file, with the places where it was looked for.
  virtual void locate_files(const std::filesystem::path& config_folder);
  /// Whether another seed loads other data; the number of threads never matters.
  virtual bool depends_on_seed() const = 0;
  virtual ExperimentData load(const DataSetting& setting) const = 0;

  // To use a trained model on further files ------------------------------------------------------

  /// Where the format is chosen; null if that is all that these options are of.
  virtual Choice* format() { return nullptr; }
  /// How features are scaled; null if lists have none.
  virtual const FeatureScalingOptions* scaling() const { return nullptr; }
  /// Which of so many features are bias features. Throws ConfigError as BiasColumns does.
  virtual BiasColumns bias_columns(std::size_t) const { return {}; }
  /// Reads further files in this format, the features (of which there are so many) as they are.
  /// It must not outlive the options. Null if data are made, not read.
  virtual std::unique_ptr<ListReader> list_reader(std::size_t) const { return nullptr; }
};

/// A file given relative to a configuration: beside it, in the working folder, under
/// $ULTR_DATA_DIR, or in ../shared/data. Throws DataError if it is in none.
std::filesystem::path find_data_file(const std::string& given,
                                     const std::filesystem::path& config_folder);

}  // namespace ultr
