#pragma once

#include <vector>

#include "base/threads/number_range.h"
#include "base/zeroed_array.h"
#include "data/log/session_log.h"

namespace ultr {

/// A run of neighbouring lists of a log, and their places in a SessionWindow.
struct SessionRun {
  const SessionLogView* sessions;
  NumberRange lists;
  std::span<const std::uint32_t> places;  // one per list
};

/// A reordered copy of some lists of a log, from which shards are packed: lists that are far apart
/// in the log, or in a file, become neighbours in memory. Documents must not have their own
/// features.
class SessionWindow {
 public:
  /// Replaces the content by room for the lists of these runs, which all have the same columns.
  /// Their places must be a permutation of 0, 1, ..., number of lists - 1.
  void start(std::span<const SessionRun> runs);
  /// Copies the lists of one of these runs. Threads may copy different runs concurrently.
  void copy(const SessionRun& run);
  /// A view for packing shards. Valid until the next `start`.
  SessionLogView spans() const;

 private:
  struct Line {  // a cache line; ZeroedArray aligns it
    unsigned char bytes[64];
  };
  void copy_records(const SessionRun& run);
  void copy_lists(const SessionRun& run);
  void copy_weights(const SessionRun& run);

  std::size_t equal_length_ = 0;  // length of all lists, if there are no offsets
  /// Records of lists that all have one length: the rows of a list, then its clicks, so that a list
  /// touches as few cache lines as possible.
  ZeroedArray<Line> lines_;
  std::size_t lines_of_record_ = 0, used_lines_ = 0;
  std::vector<std::int64_t> offsets_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint8_t> clicks_;
  std::vector<std::uint16_t> positions_;
  std::vector<float> propensities_, targets_;
  std::vector<double> weights_;
  SignalColumns signals_;
};

}  // namespace ultr
