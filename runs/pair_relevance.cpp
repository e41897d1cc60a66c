#include "runs/pair_relevance.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/sigmoid.h"
#include "base/threads/thread_limit.h"
#include "runs/run_inputs.h"
#include "training/intervals/likelihood_intervals.h"
#include "training/predictor.h"

namespace ultr {
namespace {

constexpr const char* no_pairs =
    "the model does not tell single query-document pairs apart; expected one that learns "
    "parameters of pairs or reads their features, and a dictionary that is not hashed";

/// Returns true if a model tells query-document pairs apart, by their rows in tables or by their
/// features, and the pairs can be listed.
bool lists_pairs(const TrainableModel& model, const PairDictionary& dictionary,
                 std::size_t features) {
  return !dictionary.is_hashed() && (features > 0 || Predictor(model, 1).reads_dictionary());
}

/// Adds the intervals of relevance and of position bias, if there are any.
void add_intervals(const TrainableModel& model, const SessionLog& train, int threads,
                   PairRelevances& result) {
  result.no_intervals = why_no_intervals(model, train);
  if (!result.no_intervals.empty()) return;
  LikelihoodIntervals intervals = likelihood_intervals(model, train, threads);
  for (std::size_t i = 0; i < result.pairs.size(); ++i) {
    RelevanceEstimate& pair = result.pairs[i].estimate;
    // Priors, and training that ended early, may leave an estimate outside.
    const auto& [lower, upper] = intervals.relevance[i + 1];
    pair.lower = std::min(lower, pair.relevance);
    pair.upper = std::max(upper, pair.relevance);
  }
  result.position_bias_intervals = std::move(intervals.position_bias);
  result.relative_to_first_position = intervals.relative_to_first_position;
}

}  // namespace

std::vector<PairCounts> count_pairs(const SessionLog& log, std::size_t rows) {
  std::vector<PairCounts> counts(rows);
  std::vector<double> positions(rows);  // summed, from 1
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    const SessionView session = log[i];
    for (std::size_t k = 0; k < session.rows.size(); ++k) {
      const std::uint32_t row = session.rows[k];
      counts[row].impressions += session.weight;
      counts[row].clicks += session.weight * session.clicks[k];
      positions[row] += session.weight * (session.positions[k] + 1.0);
    }
  }
  for (std::size_t row = 0; row < rows; ++row)
    if (counts[row].impressions > 0)
      counts[row].mean_position = positions[row] / counts[row].impressions;
  return counts;
}

PairRelevances pair_relevance(const TrainableModel& model, const PairDictionary& dictionary,
                              const SessionLog& train, const PairRelevanceSetting& setting) {
  if (!lists_pairs(model, dictionary, static_cast<std::size_t>(setting.features.count())))
    throw DataError(no_pairs);
  const std::vector<std::uint64_t> queries = dictionary.queries();
  const std::vector<std::uint64_t> documents = dictionary.documents();
  const std::vector<double> logits =
      relevance_logits(model, dictionary.rows(), setting.threads, setting.features);
  const std::vector<PairCounts> counts = count_pairs(train, logits.size());
  PairRelevances result{.pairs = {}, .no_intervals = {}};
  for (std::size_t row = 1; row < logits.size(); ++row)
    result.pairs.push_back(
        {.query = queries[row],
         .document = documents[row],
         .estimate = {.relevance = sigmoid(logits[row]), .impressions = counts[row].impressions},
         .clicks = counts[row].clicks,
         .mean_position = counts[row].mean_position});
  result.position_bias = learned_position_bias(model);
  if (setting.intervals) add_intervals(model, train, setting.threads, result);
  return result;
}

std::vector<RelevanceEstimate> relevance_estimates(std::span<const PairRelevance> pairs) {
  std::vector<RelevanceEstimate> estimates;
  estimates.reserve(pairs.size());
  for (const PairRelevance& pair : pairs) estimates.push_back(pair.estimate);
  return estimates;
}

RunRelevance relevance_of_run(SavedModel& saved, bool intervals) {
  const int threads = count_threads(saved.options());
  const ThreadLimit limit(threads);
  const auto of_run = [&](const std::string& problem) {
    return DataError(fmt::format("{}: {}", saved.run().string(), problem));
  };
  if (!lists_pairs(saved.model(), saved.dictionary(), saved.features()))
    throw of_run(no_pairs);  // before the data are read
  saved.options().data.as<DataOptions>().keep_training_only();
  ExperimentData data = load_data(saved.options());
  // The lists of other parts, which are not read again, come last.
  if (!saved.dictionary().begins_with(data.dataset.dictionary))
    throw of_run(
        "its training data show other query-document pairs than when it was trained; expected the "
        "same files");
  PairRelevances relevance = pair_relevance(
      saved.model(), data.dataset.dictionary, data.dataset.train,
      {.threads = threads, .features = data.dataset.features, .intervals = intervals});
  return {std::move(data), std::move(relevance)};
}

}  // namespace ultr
