#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/folder_lock.h"
#include "data/features/feature_scaling.h"
#include "data/log/pair_dictionary.h"
#include "training/training.h"

namespace ultr {

/// In a run's model/: how features are scaled (FeatureScaling::save).
inline constexpr const char* feature_scaling_file = "feature_scaling.npy";

/// In a run's model/: propensities that the model estimated before training, if it did.
inline constexpr const char* estimated_propensities_file = "estimated_propensities.csv";

/// The folder of one run, or of a sweep. Nothing is there before `create`; files appear whole or
/// not at all. From then on no other process can work on it.
class RunDirectory {
 public:
  /// The folder `output`, or, if that is empty, runs/<name>/<n> with the first free number.
  /// Throws ConfigError if it exists and is not an empty folder, or cannot be created (which is
  /// tried, and undone).
  RunDirectory(const std::string& output, const std::string& name);

  /// A folder that has been created before; `create` leaves it as it is. Throws ConfigError if
  /// another process is at work on it.
  static RunDirectory of_run(const std::filesystem::path& path);

  /// A folder that another process of the run fills: nothing is created, written or locked here.
  static RunDirectory of_other_process(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  /// Throws ConfigError if the system refuses, or if another run has taken the folder since.
  void create();
  void write(std::string_view file, std::string_view content) const;

  /// metrics.csv: a row an epoch, of one stage of training after the other.
  void write_metrics(const std::vector<EpochResult>& epochs) const;
  /// model/: each parameter as <name>.npy, the dictionary, the scaling of features and
  /// estimated propensities if there are any, and model.json, which says what they are and how
  /// logits follow from them. SavedModel reads it. Of a model that several processes train, all
  /// call it; the first writes.
  void write_model(const TrainableModel& model, const PairDictionary& dictionary,
                   const std::optional<FeatureScaling>& scaling = {}) const;

 private:
  RunDirectory() = default;

  std::filesystem::path path_;
  std::optional<FolderLock> lock_;  // since it is there
  bool other_process_ = false;
};

}  // namespace ultr
