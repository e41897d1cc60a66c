#pragma once

#include <map>
#include <optional>
#include <string>

#include "models/learned_position_bias.h"
#include "report/html.h"
#include "training/training.h"

namespace ultr {

/// All that a finished run knows.
struct RunResult {
  std::string name;
  std::string title;
  std::string model_type;
  std::string config;  // resolved, in YAML
  std::vector<std::string> notes;
  std::uint64_t seed = 1;
  int processes = 1;                           // that trained it together
  TrainingResult training;                     // of the model's last stage
  std::vector<TrainingResult> earlier_stages;  // if it has any (TrainableModel::stages)
  std::size_t train_sessions = 0, train_documents = 0;
  /// Of all threads of all processes while they trained, which other programs on the machine do not
  /// change.
  double cpu_seconds = 0;
  /// In bytes, from the beginning of training on, of the process that had most.
  std::optional<std::uint64_t> peak_memory{};
  std::optional<ClickEvaluation> train, valid, test;  // with the best parameters
  std::optional<RankingMetrics> ranking;
  std::optional<RankingMetrics> policy_ranking;  // of the same lists, by a simulated logging policy
  /// Mean P(examined) by position of the model that made simulated sessions, on the same sessions
  /// as `test`'s, or the last split there is.
  std::vector<double> true_examination;
  /// What the model has learned, and what made simulated clicks, where there is such a thing.
  std::optional<PositionBias> position_bias, true_position_bias;

  /// The last split there is: test, valid or train.
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
