#pragma once

#include "data/formats/feature_format.h"
#include "data/formats/sparse_row.h"

namespace ultr {

/// Reads the svmlight format with query ids, one document per line, as in MSLR-WEB, Istella and
/// Yahoo's challenge. SparseRow describes the lines; the qid is required. Consecutive lines with
/// one qid are one list; a qid that reappears later is malformed.
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
