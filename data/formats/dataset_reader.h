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

  /// Reads training files. The pairs of sessions that stay in training enter the dictionary; the
  /// others go to valid and test. Throws DataError if none is left to train on. One file that can
  /// be mapped, of which no share is held out, is, with its dictionary; `into.notes` says why files
  /// that lie ready are read all the same.
  void read_train(const Files& files, const SplitShares& shares, Dataset& into) const;
  /// Reads other sessions to `log`: pairs that training does not show get the unknown row. One file
  /// that can be mapped and has the rows of the same dictionary is; notes are as of read_train.
  void read_sessions(const Files& files, Dataset& into, SessionLog& log) const;
  /// Reads judged lists. Throws DataError if a list has no relevance labels.
  void read_labels(const Files& files, Dataset& into) const;

 private:
  void read_all(const Files& files, Dataset& into,
                const std::function<void(const RawList&)>& take) const;
  bool lies_ready(const std::filesystem::path& file) const;
  /// One file that lies ready; nothing if that or others must be read, with the reason.
  std::optional<MappedLog> mapped(const Files& files, std::string& why) const;
  /// Notes why files that lie ready are read.
  void note_reading(const Files& files, std::string_view why, Dataset& into) const;

  LogReader read_;
  ReadRules rules_;
  LogMapper map_;
};

}  // namespace ultr
