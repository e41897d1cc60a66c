#pragma once

#include "data/feature_format.h"
#include "data/sparse_row.h"

namespace ultr {

/// Reads svmlight's format with query ids, a document a line, as MSLR-WEB, Istella and Yahoo's
/// challenge have it (SparseRow's, with a qid). Lines with one qid are one list and stand together.
class SvmlightFormat final : public FeatureTextFormat {
 public:
  void fields(Fields& f) override;

 protected:
  ReadReport read_file(const std::filesystem::path& file, const FeatureReading& reading,
                       const ReadRules& rules, FeatureListsBuilder& into) const override;

 private:
  std::int64_t max_features_ = default_max_features;
};

}  // namespace ultr
