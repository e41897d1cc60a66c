#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/log/judged_lists.h"
#include "data/log/session_log.h"
#include "dsl/learned_position_bias.h"
#include "dsl/trainable_model.h"
#include "metrics/significance.h"

/// Checks of a trained model that good predictions do not show.
namespace ultr {

/// The examination of ranks by `all_pairs`, relative to the first, beside what a model has learned.
/// By displayed position.
struct ExaminationCheck {
  std::vector<double> learned, estimated;  // NaN where unknown
  /// 99.7% intervals of the estimate, where it is known and above 0.
  std::vector<std::optional<ConfidenceInterval>> intervals;

  /// Returns the 0-based rank at which the learned examination is farthest from the estimate, as a
  /// factor of at least 1.5, and outside its interval. Returns nothing if there is none.
  std::optional<std::size_t> farthest_outside() const;
};

/// Compares the examination that a model has learned with the `all_pairs` estimate from the
/// training sessions: at most about a million documents of them, with intervals by a bootstrap over
/// sessions. Returns nothing if the model learns no examination of ranks as a factor, the sessions
/// show no pair at several ranks, or there are more than 100 ranks.
std::optional<ExaminationCheck> check_examination(const std::optional<PositionBias>& learned,
                                                  const SessionLog& train, std::uint64_t seed,
                                                  int threads);

/// Returns what a user should know before using the trained model, one line each: an examination
/// that the check contradicts, and components of a mixture that ended the same.
std::vector<std::string> run_warnings(const TrainableModel& model,
                                      const std::optional<ExaminationCheck>& examination);

/// Returns a warning if a model reads the clicks above a document and the training sessions cannot
/// show any, since each has one document, such as rows of counts. Returns nothing if several
/// processes train the model.
std::optional<std::string> warning_of_single_documents(const TrainableModel& model,
                                                       const SessionLog& train);

/// Returns a warning if a model learns query-document pairs and at least half of the judged
/// documents are not among them.
std::optional<std::string> warning_of_unknown_documents(const TrainableModel& model,
                                                        const JudgedLists& judged);

}  // namespace ultr
