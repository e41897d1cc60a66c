#include "data/formats/sparse_format.h"

namespace ultr {

void SparseFormat::fields(Fields& f) {
  FeatureTextFormat::fields(f);
  f.integer("max_features", max_features_, "Largest feature index; larger ones are malformed.",
            between(1, 1e6));
}

FeatureTextFormat::FileReader SparseFormat::file_reader(const Files&, const FeatureReading& reading,
                                                        const ReadRules&) const {
  const SparseRow row =
      reading.features > 0
          ? SparseRow(reading.features, "the features of the training files")
          : SparseRow(static_cast<std::size_t>(max_features_), "the option max_features");
  return [this, row](const auto& file, const ReadRules& rules, FeatureListsBuilder& into) {
    return read_file(file, rules, row, into);
  };
}

}  // namespace ultr
