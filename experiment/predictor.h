#pragma once

#include <vector>

#include "data/session_log.h"
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
  /// Whether what it says depends on the dictionary's numbers of query-document pairs, and on
  /// displayed positions.
  bool reads_dictionary() const { return reads_dictionary_; }
  bool reads_positions() const { return reads_positions_; }

  // A number a document of a log, in the log's order. Throw DataError for positions that the model
  // does not know; the last two throw Error if it predicts no clicks.

  /// Relevance, to rank by, as a logit.
  std::vector<double> relevance(const SessionLog& log);
  /// P(click), whatever happens above.
  std::vector<double> click(const SessionLog& log);
  /// P(click | clicks above), of the log's clicks.
  std::vector<double> click_given_clicks_above(const SessionLog& log);

 private:
  using Programs = std::vector<ClickPrograms>;  // one set a worker

  std::vector<double> run(Programs& programs, const SessionLog& log,
                          double (*result)(double log_p, double log_complement)) const;

  const TrainableModel& model_;
  Programs relevance_, click_, given_clicks_above_;
  bool reads_dictionary_ = false, reads_positions_ = false;
};

}  // namespace ultr
