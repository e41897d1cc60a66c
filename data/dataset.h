#pragma once

#include <string>
#include <vector>

#include "data/feature_table.h"
#include "data/judged_lists.h"
#include "data/mapped_log.h"
#include "data/pair_dictionary.h"
#include "data/raw_log.h"
#include "data/session_log.h"

namespace ultr {

/// All that an experiment learns from and is judged by.
struct Dataset {
  PairDictionary dictionary;  // of the pairs in train
  SessionLog train, valid, test;
  FeatureTable features;  // a row a pair of the dictionary; empty: none
  JudgedLists labels;
  std::size_t positions = 0;       // displayed positions that a model needs to know
  std::vector<std::string> notes;  // what reading met, a line each, to tell the user
};

/// Which part of the data a session belongs to.
enum class Split : std::uint8_t { train, valid, test };

/// Shares of a log that are held out; session i goes by a draw from (seed, i) alone.
struct SplitShares {
  double valid = 0, test = 0;
  std::uint64_t seed = 1;

  Split of(std::uint64_t session) const;
};

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
