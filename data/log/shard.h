#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/tensor.h"
#include "data/log/session_log.h"

namespace ultr {

/// Sessions in a shard. A batch is a list of whole shards; shards are the unit of parallel work,
/// the same whatever the number of threads. Large enough that starting a kernel costs little, small
/// enough that a program's values stay in the second-level cache.
inline constexpr std::size_t shard_sessions = 256;
/// Shards that so many sessions fill, the last perhaps not wholly.
constexpr std::size_t shards_of(std::size_t sessions) {
  return (sessions + shard_sessions - 1) / shard_sessions;
}

/// Up to shard_sessions lists, packed without padding: sessions are ordered by length, longest
/// first, and documents stored rank by rank, so that the documents at rank k are one contiguous
/// slice over the first `count(k)` sessions.
class Shard {
 public:
  /// Packs the given sessions of a log, reusing the memory of what was packed before.
  /// Sessions of equal length keep their order.
  void pack(const SessionLog& log, std::span<const std::uint32_t> sessions) {
    pack(log.spans(), sessions);
  }
  void pack(const SessionSpans& log, std::span<const std::uint32_t> sessions);

  std::size_t sessions() const { return order_.size(); }
  std::size_t documents() const { return rows_.size(); }
  std::size_t longest() const { return begin_.size() - 1; }
  /// The first document of rank k (0-based), k <= longest().
  std::uint32_t begin(std::size_t k) const { return begin_[k]; }
  /// Sessions that have a document at rank k; 0 from longest() on.
  std::uint32_t count(std::size_t k) const { return k < longest() ? begin_[k + 1] - begin_[k] : 0; }
  /// Which session of the log is the j-th here.
  std::span<const std::uint32_t> order() const { return order_; }

  std::span<const std::uint32_t> rows() const { return rows_; }
  /// The features of the log's documents, and which row each document has. Where the log has none,
  /// the table is empty, and the rows are those of the pairs.
  const FeatureTable& features() const { return features_; }
  std::span<const std::uint32_t> feature_rows() const {
    return features_.empty() ? rows() : std::span<const std::uint32_t>(feature_rows_);
  }
  std::span<const std::uint32_t> positions() const { return positions_; }
  /// One more than the largest position, 0 without documents.
  std::uint32_t positions_count() const { return positions_count_; }
  /// The positions as runs, one a rank, if every list shows position k at rank k; else empty.
  std::span<const Run> position_runs() const { return runs_; }
  std::span<const std::uint8_t> clicks() const { return clicks_; }
  /// SessionView's propensities and targets; empty if the log has none.
  std::span<const float> propensities() const { return propensities_; }
  std::span<const float> targets() const { return targets_; }
  /// Whether a document is not the last of its list.
  std::span<const std::uint8_t> continues() const { return continues_; }
  std::size_t clicked() const { return clicked_; }

 private:
  void order_by_length(const SessionSpans& log, std::span<const std::uint32_t> sessions);
  void find_lists(const SessionSpans& log);
  void gather_rows_and_clicks(const SessionSpans& log);
  void gather_equally_long(const SessionSpans& log);
  template <class Count, class Length>
  void gather_lists(const SessionSpans& log, Count sessions, Length length);
  void gather_rank_by_rank(const SessionSpans& log);
  /// Lays a column of the log out rank by rank; none if it is empty.
  template <class T>
  void gather(std::span<const T> column, std::vector<T>& packed) const;
  void place_positions(const SessionSpans& log, bool as_before);

  std::vector<std::uint32_t> order_, begin_ = {0}, rows_, positions_, feature_rows_;
  FeatureTable features_;
  std::vector<Run> runs_;
  std::vector<std::uint8_t> clicks_, continues_;
  std::vector<float> propensities_, targets_;
  std::size_t clicked_ = 0;
  std::uint32_t positions_count_ = 0;

  // While packing:
  std::vector<std::uint32_t> begin_before_;  // begin() of what was packed before
  std::vector<std::uint32_t> next_;          // at L + 1, where the next list of length L goes
  std::vector<std::uint32_t> length_;        // of each session
  std::vector<std::size_t> first_;           // document of each session
  std::vector<std::uint16_t> shown_;         // positions as the log has them
};

}  // namespace ultr
