#pragma once

#include "data/formats/sparse_format.h"

namespace ultr {

/// Reads the svmlight format with query ids, one document per line, as in MSLR-WEB, Istella and
/// Yahoo's challenge. SparseRow describes the lines; the qid is required. Consecutive lines with
/// one qid are one list; a qid that reappears later is malformed.
class SvmlightFormat final : public SparseFormat {
 protected:
  ReadReport read_file(const std::filesystem::path& file, const ReadRules& rules, SparseRow row,
                       FeatureListsBuilder& into) const override;
};

}  // namespace ultr
