#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "base/files/npy.h"
#include "data/log/session_log.h"
#include "data/text/raw_log.h"

namespace ultr {

/// Writes a click log piece by piece as a folder of columns (data/columns/columns.h). Memory use
/// does not grow with the log.
class LogWriter {
 public:
  struct Setting {
    bool documents = true;  // write documents.npy
    bool pairs = false;     // write pairs.npy, for logs that know the rows of their pairs
    /// Called repeatedly while `add` writes the positions of earlier lists; an exception from it
    /// ends `add`.
    std::function<void()> check = {};
  };

  /// `folder` must exist. Throws DataError if the files cannot be written.
  LogWriter(const std::filesystem::path& folder, Setting setting);

  /// Appends a list that was read from a file. Its pairs are written by others (PairColumnWriter).
  /// Throws DataError as require_same_columns does, or if the files cannot be written.
  void add(const RawList& list);
  /// Appends the lists of a log whose documents are identified by the rows of their pairs. Throws
  /// DataError as the other `add` does.
  void add(const SessionLog& log);
  /// Throws DataError if the list has clicks (labels, propensities, features, a signal) and earlier
  /// lists have none, or the other way round.
  void require_same_columns(const RawList& list) const;
  /// Completes the files, which appear now. positions.npy is one of them only if some document was
  /// not displayed at its rank. Throws DataError if the files cannot be written, Error if
  /// setting.pairs was given and some list came without rows.
  void finish();

  std::size_t lists() const { return queries_.size(); }
  std::size_t documents() const { return documents_so_far_; }
  bool has_clicks() const { return clicks_.has_value(); }
  bool has_positions() const { return positions_.has_value(); }
  bool has_labels() const { return labels_.has_value(); }
  bool has_propensities() const { return propensities_.has_value(); }
  bool has(Signal signal) const { return signals_[signal].has_value(); }
  /// Number of features per document.
  std::size_t features() const { return columns_.features; }

 private:
  /// The columns that a list has.
  struct Columns {
    bool clicks = true, labels = false, propensities = false;
    std::size_t features = 0;  // per document
    PerSignal<bool> signals{};

    friend bool operator==(const Columns&, const Columns&) = default;
  };

  static Columns columns_of(const RawList& list);
  /// Returns true if the list has columns_, without finding out which others it has.
  bool has_same_columns(const RawList& list) const {
    bool same = list.clicks.empty() != columns_.clicks && list.labels.empty() != columns_.labels &&
                list.propensities.empty() != columns_.propensities &&
                list.features.size() == columns_.features * list.positions.size();
    for (const Signal signal : all_signals)
      same &= list.signals[signal].empty() != columns_.signals[signal];
    return same;
  }
  void require_same_columns(const Columns& list) const;
  /// Creates the columns of the first list.
  void start_columns(const Columns& list);
  void start_positions();

  std::filesystem::path folder_;
  std::function<void()> check_;
  NpyStream<std::int64_t> offsets_;
  NpyStream<std::uint64_t> queries_;
  std::optional<NpyStream<std::uint64_t>> documents_;
  std::optional<NpyStream<std::uint32_t>> pairs_;
  std::optional<NpyStream<std::uint16_t>> positions_;
  std::optional<NpyStream<std::int32_t>> labels_;
  std::optional<NpyStream<std::uint8_t>> clicks_;
  std::optional<NpyStream<float>> propensities_, features_;
  PerSignal<std::optional<NpyStream<std::uint16_t>>> signals_;
  Columns columns_{};  // that all lists have, once there is one
  std::size_t documents_so_far_ = 0;
};

}  // namespace ultr
