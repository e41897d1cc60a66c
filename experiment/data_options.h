#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "base/progress_bar.h"
#include "data/features/bias_columns.h"
#include "data/features/feature_scaling.h"
#include "data/log/dataset.h"
#include "data/simulation/made_lists.h"
#include "data/text/vocabulary.h"
#include "dsl/click_model.h"
#include "dsl/learned_position_bias.h"
#include "experiment/list_reader.h"
#include "options/fields.h"

namespace ultr {

/// The data of an experiment. Simulated data include the model that made them. Scaled features
/// include their scaling and which of them are bias features.
struct ExperimentData {
  Dataset dataset;
  std::optional<FeatureScaling> scaling;
  BiasColumns bias_columns;
  std::vector<std::string> feature_names;  // in the order of the files; empty if they have none
  Vocabulary vocabulary;                   // of texts in files; empty if they have none
  bool learns_labels = false;              // sessions have judged relevance in place of clicks
  std::shared_ptr<const TrainableModel> truth;
  /// Scores by which a simulated logging policy orders documents: one per document of the judged
  /// test lists, list after list. Empty if there is no such policy.
  std::vector<double> policy_scores;
  std::optional<PositionBias> position_bias;  // of simulated users, if all share one
};

/// Settings of an experiment that reading or simulating data depends on.
struct DataSetting {
  std::uint64_t seed = 1;
  int threads = 1;
  /// Called while data are read or simulated; may be empty.
  Progress progress{};
  /// Keeps lists that are made up for the next data on them; null: they are made each time.
  MadeLists* made = nullptr;

  /// Returns a function that reports further units of a work as done, `all` in the end.
  std::function<void(std::uint64_t more)> count(const std::string& work, const std::string& unit,
                                                std::uint64_t all) const;
};

/// The options of a source of data.
class DataOptions : public Options {
 public:
  /// Throws ConfigError for options that contradict each other.
  virtual void check() const = 0;
  /// Drops all but the training sessions: other files are neither located nor read.
  virtual void keep_training_only() = 0;
  /// Locates files and makes their paths absolute, so that a saved configuration works anywhere.
  /// Relative paths are looked up in the folder of the configuration first (see find_data_file).
  /// Throws DataError, with the places searched, if a file is missing.
  virtual void locate_files(const std::filesystem::path&) {}
  /// Returns true if another seed loads other data. The number of threads never matters.
  virtual bool depends_on_seed() const = 0;
  /// Returns what identifies made-up lists (see MadeLists): their generator; empty if none are.
  virtual std::string list_identity() const { return {}; }
  /// Returns the kind of targets that training sessions have.
  virtual Targets targets() const { return Targets::clicks; }
  /// Reads the first list of each file that can be read list by list. Throws DataError if it is
  /// malformed or lacks what the file is for.
  virtual void expect_readable() const {}
  /// Reads or simulates the data.
  virtual ExperimentData load(const DataSetting& setting) const = 0;

  // To use a trained model on further files ------------------------------------------------------

  /// Returns the option that chooses the format; null if these options are those of a single
  /// format.
  virtual Choice* format() { return nullptr; }
  /// Returns the options for scaling features; null if lists have none.
  virtual const FeatureScalingOptions* scaling() const { return nullptr; }
  /// Returns true if documents may have features.
  virtual bool may_have_features() const { return scaling() != nullptr; }
  /// Returns true if documents may have words.
  virtual bool may_have_words() const { return false; }
  /// Returns which of the given number of features are bias features. Throws ConfigError as
  /// BiasColumns does.
  virtual BiasColumns bias_columns(std::size_t) const { return {}; }
  /// Returns a reader of further files in this format, for lists with the given number of features,
  /// which it does not scale, and a complete vocabulary. Null if data are simulated, not read. The
  /// reader must not outlive the options and the vocabulary.
  virtual std::unique_ptr<ListReader> list_reader(std::size_t, Vocabulary&) const {
    return nullptr;
  }
};

/// Finds a file given relative to a configuration: beside it, in the working folder, under
/// $ULTR_DATA_DIR, or in ../shared/data. Throws DataError if it is in none of them.
std::filesystem::path find_data_file(const std::string& given,
                                     const std::filesystem::path& config_folder);

}  // namespace ultr
