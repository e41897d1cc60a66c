#pragma once

#include "data/formats/baidu_features.h"
#include "data/formats/baidu_lines.h"
#include "data/formats/log_format.h"

namespace ultr {

/// A list of Baidu's click log. Documents stand by displayed position, which rises and may have
/// gaps.
struct BaiduClickList {
  std::uint64_t line = 0;   // of its query in the file
  std::uint64_t query = 0;  // id of the query's text
  std::vector<Token> words = {};
  std::vector<BaiduDocument> documents = {};
};

/// Reads Baidu's click log (BaiduLine). `prepare`: without placeholders, and then without lists of
/// fewer than five documents. A query without documents is no list; the documents of a query that
/// is malformed and left out are left out with it. A DataError that `take` throws is put at the
/// query's line.
ReadReport read_baidu_click_lists(const std::filesystem::path& file, const ReadRules& rules,
                                  bool prepare,
                                  const std::function<void(const BaiduClickList&)>& take);

/// The click log as sessions, `baidu_clicks` of reader_types().
class BaiduClickLogFormat final : public LogFormat {
 public:
  void fields(Fields& f) override;
  LogReader reader() const override;

 private:
  bool prepare_ = false;
};

/// The click log as feature lists, `baidu_clicks` of feature_formats().
class BaiduClicksFormat final : public BaiduFeatureFormat {
 protected:
  ReadReport read_lists(const std::filesystem::path& file, const ReadRules& rules, bool prepare,
                        const std::function<void(const List&)>& take) const override;
};

}  // namespace ultr
