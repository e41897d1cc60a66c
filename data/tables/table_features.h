#pragma once

#include "data/formats/feature_format.h"
#include "data/tables/table_setting.h"

namespace ultr {

/// Documents with features in a text table, one row per document:
///
///     query,document,label,price,rating
///     red shoes,"Shoes, red",2,49.9,4.5
///
/// The columns `features` and then `bias_features` are the features. Lists are those of sessions
/// if the table has a column with them, else of queries; clicks, labels, positions and propensities
/// are read if the table has them. read_table describes the rest.
class TableFeatures final : public FeatureTextFormat {
 public:
  void fields(Fields& f) override {
    setting_.fields(f);
    FeatureTextFormat::fields(f);
  }
  bool may_have_words() const override { return setting_.columns.has_words(); }
  std::vector<std::int64_t> bias_features() const override;
  std::vector<std::string> feature_names() const override;

 protected:
  FileReader file_reader(const Files& files, const FeatureReading& reading,
                         const ReadRules& rules) const override;

 private:
  TableSetting setting_;
};

}  // namespace ultr
