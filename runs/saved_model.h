#pragma once

#include <filesystem>
#include <optional>

#include "data/features/bias_columns.h"
#include "data/features/feature_scaling.h"
#include "data/log/pair_dictionary.h"
#include "data/text/vocabulary.h"
#include "dsl/model_options.h"
#include "experiment/experiment_options.h"

namespace ultr {

/// A trained model, read back from the folder of its run (RunDirectory): its configuration, its
/// parameters, the query-document pairs that it knows and the scaling of its features.
class SavedModel {
 public:
  /// Reads config.yaml and model/. The registry must outlive the model; plugins that the
  /// configuration names are loaded only if it trusts them (resolve_saved_options). If several
  /// `processes` hold the model together, all must do so: each reads its rows of the tables of
  /// query-document pairs. Throws DataError, with the file, what was found and what was expected,
  /// if the folder is not that of a finished run or its files do not fit together, and ConfigError
  /// if the model cannot be divided over the processes.
  SavedModel(const std::filesystem::path& run, Registry& registry,
             Communicator* processes = nullptr);

  const std::filesystem::path& run() const { return run_; }
  /// The configuration of the run. The options for reading further files can be changed.
  ExperimentOptions& options() { return options_; }
  const ExperimentOptions& options() const { return options_; }
  const PairDictionary& dictionary() const { return dictionary_; }
  /// The names of queries and documents. Reading further files adds theirs.
  IdNames& names() { return dictionary_.names(); }
  const IdNames& names() const { return dictionary_.names(); }
  /// Number of features that the model reads, 0 if it was trained without features.
  std::size_t features() const { return scaling_ ? scaling_->features() : 0; }
  const std::optional<FeatureScaling>& scaling() const { return scaling_; }
  const BiasColumns& bias_columns() const { return bias_columns_; }
  /// The names of the features, in the order of the files; empty if they have none.
  const std::vector<std::string>& feature_names() const { return feature_names_; }
  /// The words that the model knows, if its files have texts.
  Vocabulary& vocabulary() { return vocabulary_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  /// The model with its trained parameters. If it has features, lists must bring their own: scaled,
  /// with bias features last (SessionLog::set_features).
  const TrainableModel& model() const { return model_; }
  /// True in the process that writes what is made with the model.
  bool is_first_process() const { return ultr::is_first_process(model_.setting().processes); }

 private:
  std::filesystem::path run_;
  ExperimentOptions options_;
  PairDictionary dictionary_;
  std::optional<FeatureScaling> scaling_;
  BiasColumns bias_columns_;
  std::vector<std::string> feature_names_;
  Vocabulary vocabulary_;
  TrainableModel model_;
};

}  // namespace ultr
