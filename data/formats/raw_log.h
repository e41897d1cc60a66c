#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ultr {

/// One list as a file has it.
struct RawList {
  std::uint64_t query = 0;
  std::vector<std::uint64_t> documents;
  std::vector<std::uint16_t> positions;  // displayed, 0-based, rising
  std::vector<std::uint8_t> clicks;
  std::vector<int> labels;          // judged relevance, -2 = unjudged; empty if the file has none
  std::vector<float> propensities;  // SessionView's; empty if the file has none
};

/// What a reader does with what is not as it should be.
struct ReadRules {
  std::size_t max_positions = 10;  // displayed positions a list may have, at most 65536
  bool truncate = false;           // cut longer lists instead of refusing them
  bool skip_malformed = false;     // leave out malformed lines instead of refusing the file
  /// Called now and then with the bytes that were read off the disk since the last call.
  std::function<void(std::uint64_t bytes)> progress = {};
};

/// What a reader met.
struct ReadReport {
  std::uint64_t lines = 0;
  std::uint64_t lists = 0;
  std::uint64_t truncated = 0;             // lists that were cut
  std::uint64_t malformed = 0;             // lines that were left out
  std::uint64_t first_malformed_line = 0;  // the first of them, from 1
  std::string first_malformed{};           // the message for it

  /// Of the same file.
  void add(const ReadReport& other);
};

/// "log.txt: 3 of 10 lines were left out; the first: log.txt:2: ...", to tell the user.
std::string malformed_note(const std::filesystem::path& file, const ReadReport& report);

/// Adds what the user should know of the reading of a file: lists that were cut, and lines that
/// were left out.
void add_notes(const std::filesystem::path& file, const ReadReport& report, const ReadRules& rules,
               std::vector<std::string>& notes);

/// Reads a file and hands over its lists in order. Throws DataError with file, line, what was found
/// and what was expected, for a malformed line (unless rules.skip_malformed), a list that is too
/// long (unless rules.truncate), or a file without any list. A list for which `take` throws
/// DataError is malformed; anything else that it throws ends the reading.
using LogReader =
    std::function<ReadReport(const std::filesystem::path& file, const ReadRules& rules,
                             const std::function<void(const RawList&)>& take)>;

}  // namespace ultr
