#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiment/task.h"
#include "runs/saved_model.h"
#include "training/predictor.h"

namespace ultr {

/// A batch of lists as a trained model reads them. Either all lists have labels, or none has;
/// likewise for clicks and ids.
struct ListBatch {
  SessionLog log;           // with rows of the saved dictionary; clicks are 0 if files have none
  bool has_clicks = false;  // true if the files have clicks
  std::vector<std::uint64_t> documents;  // ids, one per document; may be empty
  std::vector<int> labels;               // judged relevance, likewise
  std::uint64_t first_list = 1;          // number of its first list, over all files
};

/// The lists that may show documents only at positions that the model knows.
enum class KnownPositions : std::uint8_t { of_no_list, of_lists_with_clicks, of_all_lists };

/// Totals over all lists read.
struct ListCounts {
  std::uint64_t lists = 0, documents = 0;
  std::uint64_t unknown = 0;  // documents whose pair was not in the training data
};

/// A command that uses a trained run on files of lists. Several processes can do it together: all
/// read the files, each predicts a part of each batch, and the first writes.
class ListTask : public Task {
 public:
  /// `output_help` describes the field `output`, a CSV file.
  explicit ListTask(std::string output_help) : output_help_(std::move(output_help)) {}

  void fields(Fields& f) final;
  std::vector<ArgumentForm> argument_forms() const final;
  TaskResults run(const TaskContext& context) final;

 protected:
  /// Does the task with the trained run, on the threads that its configuration names, in each of
  /// the processes that do it together.
  virtual TaskResults use(SavedModel& saved, Predictor& predictor) = 0;
  /// Visits the fields that a command has beside those of all.
  virtual void more_fields(Fields&) {}
  virtual std::vector<ArgumentForm> more_argument_forms() const { return {}; }
  /// Reads the files and passes their lists to `take` in order, batch by batch. Memory does not
  /// grow with the number of lists, as far as ListReader guarantees. Draws a progress bar on stderr
  /// and warns about what was left out. Throws ConfigError for an unknown format or option. Throws
  /// DataError for missing files, malformed input, another number of features than the model's, and
  /// positions that the model must know but does not. Rethrows what `take` throws.
  ListCounts read_batches(SavedModel& saved, KnownPositions known,
                          const std::function<void(const ListBatch&)>& take) const;
  /// Warns about the number of documents whose query-document pair was not in the training data, if
  /// the model depends on pairs.
  static void tell_unknown_pairs(const ListCounts& counts, const Predictor& predictor);

  std::string run_, output_;
  std::vector<std::string> files_;

 private:
  void choose_format(Choice& data) const;

  std::string format_;                // empty: the format of the run's data
  std::vector<std::string> options_;  // of the format, "key=value"; the others are as in the run
  std::string output_help_;
};

}  // namespace ultr
