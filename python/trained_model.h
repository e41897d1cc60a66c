#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "experiment/data_options.h"
#include "experiment/experiment_options.h"
#include "experiment/run_directory.h"
#include "runs/results/results_json.h"
#include "runs/saved_model.h"
#include "runs/teacher.h"
#include "training/training.h"

namespace ultr::python {

/// The exception that ends training when the user has asked for it.
struct Stopped {};

/// Callbacks of training, called on the thread that trains. Each may throw Stopped; `epoch` gets
/// the results of each epoch.
struct TrainingCallbacks {
  std::function<void(std::int64_t epoch, std::size_t sessions)> step{};
  std::function<void(const EpochResult&)> epoch{};
};

/// A trained model in memory: one that was just trained, with its data, or one that was read from a
/// run's folder. Thread-safe once it is made: several threads may save, evaluate and report it.
class TrainedModel {
 public:
  /// Trains the model that options describe, whose files must have been located, on `data` in place
  /// of the data that they name; results are bit-identical to those of ultr-run with these options
  /// on the same data. If a callback throws Stopped, the model has the parameters of the best epoch
  /// until then, or of that moment if there are no validation sessions; if no epoch was finished,
  /// Stopped is thrown on. Throws ConfigError, DataError and Diverged as training does.
  TrainedModel(std::shared_ptr<Registry> types, ExperimentOptions options,
               std::shared_ptr<const ExperimentData> data, const TrainingCallbacks& callbacks);
  /// Reads the model in a run's folder. Throws DataError as SavedModel does.
  TrainedModel(std::shared_ptr<Registry> types, const std::filesystem::path& run);

  const TrainableModel& model() const { return saved_ ? saved_->model() : *model_; }
  const PairDictionary& dictionary() const {
    return saved_ ? saved_->dictionary() : data_->dataset.dictionary;
  }
  const ExperimentOptions& options() const { return saved_ ? saved_->options() : *options_; }
  int threads() const { return count_threads(options()); }
  /// True if the ids of queries, or documents, are whole numbers rather than texts.
  bool numbered_queries() const { return numbered_queries_; }
  bool numbered_documents() const { return numbered_documents_; }
  void set_numbered(bool queries, bool documents) {
    numbered_queries_ = queries;
    numbered_documents_ = documents;
  }
  /// Number of features that documents must bring; 0 if there are none.
  std::size_t features() const;
  /// The names of these features, in the order of the files; empty if they have none.
  const std::vector<std::string>& feature_names() const {
    return saved_ ? saved_->feature_names() : data_->feature_names;
  }
  /// Returns features of documents as the model reads them: scaled, with bias features last.
  FeatureTable scaled(const FeatureTable& features) const;
  /// The training sessions; null if the model was read from a folder.
  const SessionLog* train() const { return data_ ? &data_->dataset.train : nullptr; }
  /// The results of training; they have no epochs if the model was read from a folder.
  const RunResult& result() const { return result_; }
  bool was_stopped() const { return stopped_; }

  /// The resolved configuration in YAML.
  std::string config() const;
  /// Fills the folder of a run, as ultr-run does: SavedModel and this class read it. The folder
  /// must be new or empty. A model that was read from a folder is copied from there.
  void save(const std::filesystem::path& folder);
  /// Returns the report of the run as a page of HTML.
  std::string report();
  /// Returns results.json.
  std::string results();

 private:
  void train(const TrainingCallbacks& callbacks);
  void train_stage(const TrainableModel& stage, const TrainingCallbacks& callbacks,
                   TrainingState& state);
  void evaluate();
  /// Evaluates the model and writes the measurements of each query to a folder, unless it is null.
  void evaluate_into(const RunDirectory* folder);
  /// The data that the model learned from.
  const ExperimentData& lessons() const { return taught_ ? taught_->data : *data_; }

  std::shared_ptr<Registry> types_;  // outlives the options
  std::shared_ptr<const ExperimentData> data_;
  std::optional<TaughtData> taught_;  // what it learned from in place of the data, if a teacher's
  std::optional<ExperimentOptions> options_;
  std::optional<TrainableModel> model_;
  std::optional<SavedModel> saved_;
  std::mutex evaluating_;  // held while result_ is completed and read
  RunResult result_;
  bool stopped_ = false, evaluated_ = false;
  bool numbered_queries_ = true, numbered_documents_ = true;
};

}  // namespace ultr::python
