#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/files/folder_lock.h"
#include "data/features/feature_scaling.h"
#include "data/log/pair_dictionary.h"
#include "training/training.h"

namespace ultr {

/// File in a run's model/ with the scaling of features (FeatureScaling::save).
inline constexpr const char* feature_scaling_file = "feature_scaling.npy";

/// File in a run's model/ with the names of features (write_feature_names), if they have names.
inline constexpr const char* feature_names_file = "feature_names.txt";
/// File in a run's model/ with the words of texts (Vocabulary::save), if the data have texts.
inline constexpr const char* vocabulary_file = "vocabulary.txt";

/// File in a run's model/ with the propensities that the model estimated before training, if it
/// did.
inline constexpr const char* estimated_propensities_file = "estimated_propensities.csv";

/// The folder of one run, or of a sweep. Nothing exists before `create`, which also locks the
/// folder against other processes. Files appear whole or not at all.
class RunDirectory {
 public:
  /// Chooses the folder `output`, in which a/../b is b, or, if that is empty, runs/<name>/<n> with
  /// the first free number. Throws ConfigError if it exists and is not an empty folder, or if it
  /// cannot be created (which is tried, and undone).
  RunDirectory(const std::string& output, const std::string& name);

  /// Locks and returns an existing folder, which `create` leaves as it is. Throws ConfigError if
  /// another process is working on it.
  static RunDirectory of_run(const std::filesystem::path& path);

  /// Returns a folder that another process of the run fills: nothing is created, written or locked
  /// here.
  static RunDirectory of_other_process(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  /// Creates and locks the folder. If another run has taken a numbered folder since, the path
  /// becomes that of the first free number. Throws ConfigError if the system refuses, or if another
  /// run has taken the folder `output`.
  void create();
  /// Throws DataError if the folder that was created is no longer there, or is another one.
  void expect_unmoved() const;
  /// Writes a file in the folder. Throws DataError as expect_unmoved does.
  void write(std::string_view file, std::string_view content) const;

  /// Writes results.json, which says that the run is finished. Everything in the folder is flushed
  /// to disk before, results.json afterwards: from here on, a power loss takes nothing away.
  void finish(std::string_view results) const;

  /// Writes metrics.csv: one row per epoch, one stage of training after the other. Measures of the
  /// validation sessions are empty in epochs without validation.
  void write_metrics(const std::vector<EpochResult>& epochs,
                     std::span<const ClickMeasure> table = click_measures()) const;
  /// Adds the row of a further epoch to metrics.csv, which must exist. If that fails, the file is
  /// left as it was.
  void append_metrics(const EpochResult& epoch) const;
  /// Writes model/: each parameter as <name>.npy, the dictionary, the scaling of features and
  /// estimated propensities if there are any, and model.json, which describes these files and how
  /// logits follow from them. SavedModel reads it. If several processes train the model, all must
  /// call this; the first writes.
  void write_model(const TrainableModel& model, const PairDictionary& dictionary,
                   const std::optional<FeatureScaling>& scaling = {}) const;

 private:
  RunDirectory() = default;

  std::filesystem::path path_;
  std::string numbered_;            // its name if the folder is the first free number's
  std::optional<FolderLock> lock_;  // held once the folder exists
  bool other_process_ = false;
};

}  // namespace ultr
