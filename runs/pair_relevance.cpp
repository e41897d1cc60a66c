#include "runs/pair_relevance.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/error.h"
#include "base/sigmoid.h"
#include "base/threads/thread_limit.h"
#include "runs/run_inputs.h"

namespace ultr {
namespace {

/// Returns the data that a run was trained on. Throws DataError if they have changed.
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

}  // namespace

std::vector<PairCounts> count_pairs(const SessionLog& log, std::size_t rows) {
  std::vector<PairCounts> counts(rows);
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    const SessionView session = log[i];
    for (std::size_t k = 0; k < session.rows.size(); ++k) {
      PairCounts& pair = counts[session.rows[k]];
      ++pair.impressions;
      pair.clicks += session.clicks[k];
      pair.positions += session.positions[k] + std::uint64_t{1};
    }
  }
  return counts;
}

std::vector<double> relevance_of_rows(Predictor& predictor, std::uint32_t first,
                                      std::uint32_t last) {
  constexpr std::uint16_t top = 0;
  constexpr std::uint8_t skipped = 0;
  SessionLog lists;
  for (std::uint32_t row = first; row < last; ++row)
    lists.add({.rows = {&row, 1}, .positions = {&top, 1}, .clicks = {&skipped, 1}});
  std::vector<double> relevance = predictor.relevance(lists);
  for (double& logit : relevance) logit = sigmoid(logit);
  return relevance;
}

void for_each_learned_pair(SavedModel& saved,
                           const std::function<void(std::span<const LearnedPair>)>& take) {
  constexpr std::uint32_t rows_at_once = std::uint32_t{1} << 16;
  const int threads = count_threads(saved.options());
  const ThreadLimit limit(threads);
  Predictor predictor(saved.model(), threads);
  if (!predictor.reads_dictionary() || saved.features() > 0 || saved.dictionary().is_hashed())
    throw DataError(fmt::format(
        "{}: the model has no parameters of single query-document pairs; expected one that learns "
        "them (ultr-run predict scores documents with any model)",
        saved.run().string()));
  const ExperimentData data = training_data(saved);
  const auto rows = static_cast<std::uint32_t>(saved.dictionary().rows());
  const std::vector<PairCounts> counts = count_pairs(data.dataset.train, rows);
  const std::vector<std::uint64_t> queries = saved.dictionary().queries();
  const std::vector<std::uint64_t> documents = saved.dictionary().documents();
  std::vector<LearnedPair> pairs;
  for (std::uint32_t first = 1; first < rows; first += rows_at_once) {
    const std::uint32_t last = std::min(rows, first + rows_at_once);
    const std::vector<double> relevance = relevance_of_rows(predictor, first, last);
    pairs.clear();
    for (std::uint32_t row = first; row < last; ++row)
      pairs.push_back({counts[row], queries[row], documents[row], relevance[row - first]});
    take(pairs);
  }
}

}  // namespace ultr
