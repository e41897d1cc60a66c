#pragma once

#include <filesystem>

#include "commands/list_batches.h"

namespace ultr {

/// What `ultr-run evaluate` is asked to do.
struct EvaluateCommand {
  std::filesystem::path run;
  ListFiles data;
  std::filesystem::path output;  // CSV, a row a list; empty: none
};

/// Prints how well a trained model ranks the lists of some files, where they have labels, and
/// predicts their clicks, where they have any and the model does: the means over all lists or
/// documents, under the names of results.json. `output` has a row a list in the order of the files:
///
///     list                       its number in the files, from 1
///     query, documents           id, and how many there are
///     clicks, ll, unconditional_ll
///                                clicks, and the mean over its documents of the log-likelihood of
///                                P(click | clicks above) and of P(click), natural logarithm
///     relevant, ndcg@10, ...     relevant documents (label above 0), and every ranking metric
///
/// with empty cells where the files have no clicks or labels or the list does not count. It appears
/// whole or not at all. Keeps 8 bytes a ranking metric and judged list (RankingMetrics). Throws
/// DataError as `predict` does, and if there is nothing to evaluate.
void evaluate_run(const EvaluateCommand& command, Registry& registry);

}  // namespace ultr
