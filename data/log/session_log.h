#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/column.h"
#include "data/log/feature_table.h"

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

/// A click log column by column, as files have it (data/columns/columns.h). The last three may be
/// empty.
struct SessionColumns {
  Column<std::int64_t> offsets;  // list i has the documents from offsets[i] to offsets[i+1]
  Column<std::uint32_t> rows;    // "pairs"; from here on as in SessionView, list after list
  Column<std::uint8_t> clicks;
  Column<std::uint64_t> queries{};    // empty: all have query 0
  Column<std::uint16_t> positions{};  // empty: each document is displayed at its rank
  Column<float> propensities{};
};

/// What of a log the shards are packed from. Spans are empty as those of SessionLog's columns.
struct SessionSpans {
  /// Where the documents of each list begin, and at the end where those of the last end. Empty if
  /// all lists have one length.
  std::span<const std::int64_t> offsets = {};
  std::size_t equal_length = 0;  // of all lists, if offsets are empty
  /// From the first document of a list to that of the next, in rows and in clicks, if all lists
  /// have one length and lie apart; 0: they lie side by side.
  std::size_t row_stride = 0, click_stride = 0;
  std::span<const std::uint32_t> rows = {};
  std::span<const std::uint8_t> clicks = {};
  /// Empty if each document is displayed at its rank.
  std::span<const std::uint16_t> positions = {};
  std::span<const float> propensities = {}, targets = {};
  FeatureTable features{};  // SessionLog's

  std::size_t first_document(std::size_t session) const {
    return offsets.empty() ? session * equal_length : static_cast<std::size_t>(offsets[session]);
  }
  /// Where its rows and clicks begin.
  std::size_t first_row(std::size_t session) const {
    return row_stride == 0 ? first_document(session) : session * row_stride;
  }
  std::size_t first_click(std::size_t session) const {
    return click_stride == 0 ? first_document(session) : session * click_stride;
  }
  std::size_t length(std::size_t session) const {
    return offsets.empty() ? equal_length
                           : static_cast<std::size_t>(offsets[session + 1] - offsets[session]);
  }
};

/// A click log, list after list: in memory, where it grows, or in columns, mapped files perhaps,
/// where it stays as it is.
class SessionLog {
 public:
  SessionLog() = default;
  /// A log in columns; one pass checks them. Throws DataError, beginning with the name of the
  /// column, if they do not fit each other, a list has no document or its positions do not rise, a
  /// click is neither 0 nor 1, a propensity is not above 0 and at most 1, or there are 2^32 lists.
  explicit SessionLog(SessionColumns columns);

  /// Adds a list; its columns have one length, at least 1. Throws DataError if they have not, or if
  /// some lists of the log have propensities (or targets) and others none. Throws Error if the log
  /// is in columns.
  void add(const SessionView& session);

  std::size_t sessions() const { return offsets().size() - 1; }
  std::size_t documents() const { return rows().size(); }
  std::size_t length(std::size_t session) const {
    return first_document(session + 1) - first_document(session);
  }
  SessionView operator[](std::size_t session) const;
  /// To change them. Throws Error if the log is in columns.
  std::span<std::uint8_t> clicks(std::size_t session);

  /// Whether the log is in columns.
  bool in_columns() const { return columns_.has_value(); }
  /// Gives back the memory of `count` lists of mapped columns from `first` on: reading them again
  /// reads the files again. Nothing for a log in memory.
  void release(std::size_t first, std::size_t count) const;
  void release() const { release(0, sessions()); }
  /// Asks the system to read lists of mapped columns, which will be needed soon.
  void read_ahead(std::size_t first, std::size_t count) const;

  /// Gives the documents features of their own, in place of those of their pairs: row d + 1 of the
  /// table is that of document d, counted from 0 in the order of addition. Lists that are added
  /// later have none. Throws DataError unless the table has a row for each document.
  void set_features(FeatureTable features);
  /// The documents' own features; empty: none.
  const FeatureTable& features() const { return features_; }
  /// Of all documents, the number of a session's first.
  std::size_t first_document(std::size_t session) const {
    return static_cast<std::size_t>(offsets()[session]);
  }
  /// What shards are packed from, as long as the log stays as it is.
  SessionSpans spans() const;

  // The columns of all documents in the order of addition; empty if the log has none. -----------

  /// At each list the number of its first document, and at the end that of all.
  std::span<const std::int64_t> offsets() const {
    return columns_ ? columns_->offsets.values() : offsets_;
  }
  std::span<const std::uint32_t> rows() const { return columns_ ? columns_->rows.values() : rows_; }
  /// Empty too where each document is displayed at its rank, if the log is in columns.
  std::span<const std::uint16_t> positions_shown() const {
    return columns_ ? columns_->positions.values() : positions_;
  }
  std::span<const std::uint8_t> clicks() const {
    return columns_ ? columns_->clicks.values() : clicks_;
  }
  std::span<const float> propensities() const {
    return columns_ ? columns_->propensities.values() : propensities_;
  }
  std::span<const float> targets() const { return targets_; }

  /// Whether lists have propensities of the logging policy.
  bool has_propensities() const { return !propensities().empty(); }
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
  void expect_in_memory() const;
  /// Of a list that the log has now: its documents, and positions up to its last.
  void note_list(std::size_t length, std::size_t positions);
  /// visit(column, first entry, entries) for what columns, but offsets, have of some lists.
  template <class Visit>
  void visit_columns(std::size_t first, std::size_t count, Visit visit) const;

  std::vector<std::int64_t> offsets_ = {0};
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint16_t> positions_;
  std::vector<std::uint8_t> clicks_;
  std::vector<std::uint64_t> queries_;
  std::vector<float> propensities_, targets_;  // empty if the log has none
  std::optional<SessionColumns> columns_;      // in place of the vectors above
  std::vector<std::uint16_t> ranks_;           // 0, 1, ... for columns without positions
  FeatureTable features_;
  std::size_t longest_ = 0;
  std::size_t positions_count_ = 0;
  std::size_t clicked_in_columns_ = 0;
  bool gapless_ = true;
};

}  // namespace ultr
