#pragma once

#include <map>
#include <optional>
#include <string>

#include "models/learned_position_bias.h"
#include "report/html.h"
#include "training/training.h"

namespace ultr {

/// The results of a finished run.
struct RunResult {
  std::string name;
  std::string title;
  std::string model_type;
  std::string config;  // resolved, in YAML
  std::vector<std::string> notes;
  std::uint64_t seed = 1;
  int processes = 1;                           // that trained the model together
  TrainingResult training;                     // of the model's last stage
  std::vector<TrainingResult> earlier_stages;  // if it has any (TrainableModel::stages)
  std::size_t train_sessions = 0, train_documents = 0;
  /// CPU time of training, over all threads and processes. Other programs on the machine do not
  /// change it.
  double cpu_seconds = 0;
  /// Peak memory in bytes since training began, of the process that used most.
  std::optional<std::uint64_t> peak_memory{};
  std::optional<ClickEvaluation> train, valid, test;  // with the best parameters
  std::optional<RankingMetrics> ranking;
  std::optional<RankingMetrics> policy_ranking;  // of the same lists, by a simulated logging policy
  /// Mean P(examined) by position under the model that simulated the sessions, on the last split.
  std::vector<double> true_examination;
  /// The position bias that the model has learned, and that of the simulated users.
  std::optional<PositionBias> position_bias, true_position_bias;

  /// Returns the last split that has sessions: test, valid or train.
  const ClickEvaluation& last_split() const;
  std::string last_split_name() const;
};

/// results.json. Its section `position_bias` has, by displayed position, what was learned
/// (`estimated`) and, where clicks are simulated and their bias is on the same scale, `true` and
/// the mean squared `error`; `scale` says which (see PositionBias): `logit` or `relative`.
/// `logging_policy` has the metrics of `test.ranking` of a simulated logging policy.
std::string results_json(const RunResult& result);

/// report.html: learning curve, examination by rank beside the click rate by rank (and the truth,
/// where sessions are simulated), position bias, calibration, and tables of the results.
Report run_report(const RunResult& result);

}  // namespace ultr
