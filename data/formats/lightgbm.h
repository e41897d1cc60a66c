#pragma once

#include "data/formats/feature_format.h"
#include "data/formats/sparse_row.h"

namespace ultr {

/// Reads LightGBM's ranking format. Documents are as in SparseRow, without qid. Beside FILE (or
/// FILE.gz) stand the files
///
///     FILE.query      number of documents of each list, one per line; they sum to the documents
///     FILE.position   displayed position of each document, 0-based, one per line; optional
///
/// each of which may be compressed (.gz). Within a file, the queries have the ids 0, 1, ...
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
