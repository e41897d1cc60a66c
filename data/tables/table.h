#pragma once

#include "data/formats/log_format.h"
#include "data/tables/table_setting.h"

namespace ultr {

/// Click logs, judged lists and counts of clicks in a text table (CSV, TSV or any other delimiter),
/// with one row per shown document:
///
///     session,query,document,position,click
///     s1,red shoes,"Shoes, red",1,0
///
/// read_table describes how they are read.
class TableFormat final : public LogFormat {
 public:
  void fields(Fields& f) override { setting_.fields(f); }
  LogReader reader() const override;
  std::int64_t usual_positions() const override { return 100; }
  bool may_have_features() const override { return true; }
  std::size_t features() const override { return setting_.columns.feature_count(); }

 private:
  TableSetting setting_;
};

}  // namespace ultr
