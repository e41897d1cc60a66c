#include "runs/pair_relevance.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/sigmoid.h"
#include "runs/run_inputs.h"
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

/// Returns the logit of relevance of rows `first` to `last` - 1 of the dictionary.
std::vector<double> relevance_of_rows(Predictor& predictor, std::uint32_t first,
                                      std::uint32_t last) {
  constexpr std::uint16_t top = 0;
  constexpr std::uint8_t skipped = 0;
  SessionLog lists;
  for (std::uint32_t row = first; row < last; ++row)
    lists.add({.rows = {&row, 1}, .positions = {&top, 1}, .clicks = {&skipped, 1}});
  return predictor.relevance(lists);
}

}  // namespace

void expect_pair_parameters(const SavedModel& saved) {
  const Predictor predictor(saved.model(), 1);
  if (!predictor.reads_dictionary() || saved.features() > 0 || saved.dictionary().is_hashed())
    throw DataError(fmt::format(
        "{}: the model has no parameters of single query-document pairs; expected one that learns "
        "them (ultr-run predict scores documents with any model)",
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

PairRelevances pair_relevance(const SavedModel& saved, const SessionLog& train, int threads) {
  expect_pair_parameters(saved);
  Predictor predictor(saved.model(), threads);
  const auto rows = static_cast<std::uint32_t>(saved.dictionary().rows());
  const std::vector<std::uint64_t> queries = saved.dictionary().queries();
  const std::vector<std::uint64_t> documents = saved.dictionary().documents();
  PairRelevances result{.pairs = std::vector<PairRelevance>(rows - 1), .no_intervals = {}};
  for (std::uint32_t first = 1; first < rows; first += rows_at_once) {
    const std::uint32_t last = std::min(rows, first + rows_at_once);
    const std::vector<double> logits = relevance_of_rows(predictor, first, last);
    for (std::uint32_t row = first; row < last; ++row) {
      PairRelevance& pair = result.pairs[row - 1];
      pair.query = queries[row];
      pair.document = documents[row];
      pair.relevance = sigmoid(logits[row - first]);
    }
  }
  count_clicks(train, result.pairs);
  return result;
}

}  // namespace ultr
