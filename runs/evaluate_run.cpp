#include "runs/evaluate_run.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "autograd/ops/matmul.h"
#include "base/error.h"
#include "base/log.h"
#include "data/features/elasticsearch_json.h"
#include "data/features/xgboost_json.h"
#include "data/formats/feature_names.h"
#include "data/log/session_sample.h"
#include "dsl/learned_position_bias.h"
#include "experiment/resolve_options.h"
#include "layers/tower.h"
#include "metrics/policies/mutual_information.h"
#include "metrics/significance.h"
#include "runs/onnx/onnx_export.h"
#include "runs/results/run_warnings.h"
#include "runs/results/tree_report.h"
#include "runs/test_queries.h"
#include "training/boosting_fitter.h"
#include "training/evaluation.h"
#include "training/intervals/likelihood_intervals.h"
#include "training/predictor.h"
#include "training/ranking_evaluation.h"

namespace ultr {
namespace {

bool has_tower(const TrainableModel& model) {
  return std::ranges::any_of(model.layers(), [](const TrainableModel::Layer& layer) {
    return dynamic_cast<const Tower*>(layer.layer.get()) != nullptr;
  });
}

/// Returns mean examination by position under the model that simulated the sessions, on the last
/// split that has any; empty if no model did.
std::vector<double> true_examination(const ExperimentData& data, LossMean mean, int threads) {
  if (!data.truth) return {};
  const Dataset& d = data.dataset;
  const SessionLog& last = d.test.sessions() > 0    ? d.test
                           : d.valid.sessions() > 0 ? d.valid
                                                    : d.train;
  return evaluate_clicks(*data.truth, last, mean, threads).examination;
}

/// Returns the intervals of position bias from the training sessions; empty if there are none, or
/// if a pass over the sessions would take long.
std::vector<ConfidenceInterval> intervals_of_position_bias(const TrainableModel& model,
                                                           const SessionLog& train, int threads) {
  constexpr std::size_t affordable_documents = 2'000'000;
  if (model.setting().processes != nullptr || train.documents() > affordable_documents ||
      !why_no_intervals(model, train).empty())
    return {};
  return likelihood_intervals(model, train, threads).position_bias;
}

/// Returns the 95% interval of the mean log-likelihood per document of all sessions, given those of
/// a sample. One session sets no bounds.
ConfidenceInterval ll_interval(const SessionLog& sample, std::span<const SessionLikelihood> each) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (each.size() < 2) return {-infinity, infinity};
  std::vector<double> totals, lengths;
  for (std::size_t i = 0; i < each.size(); ++i) {
    const SessionView session = sample[i];
    totals.push_back(session.weight * each[i].conditional);
    lengths.push_back(session.weight * static_cast<double>(session.rows.size()));
  }
  return ratio_interval(totals, lengths);
}

/// Returns the information about the logging policy's scores in those of a model, given the labels
/// of the judged documents.
double cmip(std::span<const double> scores, const ExperimentData& data) {
  std::vector<double> of_model, of_policy;
  std::vector<int> labels;
  std::size_t first = 0;
  for (std::size_t i = 0; i < data.dataset.labels.size(); ++i) {
    const std::span<const int> its = data.dataset.labels.labels(i);
    for (std::size_t k = 0; k < its.size(); ++k) {
      if (its[k] < 0) continue;  // not judged
      of_model.push_back(scores[first + k]);
      of_policy.push_back(data.policy_scores[first + k]);
      labels.push_back(its[k]);
    }
    first += its.size();
  }
  return conditional_mutual_information(of_model, of_policy, labels);
}

/// Writes the trees of a tower in the forms that other programs read.
void write_trees(const RunDirectory& folder, const TreeTower& tower, const ExperimentData& data) {
  folder.write(
      fmt::format("model/{}.xgboost.json", tower.name()),
      xgboost_json(tower.trees(), tower.start(), static_cast<std::size_t>(tower.features())));
  const auto raw = over_raw_features(tower.trees(), *data.scaling, data.bias_columns.order());
  if (const auto elasticsearch = elasticsearch_json(
          raw, tower.start(), relevance_names(data.feature_names, data.bias_columns)))
    folder.write(fmt::format("model/{}.elasticsearch.json", tower.name()), *elasticsearch);
  else
    log().info(
        "{}: no model/{}.elasticsearch.json is written, since the form has no splits by category",
        tower.name(), tower.name());
}

/// Writes the model's relevance as ONNX where that is possible.
void write_onnx(const RunDirectory& folder, const TrainableModel& model,
                const ExperimentData& data) {
  std::optional<std::string> onnx;
  try {
    onnx = relevance_onnx(model, *data.scaling, data.bias_columns);
  } catch (const Error& error) {
    log().warn("no model/{} is written: {}", relevance_onnx_file, error.what());
  }
  if (onnx) folder.write(fmt::format("model/{}", relevance_onnx_file), *onnx);
}

}  // namespace

std::vector<EpochResult> all_epochs(std::span<const TrainingResult> earlier,
                                    const TrainingResult& last) {
  std::vector<EpochResult> epochs;
  for (const TrainingResult& stage : earlier)
    epochs.insert(epochs.end(), stage.epochs.begin(), stage.epochs.end());
  epochs.insert(epochs.end(), last.epochs.begin(), last.epochs.end());
  return epochs;
}

RunResult described_run(ExperimentOptions& options, const TrainableModel& model,
                        const Dataset& dataset) {
  RunResult result;
  result.name = options.name;
  result.title = options.report.title.empty() ? options.name : options.report.title;
  result.model_type = model.type();
  result.config = saved_config(options);
  result.notes = dataset.notes;
  result.seed = static_cast<std::uint64_t>(options.seed);
  result.processes = count_processes(model.setting().processes);
  if (has_tower(model)) result.matrix_products = matmul_kernel();
  const auto rounded = [](double count) { return static_cast<std::size_t>(std::llround(count)); };
  result.train_sessions = rounded(dataset.train.weighted_sessions());
  result.train_documents = rounded(dataset.train.weighted_documents());
  result.words = words_read(model, dataset);
  return result;
}

void evaluate_run(const TrainableModel& model, const ExperimentOptions& options,
                  const ExperimentData& data, const IdNames& names, const RunDirectory* folder,
                  const std::function<void()>& pause, RunResult& result) {
  const Dataset& dataset = data.dataset;
  const LossMean mean = options.train.mean();
  const int threads = count_threads(options);
  const RankingOptions ranking = options.evaluate.ranking();
  const auto evaluate =
      [&](const SessionLog& sessions,
          std::span<SessionLikelihood> each = {}) -> std::optional<ClickEvaluation> {
    pause();
    if (sessions.sessions() == 0) return std::nullopt;
    return evaluate_clicks(model, sessions, mean, threads, each);
  };
  const auto most = static_cast<std::size_t>(options.evaluate.train_sessions);
  const bool predicts = model.story().predicts_clicks() && !dataset.train.has_targets();
  if (most > 0 && most < dataset.train.sessions() && predicts && dataset.train.features().empty()) {
    const SessionLog sample = sample_sessions(dataset.train, most);
    std::vector<SessionLikelihood> each(most);
    result.train = evaluate(sample, each);
    result.train_ll_interval = ll_interval(sample, each);
  } else {
    result.train = evaluate(dataset.train);
  }
  result.valid = evaluate(dataset.valid);
  std::vector<SessionLikelihood> each(dataset.test.sessions());
  result.test = evaluate(dataset.test, each);
  if (folder != nullptr && result.test && result.test->conditional.documents() > 0)
    folder->write(query_clicks_file, query_clicks_csv(dataset.test, each, names));
  pause();
  if (dataset.labels.size() > 0) {
    const std::vector<double> logits = relevance_logits(model, dataset.labels, threads);
    result.ranking = evaluate_scores(logits, dataset.labels, ranking);
    if (!data.policy_scores.empty()) {
      result.by_policy = bin_by_policy(logits, data.policy_scores, dataset.labels, ranking);
      result.cmip = cmip(logits, data);
      result.policy_kendall_tau =
          rank_agreement(logits, data.policy_scores, dataset.labels).kendall_tau;
    }
    if (folder != nullptr)
      folder->write(query_rankings_file,
                    query_rankings_csv(dataset.labels, *result.ranking, names));
  }
  if (!data.policy_scores.empty())
    result.policy_ranking = evaluate_scores(data.policy_scores, dataset.labels, ranking);
  result.true_examination = true_examination(data, mean, threads);
  result.position_bias = learned_position_bias(model);
  if (result.position_bias)
    result.position_bias_intervals = intervals_of_position_bias(model, dataset.train, threads);
  result.true_position_bias = data.position_bias;
  pause();
  for (const TrainingResult& stage : result.earlier_stages)
    set_masked_accuracy(stage, result.words);
  set_masked_accuracy(result.training, result.words);
  result.importance = feature_importance(model, data, threads);
  if (folder != nullptr && !result.importance.empty())
    folder->write(importance_file, importance_csv(result.importance));
  result.examination_check =
      check_examination(result.position_bias, dataset.train, result.seed, threads);
  result.warnings = run_warnings(model, result.examination_check);
  for (const auto& warning : {warning_of_single_documents(model, dataset.train),
                              warning_of_unknown_documents(model, dataset.labels)})
    if (warning) result.warnings.push_back(*warning);
}

void write_trained_model(const RunDirectory& folder, const TrainableModel& model,
                         const ExperimentData& data) {
  folder.write_model(model, data.dataset.dictionary, data.scaling);
  if (!data.vocabulary.empty()) data.vocabulary.save(folder.path() / "model" / vocabulary_file);
  if (!data.scaling) return;
  for (const TreeTower* tower : tree_towers(model)) write_trees(folder, *tower, data);
  if (!data.feature_names.empty())
    write_feature_names(folder.path() / "model" / feature_names_file, data.feature_names);
  write_onnx(folder, model, data);
}

}  // namespace ultr
