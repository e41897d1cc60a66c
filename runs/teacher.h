#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiment/data_options.h"
#include "experiment/experiment_options.h"
#include "runs/pair_scores.h"
#include "runs/results/results_json.h"

namespace ultr {

/// The trained model of a run from whose relevance another model learns (DistillLoss).
class Teacher {
 public:
  /// Throws DataError as SavedModel does, or unless the relevance of a document follows from its
  /// features or words alone.
  Teacher(const std::filesystem::path& run, Registry& registry, int threads);

  const std::string& model_type() const { return pairs_.saved().model().type(); }
  /// Returns the relevance logit of each query-document pair of the data (PairScores::of).
  std::vector<float> scores(const ExperimentData& data) const;

 private:
  PairScores pairs_;
};

/// The data from which a student learns: their targets are the teacher's scores.
struct TaughtData {
  std::string teacher;        // its run's folder
  std::string model_type;     // and its model
  std::vector<float> scores;  // by row of the dictionary
  ExperimentData data;        // without the dictionary, whose rows it uses
};

/// Returns the folder of the run that a model learns from; empty if it learns from the data alone.
std::string teacher_of(const TrainableModel& model);

/// Throws as Teacher does, or ConfigError if a model learns from a teacher and none is given.
/// Returns nothing if it learns from the data alone.
std::optional<Teacher> make_teacher(const TrainableModel& model, const ExperimentOptions& options);

/// Returns data with the scores of the model's teacher as targets; nothing if it learns from the
/// data alone. Throws as make_teacher and PairScores::of do.
std::optional<TaughtData> taught_data(const TrainableModel& model, const ExperimentOptions& options,
                                      const ExperimentData& data);

/// Compares the order of a trained student with its teacher's on each held-out list: the judged
/// test lists, or if there are none the validation sessions, or the training sessions.
TeacherAgreement agreement_with_teacher(const TrainableModel& student, const TaughtData& taught,
                                        int threads);

}  // namespace ultr
