#pragma once

#include "data/feature_format.h"
#include "data/npy.h"
#include "data/session_log.h"

namespace ultr {

/// Feature lists as a folder of NumPy columns:
///
///     offsets.npy       int64    [lists + 1]  list i has the documents from offsets[i] to
///     offsets[i+1] queries.npy       uint64   [lists]      ids documents.npy     uint64
///     [documents]  ids positions.npy     uint16   [documents]  displayed, 0-based clicks.npy uint8
///     [documents]  0 or 1 labels.npy        int32    [documents]  judged relevance, -2 = unjudged
///     propensities.npy  float32  [documents]  of the logging policy's choice
///     features.npy      float32  [documents, features]
///
/// of which only offsets.npy must be there.

/// Maps the columns of a folder into memory; nothing is copied, and pages are read when they are
/// needed, but for one pass that checks them. While they are in use, files may be replaced but must
/// not be changed in place. Throws DataError with the file for a column that is missing or of the
/// wrong type, shape or length, or with a wrong entry.
FeatureLists read_columns(const std::filesystem::path& folder);

/// Writes a new folder, all of it or nothing; columns that are empty are left out. Throws DataError
/// if there is something of that name already, or it cannot be written.
void write_columns(const std::filesystem::path& folder, const FeatureLists& lists);

/// Writes the columns of a click log piece by piece, for logs of any size: documents are named by
/// their rows, and there are neither labels nor propensities.
class ClickColumns {
 public:
  /// `folder`: one that is there; lists and documents: how many it will have. Throws DataError if
  /// it cannot be written.
  ClickColumns(const std::filesystem::path& folder, std::size_t lists, std::size_t documents);
  /// Appends the lists of a log. Throws DataError if they cannot be written.
  void add(const SessionLog& log);
  /// The columns are there from now on. Throws Error if there are not as many lists and documents
  /// as there should be, DataError if they could not be written.
  void finish();

 private:
  NpyStream<std::int64_t> offsets_;
  NpyStream<std::uint64_t> queries_, documents_;
  NpyStream<std::uint16_t> positions_;
  NpyStream<std::uint8_t> clicks_;
  std::int64_t written_ = 0;  // documents
};

/// Reads folders of columns. Several are joined, which copies them; they need the same columns.
class ColumnsFormat final : public FeatureFormat {
 public:
  void fields(Fields&) override {}
  std::uint64_t bytes_to_read(const Files& folders) const override;
  FeatureLists read(const Files& folders, const FeatureReading& reading,
                    std::vector<std::string>& notes) const override;
};

/// Reads a folder of columns as a click log, which needs documents and clicks. Without positions,
/// documents were shown at their ranks; without queries, all lists have query 0. A list whose
/// positions do not rise is malformed; its number, from 1, is the line of the message.
ReadReport read_columns_log(const std::filesystem::path& folder, const ReadRules& rules,
                            const std::function<void(const RawList&)>& take);

}  // namespace ultr
