#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "base/npy.h"
#include "data/formats/raw_log.h"

namespace ultr {

/// Writes a click log list by list as columns (data/columns/columns.h), all except the rows of its
/// pairs. Memory use does not grow with the log.
class LogColumns {
 public:
  /// `folder` must exist. With `ids`, documents.npy is written. `add` calls `check` repeatedly
  /// while it writes the positions of earlier lists; an exception from `check` ends it. Throws
  /// DataError if the files cannot be written.
  LogColumns(const std::filesystem::path& folder, bool ids, std::function<void()> check = {});

  /// Throws DataError if the list has labels (or propensities) and earlier lists have none, or the
  /// other way round.
  void expect_like_others(const RawList& list) const;
  /// Appends a list. Throws DataError as expect_like_others does, or if the files cannot be
  /// written.
  void add(const RawList& list);
  /// Completes the files, which appear now. positions.npy is one of them only if some document was
  /// not displayed at its rank. Throws DataError if the files cannot be written.
  void finish();

  std::size_t lists() const { return queries_.size(); }
  std::size_t documents() const { return clicks_.size(); }
  bool has_positions() const { return positions_.has_value(); }
  bool has_labels() const { return labels_.has_value(); }
  bool has_propensities() const { return propensities_.has_value(); }

 private:
  void start_columns(const RawList& first);
  void start_positions();

  std::filesystem::path folder_;
  std::function<void()> check_;
  NpyStream<std::int64_t> offsets_;
  NpyStream<std::uint64_t> queries_;
  NpyStream<std::uint8_t> clicks_;
  std::optional<NpyStream<std::uint64_t>> documents_;
  std::optional<NpyStream<std::uint16_t>> positions_;
  std::optional<NpyStream<std::int32_t>> labels_;
  std::optional<NpyStream<float>> propensities_;
};

}  // namespace ultr
