#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/log/session_log.h"

namespace ultr {

/// What the estimators of position bias know of a log: sums by displayed position, 0-based, and
/// over intervention sets (Agarwal et al., WSDM 2019). The set S_{k,k'} has the query-document
/// pairs that the log shows at both k and k'; relevance is the same at both, so that clicks differ
/// by examination alone. A pair counts once, whatever its impressions, by its click rates at k and
/// k'.
struct InterventionSums {
  explicit InterventionSums(std::size_t positions_shown)
      : positions(positions_shown),
        impressions(positions),
        clicks(positions),
        set_sizes(positions * positions),
        set_click_rates(positions * positions) {}

  std::size_t positions;
  /// Of all documents at each position; where the log has targets, such as click rates, clicks are
  /// their sums, here and below.
  std::vector<double> impressions, clicks;
  std::vector<double> set_sizes;        // |S_{k,k'}| at k * positions + k', 0 where k = k'
  std::vector<double> set_click_rates;  // Σ over S_{k,k'} of the click rate at k

  double size(std::size_t k, std::size_t other) const { return set_sizes[k * positions + other]; }
  /// Σ over S_{k,other} of the pairs' click rates at k.
  double click_rates(std::size_t k, std::size_t other) const {
    return set_click_rates[k * positions + other];
  }

  /// Whether any pair is shown at several positions.
  bool any() const;
  /// Which positions are linked to the first by a chain of sets that have pairs. The clicks of the
  /// others cannot be told apart from the relevance of what is shown there.
  std::vector<bool> linked_to_first() const;
};

/// What a log shows of one query-document pair at one position.
struct PairAtPosition {
  std::size_t position;        // 0-based
  double impressions, clicks;  // clicks as in InterventionSums; at least one impression

  double click_rate() const { return clicks / impressions; }
};

/// The impressions of a log whose query-document pair is shown at several positions, in the order
/// of pairs. Pairs of row 0, which stands for unknown ones, are left out.
class Interventions {
 public:
  /// Takes 16 bytes for each such impression. The log must outlive this.
  explicit Interventions(const SessionLog& log);

  /// Number of these impressions.
  std::size_t impressions() const { return impressions_.size(); }

  /// Calls `take` with each of these pairs, pair by pair in the order of rows: what the log shows
  /// of it, by position. Sessions are taken `times[session]` times, or once if that is empty; with
  /// `times`, some pairs may be left at one position.
  void each_pair(const std::function<void(std::span<const PairAtPosition>)>& take,
                 std::span<const std::uint8_t> times = {}) const;

  /// The sums over the log's sessions, each taken `times[session]` times, or once if that is empty.
  /// May run in parallel with itself. Memory for positions x positions.
  InterventionSums sums(std::span<const std::uint8_t> times = {}) const;

 private:
  struct Impression {
    std::uint32_t row, session;
    std::uint16_t position;
    float clicked;
  };

  const SessionLog* log_;
  std::vector<Impression> impressions_;  // by row, then position
};

}  // namespace ultr
