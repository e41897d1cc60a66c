#pragma once

#include <string_view>

#include "base/npy.h"
#include "data/formats/feature_format.h"
#include "data/log/session_log.h"

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
///     propensities.npy  float32  [documents]  of the logging policy's choice
///     features.npy      float32  [documents, features]
///
/// of which only offsets.npy must be there.
// clang-format on

/// Throws a DataError for a column of a folder: "clicks: entry 3 is 2; ..." becomes
/// "folder: clicks.npy: entry 3 is 2; ...".
[[noreturn]] void refuse_column(const std::filesystem::path& folder, std::string_view message);
/// Throws a DataError that a folder, which is to be a click log, lacks a column, unless it is
/// there.
void expect_column(const std::filesystem::path& folder, std::string_view name, bool there);

/// Maps the columns of a folder into memory; nothing is copied, and pages are read when they are
/// needed, but for one pass that checks them and gives them back. While they are in use, files may
/// be replaced but must not be changed in place. Throws DataError with the file for a column that
/// is missing or of the wrong type, shape or length, or with a wrong entry.
FeatureLists read_columns(const std::filesystem::path& folder);

/// Writes a new folder, all of it or nothing; columns that are empty are left out. Throws DataError
/// if there is something of that name already, or it cannot be written.
void write_columns(const std::filesystem::path& folder, const FeatureLists& lists);

/// Reads folders of columns. Several are joined, which copies them; they need the same columns.
class ColumnsFormat final : public FeatureFormat {
 public:
  void fields(Fields&) override {}
  std::uint64_t bytes_to_read(const Files& folders) const override;
  FeatureLists read(const Files& folders, const FeatureReading& reading,
                    std::vector<std::string>& notes) const override;
};

/// Reads a folder of columns as a click log, which needs documents and clicks. Without positions,
/// documents were shown at their ranks; without queries, all lists have query 0; without documents,
/// pairs.npy and a dictionary in the folder say them. A list whose positions do not rise is
/// malformed; its number, from 1, is the line of the message. What was read is given back.
ReadReport read_columns_log(const std::filesystem::path& folder, const ReadRules& rules,
                            const std::function<void(const RawList&)>& take);

}  // namespace ultr
