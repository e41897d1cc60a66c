#pragma once

#include "data/formats/feature_format.h"
#include "data/formats/sparse_row.h"

namespace ultr {

/// Base of formats whose lines a SparseRow parses.
class SparseFormat : public FeatureTextFormat {
 public:
  void fields(Fields& f) override;

 protected:
  /// Adds the lists of one file to a builder. `row` refuses features beyond the limit.
  virtual ReadReport read_file(const std::filesystem::path& file, const ReadRules& rules,
                               SparseRow row, FeatureListsBuilder& into) const = 0;

 private:
  FileReader file_reader(const Files& files, const FeatureReading& reading,
                         const ReadRules& rules) const final;

  // Matrices are dense: without a limit, one wrong index would fill the memory.
  std::int64_t max_features_ = 10'000;
};

}  // namespace ultr
