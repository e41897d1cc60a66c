#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "commands/list_task.h"
#include "data/features/boosted_trees.h"

namespace ultr {

/// A CSV file of what each feature adds to the relevance of documents (SHAP values), one row per
/// document in the order of the files:
///
///     list, query, position, document   as in the predictions
///     relevance                         logit
///     base_value                        mean relevance that features add to
///     one column per feature            by name, else f0, f1, ...; they sum to relevance with
///                                       base_value, up to rounding
///
/// The file appears completely or not at all.
class ContributionsFile {
 public:
  /// Throws ConfigError unless the model ranks by boosted trees alone.
  ContributionsFile(const std::filesystem::path& file, const SavedModel& saved, int threads);

  /// Appends the documents of a batch, whose relevance is given.
  void add(const ListBatch& batch, const IdNames& names, const std::vector<double>& relevance);
  void finish() { file_.finish(); }

 private:
  std::size_t features_;
  LoadedTrees trees_;
  NewFile file_;
};

}  // namespace ultr
