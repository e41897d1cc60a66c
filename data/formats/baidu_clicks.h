#pragma once

#include "data/formats/baidu_features.h"
#include "data/formats/log_format.h"

namespace ultr {

/// The parts of a click log of Baidu-ULTR to read.
struct BaiduReading {
  bool prepare = false;  // drop placeholder documents, then lists with fewer than five documents
  bool signals = false;  // read views, skips and dwell times
};

/// Reads a click log of Baidu-ULTR (see BaiduLine) and passes each list to `take`. With `prepare`,
/// placeholder documents are dropped, then lists with fewer than five documents. A query without
/// documents makes no list. If a malformed query is skipped, its documents are skipped with it; a
/// line of up to five fields is taken for a query. A DataError that `take` throws is reported at
/// the line of the list's query. Throws DataError with file and line for a malformed line, unless
/// rules.skip_malformed.
ReadReport read_baidu_click_lists(const std::filesystem::path& file, const ReadRules& rules,
                                  BaiduReading reading,
                                  const std::function<void(const BaiduList&)>& take);

/// The format `baidu_clicks` of reader_types(): reads the click log as sessions.
class BaiduClickLogFormat final : public LogFormat {
 public:
  void fields(Fields& f) override;
  LogReader reader() const override;

 private:
  BaiduReading reading_;
};

/// The format `baidu_clicks` of feature_formats(): reads the click log as feature lists.
class BaiduClicksFormat final : public BaiduFeatureFormat {
 public:
  void fields(Fields& f) override;

 protected:
  ReadReport read_lists(const std::filesystem::path& file, const ReadRules& rules, bool prepare,
                        const std::function<void(const BaiduList&)>& take) const override {
    return read_baidu_click_lists(file, rules, {.prepare = prepare, .signals = signals_}, take);
  }

 private:
  bool signals_ = false;
};

}  // namespace ultr
