#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/log/session_log.h"

namespace ultr {

/// The impressions and clicks of each query-document pair at each position of a log: all that a log
/// says about a model whose clicks are independent and depend on the pair and the position alone.
class PairPositionCounts {
 public:
  /// A pair at a position, 0-based, where it is shown at least once.
  struct Cell {
    std::uint16_t position;
    double impressions, clicks;  // by the weights of sessions; click rates count as clicks
  };

  /// Counts in time and memory that are linear in the log: while it does, 8 bytes per impression,
  /// 16 if sessions have weights.
  explicit PairPositionCounts(const SessionLog& log);

  /// Positions of the log (SessionLog::positions).
  std::size_t positions() const { return positions_; }
  /// One more than the largest row of a pair that is shown.
  std::size_t rows() const { return begins_.size() - 1; }
  /// Returns the cells of a pair by position; none if it is not shown.
  std::span<const Cell> row(std::size_t row) const {
    return std::span(cells_).subspan(begins_[row], begins_[row + 1] - begins_[row]);
  }
  /// The cells of all pairs, pair after pair.
  std::span<const Cell> cells() const { return cells_; }

 private:
  std::size_t positions_;
  std::vector<Cell> cells_;
  std::vector<std::size_t> begins_;  // of each row's cells, and the end of the last
};

}  // namespace ultr
