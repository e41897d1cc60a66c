#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/formats/log_format.h"
#include "data/log/dataset.h"

namespace ultr {

/// Reads files of one format into a dataset.
class DatasetReader {
 public:
  using Files = std::vector<std::filesystem::path>;

  DatasetReader(LogReader read, ReadRules rules, LogMapper map = {})
      : read_(std::move(read)), rules_(std::move(rules)), map_(std::move(map)) {}

  /// Reads training files. The pairs of training sessions enter the dictionary; held-out sessions
  /// go to `valid` and `test`. A single file that can be memory-mapped is mapped with its own
  /// dictionary, unless sessions are held out of it. With SplitBy::time, files are read twice. If a
  /// file that could be mapped is read, `into.notes` says why. Throws DataError if no session is
  /// left to train on, or if files are to be split by time and their times overlap.
  void read_train(const Files& files, const SplitShares& shares, Dataset& into) const;
  /// Reads other sessions into `log`. Pairs that training does not show get the unknown row. A
  /// single file that can be memory-mapped is mapped if its rows are those of the same dictionary.
  /// Notes are as for read_train.
  void read_sessions(const Files& files, Dataset& into, SessionLog& log) const;
  /// Reads the first list of each file. Throws DataError if it is malformed, or has no relevance
  /// labels although lists should be judged.
  void expect_readable(const Files& files, bool judged) const;
  /// Reads judged lists. Throws DataError if a list has no relevance labels.
  void read_labels(const Files& files, Dataset& into) const;

 private:
  /// Returns the number of sessions in files, which must be in the order of time: throws DataError
  /// if lists of one are earlier than some of the file before it.
  std::uint64_t count_lists(const Files& files) const;
  void read_all(const Files& files, Dataset& into,
                const std::function<void(const RawList&)>& take) const;
  bool is_mappable(const std::filesystem::path& file) const;
  /// Maps a single file. Returns nothing if files must be read instead, and sets `why`.
  std::optional<MappedLog> mapped(const Files& files, std::string& why) const;
  /// Adds a note with the reason for each file that could be mapped but is read.
  void note_reading(const Files& files, std::string_view why, Dataset& into) const;

  LogReader read_;
  ReadRules rules_;
  LogMapper map_;
};

}  // namespace ultr
