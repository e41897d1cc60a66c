#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/log/session_log.h"

namespace ultr {

/// The sums of a log that estimators of position bias use: sums by displayed position, 0-based, and
/// over intervention sets (Agarwal et al., WSDM 2019). The set S_{k,k'} contains the query-document
/// pairs that the log shows at both k and k'. Their relevance is the same at both positions, so
/// their clicks differ by examination alone. A pair counts once, whatever its impressions, by its
/// click rates at k and k'.
struct InterventionSums {
  explicit InterventionSums(std::size_t positions_shown)
      : positions(positions_shown),
        impressions(positions),
        clicks(positions),
        set_sizes(positions * positions),
        set_click_rates(positions * positions) {}

  std::size_t positions;
  /// Sums over all documents at each position. If the log has targets, such as click rates, clicks
  /// are their sums, here and below.
  std::vector<double> impressions, clicks;
  std::vector<double> set_sizes;        // |S_{k,k'}| at k * positions + k'; 0 where k = k'
  std::vector<double> set_click_rates;  // Σ over S_{k,k'} of the click rate at k

  /// Returns |S_{k,other}|.
  double size(std::size_t k, std::size_t other) const { return set_sizes[k * positions + other]; }
  /// Returns Σ over S_{k,other} of the pairs' click rates at k.
  double click_rates(std::size_t k, std::size_t other) const {
    return set_click_rates[k * positions + other];
  }

  /// True if any pair is shown at several positions.
  bool any() const;
  /// Returns true for the positions that a chain of nonempty sets links to the first. At other
  /// positions, clicks cannot be told apart from the relevance of the documents shown there.
  std::vector<bool> linked_to_first() const;
};

/// Numbers for the ways in which a log displays documents, if more than their positions tells these
/// apart: for example one for each combination of position and device.
struct DisplayPlaces {
  std::vector<std::uint16_t> of_documents{};  // one per document of the log, in its order
  std::size_t count = 0;                      // the numbers are 0 to count - 1
};

/// Returns true for each of so many positions that steps from the first one reach.
std::vector<bool> reached_from_first(
    std::size_t positions, const std::function<bool(std::size_t from, std::size_t to)>& step);

/// The impressions and clicks of one query-document pair at one position of a log.
struct PairAtPosition {
  std::size_t position;        // 0-based
  double impressions, clicks;  // clicks as in InterventionSums; at least one impression

  double click_rate() const { return clicks / impressions; }
};

/// The impressions of a log whose query-document pair is shown at several positions, in the order
/// of pairs. Pairs of row 0, which stands for unknown ones, are left out.
class Interventions {
 public:
  /// Collects the impressions, at 12 bytes each and 16 to 20 per pair. The log must outlive this
  /// object.
  explicit Interventions(const SessionLog& log) : Interventions(log, nullptr) {}
  /// Collects them by the places at which documents are displayed, which stand for positions in all
  /// results. The places must outlive this object, too.
  Interventions(const SessionLog& log, const DisplayPlaces& places) : Interventions(log, &places) {}

  /// The number of these impressions.
  std::size_t impressions() const { return impressions_.size(); }
  /// The number of the log's sessions.
  std::size_t sessions() const { return log_->sessions(); }

  /// Calls `take` for each of these pairs, in the order of rows, with its impressions and clicks by
  /// position.
  void each_pair(const std::function<void(std::span<const PairAtPosition>)>& take) const;

  /// Returns the sums over the log's sessions. Uses memory for positions x positions.
  InterventionSums sums() const;
  /// Returns the sums over each of several resamples, in which each session counts
  /// times(resample)[session] times. Eight at once take little longer than one. Thread-safe.
  std::vector<InterventionSums> sums(
      std::size_t resamples,
      const std::function<std::vector<std::uint8_t>(std::size_t resample)>& times) const;

 private:
  struct Impression {
    std::uint32_t session;
    std::uint16_t position;
    float clicked;
  };
  /// Where the impressions of a pair end, and the positions at which it is shown.
  struct PairEnds {
    std::size_t impressions, positions;
  };
  /// The documents of a row, as `row_uses` counts them.
  struct RowUse {
    std::size_t impressions = 0;
    std::uint32_t position = nowhere;  // of the first document
    bool at_several = false;

    static constexpr std::uint32_t nowhere = 1u << 16;
  };

  Interventions(const SessionLog& log, const DisplayPlaces* places);

  /// The number of positions, or of the places that stand for them.
  std::size_t positions() const { return places_ == nullptr ? log_->positions() : places_->count; }
  /// Calls visit(session, number of the document in the log, position) for all documents.
  template <class Visit>
  void for_each_document(const Visit& visit) const;
  /// Calls visit(positions of the pair, increasing; impressions and clicks by position, each of
  /// them for several resamples) for each pair. It may have no impressions at some of its
  /// positions.
  template <class Times, class Visit>
  void for_each_pair(const Times& times, const Visit& visit) const;
  /// Returns the sums over `count` resamples, of which `times` has at least as many.
  template <class Times>
  std::vector<InterventionSums> sums_of(const Times& times, std::size_t count) const;
  std::vector<RowUse> row_uses() const;

  const SessionLog* log_;
  const DisplayPlaces* places_;                // null: positions
  std::vector<Impression> impressions_;        // pair after pair, then by session
  std::vector<PairEnds> pairs_;                // by row
  std::vector<std::uint16_t> pair_positions_;  // pair after pair, increasing
};

/// The settings of resample_sums.
struct Resampling {
  std::size_t resamples = 0;
  std::uint64_t seed = 1;
  std::uint32_t step = 0;  // of the random streams, one per resample
  int threads = 1;
};

/// Calls take(resample, sums) with the sums over each of several resamples of the log's sessions
/// (draw_with_replacement), which do not depend on the number of threads. It is called for several
/// resamples at the same time. Calls `done` with the number of resamples that were taken so far.
void resample_sums(const Interventions& interventions, const Resampling& resampling,
                   const std::function<void(std::size_t, const InterventionSums&)>& take,
                   const std::function<void(std::size_t)>& done = {});

}  // namespace ultr
