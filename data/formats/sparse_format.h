#pragma once

#include <limits>

#include "base/error.h"
#include "data/formats/feature_format.h"
#include "data/formats/sparse_row.h"
#include "data/text/line_fields.h"

namespace ultr {

/// Base of formats whose lines a SparseRow parses.
class SparseFormat : public FeatureTextFormat {
 public:
  void fields(Fields& f) override {
    FeatureTextFormat::fields(f);
    f.word("absent", absent_,
           "Features that a line leaves out are 0, or missing (with data.scaling.missing: keep).",
           {"zero", "missing"});
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
    if (absent_ == "missing" && !reading.missing)
      throw ConfigError(
          "data.reader.absent is missing, and data.scaling.missing is refuse; expected keep");
    const SparseRow row =
        reading.features > 0
            ? SparseRow(reading.features, "the features of the training files", reading.missing)
            : SparseRow(static_cast<std::size_t>(max_features_), "the option max_features",
                        reading.missing);
    return [this, row](const auto& file, const ReadRules& rules, FeatureListsBuilder& into) {
      const std::size_t lists_before = into.lists();
      ReadReport report = read_file(file, rules, row, into);
      report.lists = into.lists() - lists_before;
      expect_lists(file, report, "at least one document");
      return report;
    };
  }

  float absent() const final {
    return absent_ == "zero" ? 0 : std::numeric_limits<float>::quiet_NaN();
  }

  std::string absent_ = "zero";
  // Matrices are dense: without a limit, one wrong index would fill the memory.
  std::int64_t max_features_ = 10'000;
};

}  // namespace ultr
