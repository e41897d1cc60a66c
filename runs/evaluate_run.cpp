#include "runs/evaluate_run.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "autograd/ops/matmul.h"
#include "dsl/learned_position_bias.h"
#include "experiment/resolve_options.h"
#include "layers/tower.h"
#include "runs/onnx_export.h"
#include "runs/test_queries.h"
#include "training/evaluation.h"

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
  result.train_sessions = dataset.train.sessions();
  result.train_documents = dataset.train.documents();
  return result;
}

void evaluate_run(const TrainableModel& model, const ExperimentOptions& options,
                  const ExperimentData& data, const RunDirectory* folder,
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
  result.train = evaluate(dataset.train);
  result.valid = evaluate(dataset.valid);
  std::vector<SessionLikelihood> each(dataset.test.sessions());
  result.test = evaluate(dataset.test, each);
  if (folder != nullptr && result.test && result.test->conditional.documents() > 0)
    folder->write(query_clicks_file,
                  query_clicks_csv(dataset.test, each, dataset.dictionary.names()));
  pause();
  if (dataset.labels.size() > 0) {
    result.ranking = evaluate_ranking(model, dataset.labels, ranking);
    if (folder != nullptr)
      folder->write(query_rankings_file, query_rankings_csv(dataset.labels, *result.ranking,
                                                            dataset.dictionary.names()));
  }
  if (!data.policy_scores.empty())
    result.policy_ranking = evaluate_scores(data.policy_scores, dataset.labels, ranking);
  result.true_examination = true_examination(data, mean, threads);
  result.position_bias = learned_position_bias(model);
  result.true_position_bias = data.position_bias;
  pause();
}

void write_trained_model(const RunDirectory& folder, const TrainableModel& model,
                         const ExperimentData& data) {
  folder.write_model(model, data.dataset.dictionary, data.scaling);
  if (!data.scaling) return;
  if (const auto onnx = relevance_onnx(model, *data.scaling, data.bias_columns))
    folder.write(fmt::format("model/{}", relevance_onnx_file), *onnx);
}

}  // namespace ultr
