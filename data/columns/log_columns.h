#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "base/npy.h"
#include "data/formats/raw_log.h"

namespace ultr {

/// Writes lists of a click log one by one as columns (data/columns/columns.h), all but the rows of
/// their pairs, in memory that does not grow with them.
class LogColumns {
 public:
  /// `folder`: one that is there; `ids`: whether it gets documents.npy. `check` is called now and
  /// then while lists that were added are written again; what it throws ends it. Throws DataError
  /// if files cannot be written.
  LogColumns(const std::filesystem::path& folder, bool ids, std::function<void()> check = {});

  /// Throws DataError if the list has labels (or propensities) and those before have none, or the
  /// other way round.
  void expect_like_others(const RawList& list) const;
  /// Throws DataError likewise, or if files cannot be written.
  void add(const RawList& list);
  /// The files are there from now on; positions.npy only if a document was not displayed at its
  /// rank. Throws DataError if they could not be written.
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
