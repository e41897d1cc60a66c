#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/tape/tensor.h"
#include "data/log/session_log.h"

namespace ultr {

/// Number of sessions in a shard. A batch is a list of whole shards. A shard is the unit of
/// parallel work, whatever the number of threads. 256 is large enough that starting a kernel costs
/// little, and small enough that the values of a program stay in the second-level cache.
inline constexpr std::size_t shard_sessions = 256;
/// Number of shards that so many sessions fill; the last may be incomplete.
constexpr std::size_t shards_of(std::size_t sessions) {
  return (sessions + shard_sessions - 1) / shard_sessions;
}

/// Up to shard_sessions lists, packed without padding. Sessions are ordered by length, longest
/// first, and documents are stored rank by rank. The documents at rank k are one contiguous slice
/// over the first `count(k)` sessions.
class Shard {
 public:
  /// Packs the given sessions of a log, reusing the memory of earlier calls. Sessions of equal
  /// length keep their order.
  void pack(const SessionLog& log, std::span<const std::uint32_t> sessions) {
    pack(log.spans(), sessions);
  }
  void pack(const SessionLogView& log, std::span<const std::uint32_t> sessions);

  std::size_t sessions() const { return order_.size(); }
  std::size_t documents() const { return rows_.size(); }
  std::size_t longest() const { return begin_.size() - 1; }
  /// Index of the first document at rank k (0-based), k <= longest().
  std::uint32_t begin(std::size_t k) const { return begin_[k]; }
  /// Number of sessions that have a document at rank k; 0 from longest() on.
  std::uint32_t count(std::size_t k) const { return k < longest() ? begin_[k + 1] - begin_[k] : 0; }
  /// The log's session number of each session of the shard.
  std::span<const std::uint32_t> order() const { return order_; }

  /// Dictionary row of each document's query-document pair.
  std::span<const std::uint32_t> rows() const { return rows_; }
  /// Features of the log's documents; empty if documents do not have their own.
  const FeatureTable& features() const { return features_; }
  /// Row of each document in features() or, if that is empty, rows().
  std::span<const std::uint32_t> feature_rows() const {
    return features_.empty() ? rows() : std::span<const std::uint32_t>(feature_rows_);
  }
  /// Displayed position of each document, 0-based.
  std::span<const std::uint32_t> positions() const { return positions_; }
  /// One more than the largest position, 0 without documents.
  std::uint32_t positions_count() const { return positions_count_; }
  /// The positions as runs, one per rank, if every list shows position k at rank k; else empty.
  std::span<const Run> position_runs() const { return runs_; }
  std::span<const std::uint8_t> clicks() const { return clicks_; }
  /// Propensities and targets as in SessionView; empty if the log does not have them.
  std::span<const float> propensities() const { return propensities_; }
  std::span<const float> targets() const { return targets_; }
  /// A signal as in SessionView; empty if the log does not have it.
  std::span<const std::uint16_t> signal(Signal signal) const { return signals_[signal]; }
  /// The number of sessions that each session of the shard stands for; empty if that is 1.
  std::span<const float> weights() const { return weights_; }
  /// The number of sessions, or of their documents, with each session counted by its weight.
  double weighted_sessions() const;
  double weighted_documents() const;
  /// 1 for each document that is not the last of its list, else 0.
  std::span<const std::uint8_t> continues() const { return continues_; }
  /// Number of clicked documents.
  std::size_t clicked() const { return clicked_; }

 private:
  void order_by_length(const SessionLogView& log, std::span<const std::uint32_t> sessions);
  void find_lists(const SessionLogView& log);
  void gather_rows_and_clicks(const SessionLogView& log);
  template <class Count, class Length>
  void gather_lists(const SessionLogView& log, Count sessions, Length length);
  void gather_rank_by_rank(const SessionLogView& log);
  /// Stores a column of the log in `packed`, rank by rank. If it is empty, so is `packed`.
  template <class T>
  void gather(std::span<const T> column, std::vector<T>& packed) const;
  void place_positions(const SessionLogView& log, bool as_before);

  std::vector<std::uint32_t> order_, begin_ = {0}, rows_, positions_, feature_rows_;
  FeatureTable features_;
  std::vector<Run> runs_;
  std::vector<std::uint8_t> clicks_, continues_;
  std::vector<float> propensities_, targets_, weights_;
  SignalColumns signals_;
  std::size_t clicked_ = 0;
  std::uint32_t positions_count_ = 0;

  // Scratch memory of `pack`:
  std::vector<std::uint32_t> begin_before_;  // begin_ of the previous call
  std::vector<std::uint32_t> next_;          // at L + 1: the place of the next list of length L
  std::vector<std::uint32_t> length_;        // of each session
  std::vector<std::size_t> first_;           // index of each session's first document
  std::vector<std::uint16_t> shown_;         // positions in the log's 16 bits
};

}  // namespace ultr
