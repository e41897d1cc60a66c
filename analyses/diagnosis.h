#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyses/bias_combinations.h"
#include "analyses/feature_overlap.h"
#include "analyses/policy_strength.h"
#include "experiment/data_options.h"
#include "metrics/bias/order_variety.h"
#include "metrics/bias/rank_graph.h"
#include "metrics/residual_correlation.h"
#include "runs/saved_model.h"

namespace ultr {

struct DiagnosisOptions {
  const SavedModel* run = nullptr;  // its residuals are measured; null: a model is fitted
  /// Approximate number of documents, drawn from the training sessions, on which features and
  /// residuals are measured.
  std::size_t sample = 50000;
  std::size_t bias_groups = 10;  // into which values of a bias feature are divided at most
  std::uint64_t seed = 1;
  int threads = 1;
};

/// A model's residuals against the logging policy.
struct PolicyResiduals {
  std::string model;    // describes the model whose click probabilities are subtracted from clicks
  bool of_run = false;  // the model is that of a run; false: an additive one that was fitted
  std::string policy;   // describes the policy's score
  ResidualCorrelation correlation;
  std::vector<std::string> notes{};  // on the model's fit, for the user, one line each
};

/// The measurements that tell bias from relevance if each combination of rank and bias features has
/// a bias of its own.
struct BiasFeatureDiagnosis {
  BiasCombinations combinations;
  RankGraph graph;  // its ranks are the numbers of combinations
  CombinationOverlap overlap;
};

/// Everything that tells whether training sessions can separate position bias from relevance.
struct Diagnosis {
  std::size_t sessions = 0, documents = 0;
  bool click_rates = false;  // sessions have click rates in place of clicks
  RankGraph graph;
  std::optional<BiasFeatureDiagnosis> bias_features;  // if documents have any
  OrderVariety orders;
  std::size_t features = 0;               // of a document that relevance is learned from
  std::optional<FeatureOverlap> overlap;  // with features
  std::optional<PolicyStrength> policy;   // with features, if there are queries to hold out
  PolicyResiduals residuals;
};

/// Called with a name of the measurement that begins.
using DiagnosisProgress = std::function<void(std::string_view work)>;

/// Diagnoses the training sessions. The numbers do not depend on `threads`. Throws DataError if
/// nothing was clicked, the sessions have relevance labels in place of clicks, or all documents are
/// shown at one rank. Throws as clicks_by_run and bias_combinations do.
Diagnosis diagnose(const ExperimentData& data, const DiagnosisOptions& options,
                   const DiagnosisProgress& progress = {});

}  // namespace ultr
