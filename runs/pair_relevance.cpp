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

/// Rows whose relevance is predicted at once.
constexpr std::uint32_t rows_at_once = std::uint32_t{1} << 16;

constexpr const char* no_pairs =
    "the model does not tell single query-document pairs apart; expected one that learns "
    "parameters of pairs or reads their features, and a dictionary that is not hashed";

/// Returns true if a model tells query-document pairs apart, by their rows in tables or by their
/// features, and the pairs can be listed.
bool lists_pairs(const TrainableModel& model, const PairDictionary& dictionary,
                 std::size_t features) {
  return !dictionary.is_hashed() && (features > 0 || Predictor(model, 1).reads_dictionary());
}

/// Returns the features of rows `first` to `last` - 1 as documents of a log bring them.
FeatureTable features_of_rows(const FeatureTable& features, std::uint32_t first,
                              std::uint32_t last) {
  std::vector<float> values(static_cast<std::size_t>(features.count()));  // row 0 is zero
  for (std::uint32_t row = first; row < last; ++row) {
    const std::span<const float> from = features.row(row);
    values.insert(values.end(), from.begin(), from.end());
  }
  FeatureTable table(std::move(values), features.count(), features.bias_count(),
                     features.may_miss());
  if (!features.tokens().empty()) {
    TokenColumnsBuilder words;
    for (std::uint32_t row = first; row < last; ++row) words.add(features.tokens()[row]);
    table.set_tokens({words.build(), features.tokens().vocabulary()});
  }
  return table;
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

std::vector<double> relevance_logits(const TrainableModel& model, std::int64_t rows, int threads,
                                     const FeatureTable& features) {
  constexpr std::uint16_t top = 0;
  constexpr std::uint8_t skipped = 0;
  Predictor predictor(model, threads);
  std::vector<double> logits;
  const auto end = static_cast<std::uint32_t>(rows);
  for (std::uint32_t first = 0; first < end; first += rows_at_once) {
    const std::uint32_t last = std::min(end, first + rows_at_once);
    SessionLog lists;
    for (std::uint32_t row = first; row < last; ++row)
      lists.add({.rows = {&row, 1}, .positions = {&top, 1}, .clicks = {&skipped, 1}});
    if (!features.empty()) lists.set_features(features_of_rows(features, first, last));
    const std::vector<double> some = predictor.relevance(lists);
    logits.insert(logits.end(), some.begin(), some.end());
  }
  return logits;
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
