#pragma once

#include <vector>

#include "data/log/session_log.h"
#include "models/click_program.h"

namespace ultr {

/// What a trained model says of documents. Programs are recorded once for lists of a length, and
/// results do not depend on the number of threads.
class Predictor {
 public:
  /// The model must outlive the predictor.
  Predictor(const TrainableModel& model, int threads);

  /// Whether it says how likely clicks are, or only what documents are worth.
  bool predicts_clicks() const { return model_.story().predicts_clicks(); }
  /// Whether what it says depends on the dictionary's numbers of query-document pairs.
  bool reads_dictionary() const { return reads_dictionary_; }
  /// Whether relevance, and clicks, depend on displayed positions.
  bool relevance_reads_positions() const { return relevance_reads_positions_; }
  bool clicks_read_positions() const { return clicks_read_positions_; }

  // A number a document of a log, in the log's order; NaN for all documents of a list that shows
  // one at a position which the model does not know, if it must. The last two throw Error if it
  // predicts no clicks.

  /// Relevance, to rank by, as a logit.
  std::vector<double> relevance(const SessionLog& log);
  /// P(click), whatever happens above.
  std::vector<double> click(const SessionLog& log);
  /// P(click | clicks above), of the log's clicks.
  std::vector<double> click_given_clicks_above(const SessionLog& log);

 private:
  using Programs = std::vector<ClickPrograms>;  // one set a worker

  std::vector<double> run(Programs& programs, const SessionLog& log, bool reads_positions,
                          double (*result)(double log_p, double log_complement)) const;

  const TrainableModel& model_;
  Programs relevance_, click_, given_clicks_above_;
  bool reads_dictionary_ = false;
  bool relevance_reads_positions_ = false, clicks_read_positions_ = false;
};

}  // namespace ultr
