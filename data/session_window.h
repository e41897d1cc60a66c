#pragma once

#include <vector>

#include "data/huge_page_allocator.h"
#include "data/session_log.h"

namespace ultr {

/// Copies of some lists of a log side by side, for shards to be packed from: lists that are far
/// apart in the log, or in a file, come into the cache together. A log's documents must not have
/// features of their own.
class SessionWindow {
 public:
  /// Removes all lists; their memory is kept for the next ones.
  void clear();
  /// Adds `count` lists from `first` on. All that are added have the same columns.
  void add(const SessionSpans& sessions, std::size_t first, std::size_t count);
  /// Until the next change.
  SessionSpans spans() const;

 private:
  struct Line {  // of the cache, which HugePageAllocator aligns them to
    unsigned char bytes[64];
  };
  void add_records(const SessionSpans& sessions, std::size_t first, std::size_t count);

  std::size_t equal_length_ = 0;
  /// Of lists of one length rows and clicks lie together, so that a list that is picked at random
  /// costs as few cache lines as may be.
  std::vector<Line, HugePageAllocator<Line>> lines_;
  std::size_t lines_of_record_ = 0;
  std::vector<std::int64_t> offsets_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint8_t> clicks_;
  std::vector<std::uint16_t> positions_;
  std::vector<float> propensities_, targets_;
};

}  // namespace ultr
