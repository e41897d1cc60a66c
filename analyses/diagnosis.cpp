#include "analyses/diagnosis.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "analyses/predicted_clicks.h"
#include "analyses/refused_targets.h"
#include "base/error.h"
#include "data/log/parallel_shards.h"

namespace ultr {
namespace {

/// Throws DataError if there is nothing to diagnose.
void expect_clicks(const RankGraph& graph) {
  if (std::accumulate(graph.clicks.begin(), graph.clicks.end(), 0.) == 0)
    throw DataError("nothing was clicked in the training sessions; expected clicks");
  if (graph.ranks.size() < 2)
    throw DataError(fmt::format(
        "the training sessions show documents at rank {} alone; expected two ranks at least, whose "
        "clicks differ by position bias",
        graph.ranks.front() + 1));
}

BiasFeatureDiagnosis diagnose_bias_features(const ExperimentData& data,
                                            const DocumentSample& sample,
                                            const DiagnosisOptions& options) {
  BiasCombinations combinations = bias_combinations(data, options.bias_groups);
  RankGraph graph = rank_graph(data.dataset.train, combinations.places);
  CombinationOverlap overlap =
      combination_overlap(data.dataset, sample, combinations, options.seed, options.threads);
  return {std::move(combinations), std::move(graph), std::move(overlap)};
}

PolicyResiduals residuals_of(const ExperimentData& data, const PairPositionCounts& counts,
                             const DocumentSample& sample,
                             const std::optional<PolicyStrength>& policy,
                             const DiagnosisOptions& options) {
  const Dataset& dataset = data.dataset;
  const PredictedClicks predicted =
      options.run != nullptr     ? clicks_by_run(*options.run, data, sample, options.threads)
      : sample.feature_count > 0 ? clicks_by_tower(dataset, sample, options.seed, options.threads)
                                 : clicks_by_pairs(dataset, counts, sample, options.threads);
  return {
      .model = predicted.model,
      .of_run = options.run != nullptr,
      .policy = policy ? "that of a LambdaMART which predicts the logged order"
                       : "minus the mean rank of a query-document pair's other impressions",
      .correlation = correlate_residuals(click_residuals(
          dataset, sample, predicted, policy ? policy->scores : mean_rank_scores(dataset, sample))),
      .notes = predicted.notes};
}

}  // namespace

Diagnosis diagnose(const ExperimentData& data, const DiagnosisOptions& options,
                   const DiagnosisProgress& progress) {
  const auto begin = [&](std::string_view work) {
    if (progress) progress(work);
  };
  refuse_labels(data);
  const Dataset& dataset = data.dataset;
  begin("ranks");
  Diagnosis diagnosis{.sessions = dataset.train.sessions(),
                      .documents = dataset.train.documents(),
                      .click_rates = dataset.train.has_targets(),
                      .graph = {},
                      .bias_features = {},
                      .orders = {},
                      .features = 0,
                      .overlap = {},
                      .policy = {},
                      .residuals = {}};
  std::optional<PairPositionCounts> counts;
  for_each_item(options.threads, 2, [&](std::size_t, std::size_t part) {
    if (part == 0) {
      diagnosis.graph = rank_graph(dataset.train);
    } else {
      counts.emplace(dataset.train);
      diagnosis.orders = order_variety(dataset.train, *counts);
    }
  });
  expect_clicks(diagnosis.graph);
  const DocumentSample sample = sample_documents(dataset, options.sample, options.seed);
  diagnosis.features = sample.feature_count;
  if (!data.bias_columns.empty()) {
    begin("bias features");
    diagnosis.bias_features = diagnose_bias_features(data, sample, options);
  }
  if (sample.feature_count > 0) {
    begin("feature overlap");
    diagnosis.overlap =
        feature_overlap(dataset, sample, diagnosis.graph.ranks, options.seed, options.threads);
    begin("logging policy");
    diagnosis.policy = policy_strength(dataset, sample, options.seed, options.threads);
  }
  begin("residuals");
  diagnosis.residuals = residuals_of(data, *counts, sample, diagnosis.policy, options);
  return diagnosis;
}

}  // namespace ultr
