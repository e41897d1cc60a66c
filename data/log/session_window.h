#pragma once

#include <vector>

#include "base/huge_page_allocator.h"
#include "base/number_range.h"
#include "data/log/session_log.h"

namespace ultr {

/// Neighbouring lists, and the places that they take elsewhere.
struct SessionRun {
  const SessionSpans* sessions;
  NumberRange lists;
  std::span<const std::uint32_t> places;  // one a list
};

/// Copies of some lists in an order of their own, for shards to be packed from: lists that are far
/// apart in a log, or in a file, come into the cache together. Documents must not have features of
/// their own.
class SessionWindow {
 public:
  /// Makes room for the lists of these runs, which all have the same columns, in place of those
  /// that it has. Their places are 0, 1, ... up to their number, each once.
  void start(std::span<const SessionRun> runs);
  /// Copies the lists of one of these runs; several threads may copy different ones.
  void copy(const SessionRun& run);
  /// Until the next change.
  SessionSpans spans() const;

 private:
  struct Line {  // of the cache, which HugePageAllocator aligns them to
    unsigned char bytes[64];
  };
  void copy_records(const SessionRun& run);
  void copy_lists(const SessionRun& run);

  std::size_t equal_length_ = 0;  // of all lists, if there are no offsets
  /// Of lists of one length rows and clicks lie together, a record, so that a list costs as few
  /// cache lines as may be.
  std::vector<Line, HugePageAllocator<Line>> lines_;
  std::size_t lines_of_record_ = 0;
  std::vector<std::int64_t> offsets_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint8_t> clicks_;
  std::vector<std::uint16_t> positions_;
  std::vector<float> propensities_, targets_;
};

}  // namespace ultr
