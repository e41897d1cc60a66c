#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "data/log/feature_table.h"
#include "data/log/pair_dictionary.h"
#include "data/log/token_table.h"
#include "experiment/data_options.h"
#include "experiment/registry.h"
#include "runs/saved_model.h"

namespace ultr {

/// Throws DataError: a run knows pairs by their number, but none of the training sessions.
[[noreturn]] void refuse_unknown_pairs(const SavedModel& saved);

/// Scores the query-document pairs of any data by the model of a trained run.
class PairScores {
 public:
  /// Throws DataError as SavedModel does.
  PairScores(const std::filesystem::path& run, Registry& registry, int threads);

  const SavedModel& saved() const { return saved_; }
  /// True if the model knows pairs by their number: scores then tell apart those of its own
  /// training data, and all others are one unknown pair.
  bool reads_dictionary() const { return reads_dictionary_; }
  /// True if relevance depends on positions; scores are then those at the first.
  bool reads_positions() const { return reads_positions_; }

  /// Returns the relevance logit of each pair of the training sessions: one per row of the
  /// dictionary. Features are scaled as those of the run were, and words of
  /// texts get the tokens that they have in its vocabulary. Where documents bring their own
  /// features, those count with which a pair is first shown. The bits do not depend on the number
  /// of threads. Throws DataError, with the run's folder, if the data lack the features or words
  /// that the model reads, if it knows pairs by their number but none of these, or if a score is
  /// not finite.
  std::vector<double> of(const ExperimentData& data) const;

 private:
  FeatureTable inputs(const ExperimentData& data) const;
  std::vector<float> features(const ExperimentData& data, const FeatureTable& known) const;
  TokenTable words(const ExperimentData& data, const TokenTable& known) const;
  /// Returns the row of each pair in the dictionary of the run, if the model reads that.
  std::vector<std::uint32_t> rows_in_run(const PairDictionary& pairs) const;

  SavedModel saved_;
  int threads_;
  bool reads_dictionary_ = false, reads_positions_ = false;
  bool reads_words_ = false, reads_features_ = false;
};

}  // namespace ultr
