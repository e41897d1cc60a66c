#pragma once

#include <string_view>

#include "base/files/npy.h"
#include "data/formats/feature_format.h"
#include "data/formats/log_format.h"
#include "data/log/id_names.h"

namespace ultr {

// clang-format off
/// Feature lists as a folder of NumPy columns:
///
///     offsets.npy       int64    [lists + 1]  list i: documents from offsets[i] to offsets[i+1]
///     queries.npy       uint64   [lists]      ids
///     documents.npy     uint64   [documents]  ids
///     positions.npy     uint16   [documents]  displayed, 0-based
///     clicks.npy        uint8    [documents]  0 or 1
///     labels.npy        int32    [documents]  judged relevance, -2 = unjudged
///     propensities.npy  float32  [documents]  probability of the logging policy's choice
///     features.npy      float32  [documents, features]
///     viewed.npy        uint16   [documents]  1: was in the user's viewport, else 0
///     skipped.npy       uint16   [documents]  1: was passed over, else 0
///     dwell.npy         uint16   [documents]  seconds after a click; 0: none or unknown
///     tokens.npy         uint32  [tokens]  words of each document's query, title and abstract
///     token_offsets.npy  int64   [documents + 1]  document d: tokens from offset d to offset d+1
///     token_types.npy    uint8   [tokens]  0 query, 1 title, 2 abstract
///
/// Only offsets.npy is required. Those of words come together.
// clang-format on

/// Throws a DataError that names the file of a column: the message "clicks: entry 3 is 2; ..."
/// becomes "folder: clicks.npy: entry 3 is 2; ...".
[[noreturn]] void throw_column_error(const std::filesystem::path& folder, std::string_view message);
/// Throws a DataError unless `there`: a folder lacks a column that click logs need.
void require_column(const std::filesystem::path& folder, std::string_view name, bool there);

/// Maps the columns of a folder into memory without copying them. One pass checks all entries and
/// releases their memory; after that, pages are read when they are needed. While the columns are in
/// use, files may be replaced but must not be changed in place. Throws DataError with the file for
/// a column that is missing, has the wrong type, shape or length, or has an invalid entry.
/// `missing`: features may be NaN.
FeatureLists read_columns(const std::filesystem::path& folder, bool missing = false);

/// Writes lists to a new folder, all or nothing, with the names of their ids. Empty columns are
/// left out. Throws DataError if the name is taken or the folder cannot be written.
void write_columns(const std::filesystem::path& folder, const FeatureLists& lists,
                   const IdNames& names = {});

/// Reads folders of columns. Several folders are joined, which copies them; they must have the same
/// columns.
class ColumnsFormat final : public FeatureFormat {
 public:
  void fields(Fields&) override {}
  bool may_have_words() const override { return true; }
  FeatureLists read(const Files& folders, const FeatureReading& reading,
                    std::vector<std::string>& notes) const override;
};

/// Reads a folder of columns as a click log and passes its lists to `take`. Clicks are required.
/// Without positions, documents are displayed at their ranks. Without queries, every list has query
/// 0. Without documents, pairs.npy and the folder's dictionary must supply the ids. A list whose
/// positions do not rise is malformed; errors give its number, from 1, as the line. Memory is
/// released as reading goes on.
ReadReport read_columns_log(const std::filesystem::path& folder, const ReadRules& rules,
                            const std::function<void(const RawList&)>& take);

/// Returns the LogMapper of folders of columns. Folders with pairs.npy can be mapped.
LogMapper columns_mapper();

}  // namespace ultr
