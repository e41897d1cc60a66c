#pragma once

#include "data/formats/feature_format.h"
#include "data/formats/sparse_row.h"

namespace ultr {

/// Reads svmlight's format with query ids, a document a line, as MSLR-WEB, Istella and Yahoo's
/// challenge have it (SparseRow's, with a qid). Lines with one qid are one list and stand together.
class SvmlightFormat final : public FeatureTextFormat {
 public:
  void fields(Fields& f) override;

 protected:
  FileReader file_reader(const Files& files, const FeatureReading& reading,
                         const ReadRules& rules) const override;

 private:
  std::int64_t max_features_ = default_max_features;
};

}  // namespace ultr
