#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/log/signals.h"
#include "data/log/token_columns.h"

namespace ultr {

class IdNames;

/// One result list as read from a file, before its pairs are looked up.
struct RawList {
  std::uint64_t query = 0;
  std::vector<std::uint64_t> documents;
  std::vector<std::uint16_t> positions;  // displayed, 0-based, increasing
  std::vector<std::uint8_t> clicks;      // 0 or 1
  std::vector<int> labels;          // judged relevance, -2 = unjudged; empty if the file has none
  std::vector<float> propensities;  // as in SessionView; empty if the file has none
  std::vector<float> features{};    // row-major [documents, features]; empty if there are none
  TokenColumnsBuilder words{};      // of each document and its query; empty if there are none
  double weight = 1;                // sessions that the list stands for; need not be whole
  SignalColumns signals{};          // as in SessionView; empty if there are none

  /// Returns the weight of a list that is to be taken as often. Throws DataError unless it is
  /// whole; `reason` says why it has to be.
  std::uint64_t times(std::string_view reason) const;
};

/// Rules for malformed input and long lists, and the progress of a reader.
struct ReadRules {
  std::size_t max_positions = 10;  // displayed positions per list, at most 65536
  bool truncate = false;           // cut longer lists instead of refusing them
  bool skip_malformed = false;     // skip malformed lines instead of refusing the file
  bool missing_features = false;   // features may be missing: an empty cell of a table is NaN
  /// Called now and then with the number of bytes read from the disk since the last call.
  std::function<void(std::uint64_t bytes)> progress = {};
  IdNames* names = nullptr;  // where readers keep the names of ids that are texts; may be null
  bool scores_only = false;  // lists may have neither clicks nor labels: they are scored
  bool by_time = false;      // lists must be in the order of time: tables of counts are refused
};

/// The earliest and the latest time of lists, as numbers that order times.
struct ListTimes {
  std::uint64_t first = 0, last = 0;
};

/// Counts of what a reader found in a file.
struct ReadReport {
  std::uint64_t lines = 0;
  std::uint64_t lists = 0;                 // whatever their weights
  std::uint64_t truncated = 0;             // lists that were cut
  std::uint64_t malformed = 0;             // lines that were skipped
  std::uint64_t first_malformed_line = 0;  // number of the first of them, from 1
  std::string first_malformed{};           // its error message
  std::vector<std::string> notes{};        // further notes for the user, without the file
  std::optional<ListTimes> times{};        // by which lists were ordered, if they have times

  /// Adds the counts of another report on the same file.
  void add(const ReadReport& other);
};

/// Appends notes for the user on the lists that were cut and the lines that were skipped: "log.txt:
/// 3 of 10 lines were left out; the first: log.txt:2: ...".
void add_notes(const std::filesystem::path& file, const ReadReport& report, const ReadRules& rules,
               std::vector<std::string>& notes);

/// Reads a file and calls `take` for each of its lists, in order. Throws DataError with file, line,
/// what was found and what was expected, for a malformed line (unless rules.skip_malformed), a list
/// that is too long (unless rules.truncate), or a file without any list. A list for which `take`
/// throws DataError counts as malformed; any other exception from it aborts the reading.
using LogReader =
    std::function<ReadReport(const std::filesystem::path& file, const ReadRules& rules,
                             const std::function<void(const RawList&)>& take)>;

}  // namespace ultr
