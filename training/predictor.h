#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/log/judged_lists.h"
#include "data/log/session_log.h"
#include "dsl/programs/click_program.h"

namespace ultr {

/// Predictions of a trained model for the documents of a log. Programs are recorded once per list
/// length. Results do not depend on the number of threads. If several processes hold the model
/// (ModelSetting::processes), all must ask for the same predictions: each computes a part of them,
/// and all get bit-identical results.
class Predictor {
 public:
  /// The model must outlive the predictor.
  Predictor(const TrainableModel& model, int threads);

  /// Returns true if the model predicts clicks, false if it only ranks.
  bool predicts_clicks() const { return model_.story().predicts_clicks(); }
  /// Returns true if predictions depend on the dictionary rows of query-document pairs.
  bool reads_dictionary() const { return reads_dictionary_; }
  /// Return true if relevance, or click probabilities, depend on displayed positions.
  bool relevance_reads_positions() const { return relevance_reads_positions_; }
  bool clicks_read_positions() const { return clicks_read_positions_; }

  // The following return one number per document of a log, in the log's order. If the prediction
  // depends on positions and a list shows a document beyond the positions of the model, all
  // documents of that list are NaN. The last two throw Error if the model predicts no clicks.

  /// Returns relevance as a logit, to rank by.
  std::vector<double> relevance(const SessionLog& log);
  /// Returns P(click), whatever happens above the document.
  std::vector<double> click(const SessionLog& log);
  /// Returns P(click | clicks above), given the clicks of the log.
  std::vector<double> click_given_clicks_above(const SessionLog& log);

 private:
  using Programs = std::vector<ClickPrograms>;  // one set per worker

  std::vector<double> run(Programs& programs, const SessionLog& log, bool reads_positions,
                          double (*result)(double log_p, double log_complement)) const;

  const TrainableModel& model_;
  Programs relevance_, click_, given_clicks_above_;
  bool reads_dictionary_ = false;
  bool relevance_reads_positions_ = false, clicks_read_positions_ = false;
};

/// Returns the logit of relevance of rows of the dictionary, at the first position. `features`:
/// row i is that of rows[i], if documents bring their own. Several processes divide the work as a
/// Predictor does.
std::vector<double> relevance_logits(const TrainableModel& model,
                                     std::span<const std::uint32_t> rows, int threads,
                                     const FeatureTable& features = {});
/// Returns those of the first `rows` rows.
std::vector<double> relevance_logits(const TrainableModel& model, std::int64_t rows, int threads,
                                     const FeatureTable& features = {});
/// Returns the logit of relevance of each document of judged lists, list after list. Several
/// processes divide the work likewise. Throws DataError if relevance depends on positions and a
/// list is longer than the positions of the model.
std::vector<double> relevance_logits(const TrainableModel& model, const JudgedLists& lists,
                                     int threads);

}  // namespace ultr
