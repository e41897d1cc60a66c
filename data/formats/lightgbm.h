#pragma once

#include "data/formats/feature_format.h"
#include "data/formats/sparse_row.h"

namespace ultr {

/// Reads LightGBM's ranking format: documents as SparseRow has them, without qid, and beside FILE
/// (or FILE.gz) the files
///
///     FILE.query      the number of documents of each list, a line each; they sum to the documents
///     FILE.position   displayed position of each document, 0-based, a line each; may be missing
///
/// each perhaps with .gz. Lists are numbered 0, 1, ... as their queries.
class LightgbmFormat final : public FeatureTextFormat {
 public:
  void fields(Fields& f) override;

 protected:
  FileReader file_reader(const Files& files, const FeatureReading& reading,
                         const ReadRules& rules) const override;

 private:
  std::int64_t max_features_ = default_max_features;
};

}  // namespace ultr
