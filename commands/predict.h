#pragma once

#include <filesystem>

#include "commands/list_batches.h"

namespace ultr {

/// What `ultr-run predict` is asked to do.
struct PredictCommand {
  std::filesystem::path run;
  ListFiles data;
  std::filesystem::path output;  // empty: standard output
};

/// Writes what a trained model says of the documents of some files, a CSV row a document in the
/// order of the files:
///
///     list             number of its list in the files, from 1
///     query, document  ids; empty if the files have no ids of documents
///     position         displayed, from 1
///     relevance        logit of relevance, to rank by
///     click            P(click), whatever happens above; empty in lists that show documents at
///                      positions which the model does not know but must
///     click_given_clicks_above   P(click | the clicks above in the file); empty without clicks
///
/// without the last two if the model predicts no clicks. A file appears whole or not at all.
/// Query-document pairs that training did not show are predicted by the row that stands for all of
/// them, and counted on stderr. Throws DataError if the run's folder is damaged (SavedModel), the
/// lists do not fit it (read_list_batches) or nothing can be written.
void predict(const PredictCommand& command, Registry& registry);

}  // namespace ultr
