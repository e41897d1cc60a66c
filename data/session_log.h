#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/feature_table.h"

namespace ultr {

/// One result list that was shown, with its clicks, document by document from the top.
struct SessionView {
  std::span<const std::uint32_t> rows = {};       // of the query-document pairs in the dictionary
  std::span<const std::uint16_t> positions = {};  // displayed, 0-based, rising; lists may have gaps
  std::span<const std::uint8_t> clicks = {};      // 0 or 1
  std::uint64_t query = 0;                        // its id in the data
  /// The logging policy's probability of showing the document at its position; empty if unknown.
  std::span<const float> propensities = {};
  /// What a ranking loss learns from in place of the clicks, at least 0: a click rate over several
  /// sessions, or judged relevance; empty: the clicks.
  std::span<const float> targets = {};
};

/// A click log in memory, list after list.
class SessionLog {
 public:
  /// Adds a list; its columns have one length, at least 1. Throws DataError if they have not, or if
  /// some lists of the log have propensities (or targets) and others none.
  void add(const SessionView& session);

  std::size_t sessions() const { return begin_.size() - 1; }
  std::size_t documents() const { return rows_.size(); }
  std::size_t length(std::size_t session) const { return begin_[session + 1] - begin_[session]; }
  SessionView operator[](std::size_t session) const;
  std::span<std::uint8_t> clicks(std::size_t session) {
    return std::span(clicks_).subspan(begin_[session], length(session));
  }

  /// Gives the documents features of their own, in place of those of their pairs: row d + 1 of the
  /// table is that of document d, counted from 0 in the order of addition. Lists that are added
  /// later have none. Throws DataError unless the table has a row for each document.
  void set_features(FeatureTable features);
  /// The documents' own features; empty: none.
  const FeatureTable& features() const { return features_; }
  /// Of all documents, the number of a session's first.
  std::size_t first_document(std::size_t session) const { return begin_[session]; }
  /// Asks for the memory that first_document and length of a session read.
  void prefetch_place(std::size_t session) const { __builtin_prefetch(&begin_[session]); }

  // The columns of all documents in the order of addition; empty if the log has none. -----------

  std::span<const std::uint32_t> rows() const { return rows_; }
  std::span<const std::uint16_t> positions_shown() const { return positions_; }
  std::span<const std::uint8_t> clicks() const { return clicks_; }
  std::span<const float> propensities() const { return propensities_; }
  std::span<const float> targets() const { return targets_; }

  /// Whether lists have propensities of the logging policy.
  bool has_propensities() const { return !propensities_.empty(); }
  /// Whether lists have targets other than clicks.
  bool has_targets() const { return !targets_.empty(); }
  /// The first target above 1, which is no click rate; nothing if there is none.
  std::optional<float> target_above_one() const;

  /// Length of the longest list, 0 if there is none.
  std::size_t longest() const { return longest_; }
  /// Whether every list shows position k at rank k.
  bool gapless() const { return gapless_; }
  /// One more than the largest displayed position.
  std::size_t positions() const { return positions_count_; }
  std::size_t clicked() const;
  /// Share of documents that were clicked; 0 without documents.
  double click_rate() const;

 private:
  std::vector<std::size_t> begin_ = {0};
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint16_t> positions_;
  std::vector<std::uint8_t> clicks_;
  std::vector<std::uint64_t> queries_;
  std::vector<float> propensities_, targets_;  // empty if the log has none
  FeatureTable features_;
  std::size_t longest_ = 0;
  std::size_t positions_count_ = 0;
  bool gapless_ = true;
};

}  // namespace ultr
