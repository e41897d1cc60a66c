#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "data/features/feature_importance.h"
#include "distributed/measured_communicator.h"
#include "dsl/learned_position_bias.h"
#include "metrics/significance.h"
#include "runs/results/run_warnings.h"
#include "runs/results/words_read.h"
#include "training/policy_bins.h"
#include "training/ranking_evaluation.h"
#include "training/training.h"

namespace ultr {

/// The degree to which a student ranks held-out lists as its teacher does (see runs/teacher.h).
struct TeacherAgreement : RankAgreement {
  std::string run;         // the teacher's folder
  std::string model_type;  // and its model
};

/// The results of a finished run.
struct RunResult {
  std::string name;
  std::string title;
  std::string model_type;
  std::string config;  // resolved, in YAML
  std::vector<std::string> notes;
  std::uint64_t seed = 1;
  int processes = 1;                           // that trained it together
  std::string matrix_products{};               // what computed those of networks (matmul_kernel)
  TrainingResult training;                     // of the model's last stage
  std::vector<TrainingResult> earlier_stages;  // if it has any (TrainableModel::stages)
  std::size_t train_sessions = 0, train_documents = 0;
  /// Summed over all threads of all processes while they trained. Other programs on the machine do
  /// not change it.
  double cpu_seconds = 0;
  /// Peak memory since the start of training, in bytes, of the process that used most.
  std::optional<std::uint64_t> peak_memory{};
  /// The messages between processes in training (see counts_of_all); empty if there is one process.
  std::optional<MessageCounts> messages{};
  std::optional<ClickEvaluation> train, valid, test;  // with the best parameters
  /// The 95% interval of the log-likelihood of all training sessions, if `train` is of a sample;
  /// unbounded if that is one session.
  std::optional<ConfidenceInterval> train_ll_interval{};
  std::optional<RankingMetrics> ranking;
  std::optional<RankingMetrics> policy_ranking;  // of the same lists, by a simulated logging policy
  std::optional<PolicyBins> by_policy;           // of these lists, binned by that policy's ranking
  /// Dependence of relevance on the scores of that policy (see conditional_mutual_information).
  std::optional<double> cmip{};
  /// Mean Kendall's τ of relevance with the scores of that policy, over the judged lists.
  std::optional<double> policy_kendall_tau{};
  /// Mean P(examined) by position of the model that simulated the sessions, on the sessions of
  /// `test`, or of the last split there is.
  std::vector<double> true_examination;
  /// The learned bias, and that of simulated clicks, where they exist.
  std::optional<PositionBias> position_bias, true_position_bias;
  std::vector<ConfidenceInterval>
      position_bias_intervals{};  // by position; empty if there are none
  std::optional<ExaminationCheck> examination_check{};
  std::vector<TreeImportance> importance{};   // of features, one per layer of boosted trees
  std::optional<TeacherAgreement> teacher{};  // if it learned from one
  std::vector<WordsRead> words{};             // one per layer that reads any
  std::vector<std::string> warnings{};  // of the trained model (see run_warnings), a line each

  /// Returns the last split there is: test, valid or train.
  const ClickEvaluation& last_split() const;
  std::string last_split_name() const;
  /// Returns the duration of all stages of training.
  double total_seconds() const;
  /// Returns true if the learned and the true position bias have the same scale.
  bool knows_bias_error() const;
};

/// A measure of a whole run.
struct RunMeasure : Measure {
  using Number = std::variant<std::uint64_t, double>;
  std::optional<Number> (*compute)(const RunResult&);
};

/// Returns the measures at the top level of results.json. A row added here appears there, in the
/// order of the rows.
std::span<const RunMeasure> run_measures();

/// A count of judged lists, reported with the ranking measures.
struct RankingCount : Measure {
  std::size_t (RankingMetrics::*compute)() const;
};

inline constexpr RankingCount ranking_counts[] = {
    {{"lists", "judged lists"}, &RankingMetrics::lists},
    {{"lists_without_relevant", "judged lists without a relevant document"},
     &RankingMetrics::lists_without_relevant},
    {{"lists_without_judged", "lists without a judged document, which count nowhere"},
     &RankingMetrics::lists_without_judged},
};

/// The error of a learned position bias where clicks are simulated, in the section position_bias.
inline constexpr Measure position_bias_error = {
    "position_bias.error", "mean squared error of the learned position bias (simulated clicks)",
    Better::lower};

/// The agreement of a student with its teacher, in the section teacher.
inline constexpr Measure teacher_kendall_tau = {"teacher.kendall_tau",
                                                "Kendall's tau with its order", Better::higher};

/// Returns the section `ranking` of results.json: every measure of rankings and the counts of
/// lists.
nlohmann::ordered_json ranking_json(const RankingMetrics& metrics);
/// Returns the section `by_policy` of `ranking`: a list per member of PolicyBins.
nlohmann::ordered_json policy_bins_json(const PolicyBins& bins);

/// Returns results.json: the measures of the run, those of each split, and `ranking` in `test`.
/// Missing values are null. If `train` is of a sample of the training sessions, it also has their
/// number (`of_sessions`) and the 95% interval of their `ll` (`ll_interval`; both ends are null if
/// the sample is one session). Section `logging_policy` has the ranking measures of a simulated
/// logging policy, and `by_policy` in `ranking` those of lists that are binned by it. Section
/// `position_bias` has the learned bias by displayed position (`estimated`) and its `scale` (see
/// PositionBias), `logit` or `relative`; if there are any, the bounds of its 95% intervals, `low`
/// and `high`; where clicks are simulated and their bias has the same scale, also `true` and the
/// mean squared `error`. If the learned bias was checked, it has the `all_pairs` estimate with the
/// ends of its intervals, `lower` and `upper`. Section `teacher` has the folder (`run`) and the
/// type (`model`) of the model whose scores were learned, if any, and the student's agreement with
/// it: the number of held-out `lists` and the mean `kendall_tau`. If several processes trained,
/// section `messages` has the `megabytes` that they sent to each other meanwhile, and the `seconds`
/// that one of them, on average, exchanged messages or waited for others. `warnings` is there if
/// there are any, and so is `words` (see words_json).
std::string results_json(const RunResult& result);

}  // namespace ultr
