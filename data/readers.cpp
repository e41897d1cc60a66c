#include "data/readers.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/error.h"
#include "data/columns/columns.h"
#include "data/formats/baidu_annotations.h"
#include "data/formats/baidu_clicks.h"
#include "data/formats/lightgbm.h"
#include "data/formats/open_bandit.h"
#include "data/formats/svmlight.h"
#include "data/formats/tiangong.h"
#include "data/formats/yandex.h"
#include "data/tables/table.h"
#include "data/tables/table_features.h"

namespace ultr {
const std::vector<ReaderType>& reader_types() {
  static const std::vector<ReaderType> types = {
      {"table", "A CSV or TSV file with a row per shown document; columns are named.",
       [] { return std::make_unique<TableFormat>(); }},
      {"tiangong", "TianGong-ST sessions as neural click models read them, one list per line.",
       read_tiangong},
      {"yandex",
       "Yandex relevance prediction challenge (WSCD 2012), queries and clicks line by line.",
       read_yandex},
      {"open_bandit", "Open Bandit Dataset, a CSV of impressions, each a list of one document.",
       read_open_bandit},
      {"baidu_clicks", "Click log of Baidu-ULTR.",
       [] { return std::make_unique<BaiduClickLogFormat>(); }},
      {"columns",
       "A folder of .npy columns; memory-mapped if it has pairs, as `convert` and `simulate` "
       "write.",
       read_columns_log, columns_mapper()},
  };
  return types;
}

const std::vector<OptionType>& feature_formats() {
  static const std::vector<OptionType> formats = {
      option_type<SvmlightFormat>(
          "svmlight", "Sparse features (label qid:7 1:0.5 3:1), as in MSLR, Istella and Yahoo."),
      option_type<LightgbmFormat>(
          "lightgbm", "Sparse features (label 1:0.5 3:1), with list sizes in FILE.query."),
      option_type<BaiduClicksFormat>(
          "baidu_clicks", "Click log of Baidu-ULTR, with features computed from its words."),
      option_type<BaiduAnnotationsFormat>(
          "baidu_annotations",
          "Relevance judgements of Baidu-ULTR, with features computed from its words."),
      option_type<TableFeatures>("table",
                                 "A CSV or TSV file with a row per document; columns are named."),
      option_type<ColumnsFormat>("columns", "A folder of .npy columns, memory-mapped."),
  };
  return formats;
}

LogReader log_reader(std::string_view format) {
  const auto& types = reader_types();
  const auto found = std::find_if(types.begin(), types.end(),
                                  [&](const ReaderType& type) { return type.name == format; });
  if (found == types.end()) throw Error(fmt::format("there is no click-log format '{}'", format));
  return found->make()->reader();
}

}  // namespace ultr
