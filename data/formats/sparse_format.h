#pragma once

#include "data/formats/feature_format.h"
#include "data/formats/sparse_row.h"
#include "data/text/line_fields.h"

namespace ultr {

/// Base of formats whose lines a SparseRow parses.
class SparseFormat : public FeatureTextFormat {
 public:
  void fields(Fields& f) override {
    FeatureTextFormat::fields(f);
    f.integer("max_features", max_features_, "Largest feature index; larger ones are malformed.",
              between(1, 1e6));
  }

 protected:
  /// Adds the lists of one file to a builder, which counts them. `row` refuses features beyond the
  /// limit.
  virtual ReadReport read_file(const std::filesystem::path& file, const ReadRules& rules,
                               SparseRow row, FeatureListsBuilder& into) const = 0;

 private:
  FileReader file_reader(const Files&, const FeatureReading& reading,
                         const ReadRules&) const final {
    const SparseRow row =
        reading.features > 0
            ? SparseRow(reading.features, "the features of the training files")
            : SparseRow(static_cast<std::size_t>(max_features_), "the option max_features");
    return [this, row](const auto& file, const ReadRules& rules, FeatureListsBuilder& into) {
      const std::size_t lists_before = into.lists();
      ReadReport report = read_file(file, rules, row, into);
      report.lists = into.lists() - lists_before;
      expect_lists(file, report, "at least one document");
      return report;
    };
  }

  // Matrices are dense: without a limit, one wrong index would fill the memory.
  std::int64_t max_features_ = 10'000;
};

}  // namespace ultr
