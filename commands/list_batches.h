#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiment/saved_model.h"

namespace ultr {

/// Files of lists to use a trained model on.
struct ListFiles {
  std::vector<std::string> files;
  std::string format;                // empty: that of the run's data
  std::vector<std::string> options;  // of the format, "key=value"; others are as in the run
};

/// Lists of some files as a trained model reads them; all have labels, clicks or ids, or none has.
struct ListBatch {
  SessionLog log;           // by the rows of the saved dictionary; without clicks in the files, 0
  bool has_clicks = false;  // in the files
  std::vector<std::uint64_t> documents;  // ids, one a document of the log, if there are any
  std::vector<int> labels;               // judged relevance, likewise
  std::uint64_t first_list = 1;          // number, in all files, of its first list
};

/// Which lists may show documents only at positions that the model knows.
enum class KnownPositions : std::uint8_t { of_no_list, of_lists_with_clicks, of_all_lists };

/// What was read.
struct ListCounts {
  std::uint64_t lists = 0, documents = 0;
  std::uint64_t unknown = 0;  // documents whose query-document pair training did not show
};

/// Reads files and hands over their lists in order, batch by batch: memory does not grow with their
/// number as far as ListReader says. Draws a progress bar on stderr, and tells the user what was
/// left out. Throws
/// ConfigError for a format or options that are not there; DataError for missing files, for what
/// is malformed, for other features than the model's and for positions that it must know but does
/// not, and what `take` throws.
ListCounts read_list_batches(SavedModel& saved, const ListFiles& files, KnownPositions known,
                             const std::function<void(const ListBatch&)>& take);

/// Tells the user how many query-document pairs training did not show, if the model goes by them.
void tell_unknown_pairs(const ListCounts& counts, bool reads_dictionary);

}  // namespace ultr
