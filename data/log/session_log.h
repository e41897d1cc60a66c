#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/files/column.h"
#include "data/log/feature_table.h"
#include "data/log/signals.h"

namespace ultr {

/// One displayed result list with its clicks, document by document from the top.
struct SessionView {
  std::span<const std::uint32_t> rows = {};       // of the query-document pairs in the dictionary
  std::span<const std::uint16_t> positions = {};  // displayed, 0-based, increasing, maybe with gaps
  std::span<const std::uint8_t> clicks = {};      // 0 or 1
  std::uint64_t query = 0;                        // its id in the data
  /// The logging policy's probability of showing the document at its position; empty if unknown.
  std::span<const float> propensities = {};
  /// Targets of a ranking loss: click rates over several sessions or judged relevance, which are at
  /// least 0, or a teacher's scores (DistillLoss). If empty, the loss learns from the clicks.
  std::span<const float> targets = {};
  /// The number of sessions that the list stands for; need not be whole.
  double weight = 1;
  /// Signals of users beside clicks; empty if unknown.
  SignalSpans signals = {};
};

/// A click log column by column, as files store it (data/columns/columns.h). Columns from `queries`
/// on may be empty.
struct SessionColumns {
  Column<std::int64_t> offsets;  // list i has documents offsets[i] to offsets[i+1] - 1
  Column<std::uint32_t> rows;    // pairs.npy; this and the next as in SessionView, list after list
  Column<std::uint8_t> clicks;
  Column<std::uint64_t> queries{};    // empty: all lists have query 0
  Column<std::uint16_t> positions{};  // empty: each document is displayed at its rank
  Column<float> propensities{};       // empty: unknown
  PerSignal<Column<std::uint16_t>> signals{};
};

/// A non-owning view of a log from which shards are packed. A column that the log does not have is
/// empty.
struct SessionLogView {
  /// Index of the first document of each list, followed by the total number of documents. Empty if
  /// all lists have one length.
  std::span<const std::int64_t> offsets = {};
  std::size_t equal_length = 0;  // length of all lists, if `offsets` is empty
  /// Distance between the first documents of neighbouring lists, in `rows` and in `clicks`, if all
  /// lists have one length and are not contiguous; 0 if they are contiguous.
  std::size_t row_stride = 0, click_stride = 0;
  std::span<const std::uint32_t> rows = {};
  std::span<const std::uint8_t> clicks = {};
  /// Empty if each document is displayed at its rank.
  std::span<const std::uint16_t> positions = {};
  std::span<const float> propensities = {}, targets = {};
  FeatureTable features{};               // SessionLog::features
  std::span<const double> weights = {};  // one per list; empty if all are 1
  SignalSpans signals = {};

  std::size_t first_document(std::size_t session) const {
    return offsets.empty() ? session * equal_length : static_cast<std::size_t>(offsets[session]);
  }
  /// Index of the list's first entry in `rows`.
  std::size_t first_row(std::size_t session) const {
    return row_stride == 0 ? first_document(session) : session * row_stride;
  }
  /// Index of the list's first entry in `clicks`.
  std::size_t first_click(std::size_t session) const {
    return click_stride == 0 ? first_document(session) : session * click_stride;
  }
  std::size_t length(std::size_t session) const {
    return offsets.empty() ? equal_length
                           : static_cast<std::size_t>(offsets[session + 1] - offsets[session]);
  }
};

/// A click log, list after list. A log in memory can grow. A log in columns, which may be
/// memory-mapped files, is read-only.
class SessionLog {
 public:
  SessionLog() = default;
  /// Makes a log in columns, which one pass over the data checks. Throws DataError, starting with
  /// the name of the column, if lengths are inconsistent, a list has no document, positions do not
  /// increase within a list, a click is neither 0 nor 1, a propensity is not above 0 and at most 1,
  /// a signal is above its largest value, or there are 2^32 lists.
  explicit SessionLog(SessionColumns columns);

  /// Adds a list with at least one document. Throws DataError if its columns differ in length, if
  /// some lists of the log have propensities (targets, a signal) and others do not, if a signal is
  /// above its largest value, or if its weight is not a finite number above 0. Throws Error if the
  /// log is in columns.
  void add(const SessionView& session);
  /// Adds lists of one length without clicks, one per query, whose documents are displayed at their
  /// ranks. `rows`: of all documents, list after list. Throws Error if the log is in columns or has
  /// propensities, targets, weights or signals, or if the lists would have no or not equally many
  /// documents.
  void add_unclicked(std::span<const std::uint64_t> queries, std::span<const std::uint32_t> rows);

  /// Replaces the rows of documents from document `first` on. Throws Error if the log is in columns
  /// or does not have these documents.
  void set_rows(std::size_t first, std::span<const std::uint32_t> rows);

  std::size_t sessions() const { return offsets().size() - 1; }
  std::size_t documents() const { return rows().size(); }
  std::size_t length(std::size_t session) const {
    return first_document(session + 1) - first_document(session);
  }
  SessionView operator[](std::size_t session) const;
  /// The mutable clicks of a list. Throws Error if the log is in columns.
  std::span<std::uint8_t> clicks(std::size_t session);

  bool in_columns() const { return columns_.has_value(); }
  /// Releases the memory of `count` lists of mapped columns, from list `first` on; the next access
  /// reads the files again. Does nothing for a log in memory.
  void release(std::size_t first, std::size_t count) const;
  void release() const { release(0, sessions()); }
  /// The columns that will be read: those that shards are packed from (SessionLogView), or all.
  enum class Part : std::uint8_t { of_shards, all };
  /// Asks the system to read `count` lists of mapped columns ahead, from list `first` on. Does
  /// nothing for a log in memory.
  void read_ahead(std::size_t first, std::size_t count, Part part = Part::of_shards) const;
  /// See Column::read_only_what_is_asked_for.
  void read_only_what_is_asked_for(bool on) const;

  /// Gives documents their own features, in place of those of their pairs. Row d + 1 of the table
  /// is for document d, 0-based in the order of addition. Lists that are added later have none.
  /// Throws DataError unless the table has one row per document after row 0.
  void set_features(FeatureTable features);
  /// The documents' own features; empty if there are none.
  const FeatureTable& features() const { return features_; }
  /// Index of a session's first document among all documents.
  std::size_t first_document(std::size_t session) const {
    return static_cast<std::size_t>(offsets()[session]);
  }
  /// A view for packing shards. Valid until the log changes.
  SessionLogView spans() const;

  // The columns of all documents in the order of addition; empty if the log does not have them. --

  /// Index of the first document of each list, followed by the total number of documents.
  std::span<const std::int64_t> offsets() const {
    return columns_ ? columns_->offsets.values() : offsets_;
  }
  std::span<const std::uint32_t> rows() const { return columns_ ? columns_->rows.values() : rows_; }
  /// The query of each list. May be empty for a log in columns: all lists have query 0.
  std::span<const std::uint64_t> queries() const {
    return columns_ ? columns_->queries.values() : queries_;
  }
  /// Displayed positions. May be empty for a log in columns: each document is displayed at its
  /// rank.
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
  /// The number of sessions that each list stands for; empty if that is 1.
  std::span<const double> weights() const { return weights_; }

  std::span<const std::uint16_t> signal(Signal signal) const {
    return columns_ ? columns_->signals[signal].values() : signals_[signal];
  }

  /// True if documents have a signal.
  bool has(Signal signal) const { return !this->signal(signal).empty(); }
  /// True if lists have propensities of the logging policy.
  bool has_propensities() const { return !propensities().empty(); }
  /// True if lists have targets other than clicks.
  bool has_targets() const { return !targets_.empty(); }
  /// True if some lists stand for another number of sessions than 1.
  bool has_weights() const { return !weights_.empty(); }
  /// The number of sessions, or of their documents, with each list counted by its weight.
  double weighted_sessions() const;
  double weighted_documents() const;
  /// Returns a log that has each list as often as its weight says. Throws DataError unless all
  /// weights are whole; `reason` says why they have to be: "diagnosis counts sessions".
  SessionLog without_weights(std::string_view reason) const;
  /// Returns the first target above 1, which cannot be a click rate; nothing if there is none.
  std::optional<float> target_above_one() const;

  /// Length of the longest list, 0 if there is none.
  std::size_t longest() const { return longest_; }
  /// True if every list shows position k at rank k.
  bool gapless() const { return gapless_; }
  /// One more than the largest displayed position, 0 without documents.
  std::size_t positions() const { return positions_count_; }
  /// Number of clicked documents, whatever the weights of their lists.
  std::size_t clicked() const;
  /// Share of documents that were clicked, by the weights of lists; 0 without documents.
  double click_rate() const;

 private:
  /// Throws Error if the log is in columns.
  void expect_in_memory() const;
  /// The signals of all documents.
  SignalSpans signals() const;
  /// Updates the statistics for a new list: `length` documents, `positions` up to its last one.
  void note_list(std::size_t length, std::size_t positions);
  /// Calls visit(column, first entry, number of entries) for the part of each column, except
  /// offsets and queries, that holds some lists.
  template <class Visit>
  void visit_columns(std::size_t first, std::size_t count, Visit visit) const;

  std::vector<std::int64_t> offsets_ = {0};
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint16_t> positions_;
  std::vector<std::uint8_t> clicks_;
  std::vector<std::uint64_t> queries_;
  std::vector<float> propensities_, targets_;  // empty if the log has none
  std::vector<double> weights_;                // empty if all are 1
  SignalColumns signals_;
  std::optional<SessionColumns> columns_;  // replaces the vectors above
  std::vector<std::uint16_t> ranks_;       // 0, 1, ... for columns without positions
  FeatureTable features_;
  std::size_t longest_ = 0;
  std::size_t positions_count_ = 0;
  std::size_t clicked_in_columns_ = 0;
  bool gapless_ = true;
};

}  // namespace ultr
