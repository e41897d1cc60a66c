#pragma once

#include "data/formats/sparse_format.h"

namespace ultr {

/// Reads LightGBM's ranking format. Documents are as in SparseRow, without qid. Beside FILE (or
/// FILE.gz) stand the files
///
///     FILE.query      number of documents of each list, one per line; they sum to the documents
///     FILE.position   displayed position of each document, 0-based, one per line; optional
///
/// each of which may be compressed (.gz). Within a file, the queries have the ids 0, 1, ...
class LightgbmFormat final : public SparseFormat {
 protected:
  ReadReport read_file(const std::filesystem::path& file, const ReadRules& rules, SparseRow row,
                       FeatureListsBuilder& into) const override;
};

}  // namespace ultr
