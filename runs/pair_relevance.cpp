#include "runs/pair_relevance.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/sigmoid.h"
#include "runs/run_inputs.h"
#include "training/likelihood_intervals.h"
#include "training/predictor.h"

namespace ultr {
namespace {

/// Rows whose relevance is predicted at once.
constexpr std::uint32_t rows_at_once = std::uint32_t{1} << 16;

/// Counts impressions, clicks and mean positions. Entry i of `pairs` is for row i + 1.
void count_clicks(const SessionLog& log, std::vector<PairRelevance>& pairs) {
  std::vector<std::uint64_t> positions(pairs.size());  // summed, from 1
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    const SessionView session = log[i];
    for (std::size_t k = 0; k < session.rows.size(); ++k) {
      if (session.rows[k] == PairDictionary::unknown) continue;
      const std::size_t pair = session.rows[k] - 1;
      ++pairs[pair].impressions;
      pairs[pair].clicks += session.clicks[k];
      positions[pair] += session.positions[k] + std::uint64_t{1};
    }
  }
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (pairs[i].impressions > 0)
      pairs[i].mean_position =
          static_cast<double>(positions[i]) / static_cast<double>(pairs[i].impressions);
}

/// Returns the features of rows `first` to `last` - 1 as documents of a log bring them.
FeatureTable features_of_rows(const FeatureTable& features, std::uint32_t first,
                              std::uint32_t last) {
  std::vector<float> values(static_cast<std::size_t>(features.count()));  // row 0 is zero
  for (std::uint32_t row = first; row < last; ++row) {
    const std::span<const float> from = features.row(row);
    values.insert(values.end(), from.begin(), from.end());
  }
  return FeatureTable(std::move(values), features.count(), features.bias_count());
}

/// Adds the intervals of relevance and of position bias.
void add_intervals(const TrainableModel& model, const SessionLog& train, int threads,
                   PairRelevances& result) {
  result.position_bias = learned_position_bias(model);
  result.no_intervals = why_no_intervals(model, train);
  if (!result.no_intervals.empty()) return;
  LikelihoodIntervals intervals = likelihood_intervals(model, train, threads);
  for (std::size_t i = 0; i < result.pairs.size(); ++i) {
    PairRelevance& pair = result.pairs[i];
    // Priors, and training that ended early, may leave an estimate outside.
    pair.lower = std::min(intervals.relevance[i + 1].lower, pair.relevance);
    pair.upper = std::max(intervals.relevance[i + 1].upper, pair.relevance);
  }
  result.position_bias_intervals = std::move(intervals.position_bias);
  result.relative_to_first_position = intervals.relative_to_first_position;
}

}  // namespace

std::vector<double> relevance_logits(const TrainableModel& model, int threads,
                                     const FeatureTable& features) {
  constexpr std::uint16_t top = 0;
  constexpr std::uint8_t skipped = 0;
  Predictor predictor(model, threads);
  std::vector<double> logits;
  const auto rows = static_cast<std::uint32_t>(model.setting().rows);
  for (std::uint32_t first = 0; first < rows; first += rows_at_once) {
    const std::uint32_t last = std::min(rows, first + rows_at_once);
    SessionLog lists;
    for (std::uint32_t row = first; row < last; ++row)
      lists.add({.rows = {&row, 1}, .positions = {&top, 1}, .clicks = {&skipped, 1}});
    if (!features.empty()) lists.set_features(features_of_rows(features, first, last));
    const std::vector<double> some = predictor.relevance(lists);
    logits.insert(logits.end(), some.begin(), some.end());
  }
  return logits;
}

void expect_pairs(const SavedModel& saved) {
  if (saved.dictionary().is_hashed() ||
      (saved.features() == 0 && !Predictor(saved.model(), 1).reads_dictionary()))
    throw DataError(fmt::format(
        "{}: the model does not tell single query-document pairs apart; expected one that learns "
        "parameters of pairs or reads their features, and a dictionary that is not hashed",
        saved.run().string()));
}

ExperimentData training_data(SavedModel& saved) {
  ExperimentOptions& options = saved.options();
  options.data.as<DataOptions>().keep_training_only();
  ExperimentData data = load_data(options);
  if (data.dataset.dictionary.id() != saved.dictionary().id())
    throw DataError(
        fmt::format("{}: its training data show other query-document pairs than when "
                    "it was trained; expected the same files",
                    saved.run().string()));
  return data;
}

PairRelevances pair_relevance(const SavedModel& saved, const SessionLog& train, int threads,
                              const FeatureTable& features) {
  expect_pairs(saved);
  const std::vector<std::uint64_t> queries = saved.dictionary().queries();
  const std::vector<std::uint64_t> documents = saved.dictionary().documents();
  const std::vector<double> logits = relevance_logits(saved.model(), threads, features);
  PairRelevances result{.pairs = std::vector<PairRelevance>(logits.size() - 1), .no_intervals = {}};
  for (std::size_t i = 0; i < result.pairs.size(); ++i) {
    result.pairs[i].query = queries[i + 1];
    result.pairs[i].document = documents[i + 1];
    result.pairs[i].relevance = sigmoid(logits[i + 1]);
  }
  count_clicks(train, result.pairs);
  add_intervals(saved.model(), train, threads, result);
  return result;
}

}  // namespace ultr
