#include "data/readers.h"

#include <algorithm>

#include <fmt/core.h>

#include "data/baidu_clicks.h"
#include "data/columns.h"
#include "data/error.h"
#include "data/open_bandit.h"
#include "data/tiangong.h"
#include "data/yandex.h"

namespace ultr {
namespace {

class LogFormatWithoutOptions final : public LogFormat {
 public:
  explicit LogFormatWithoutOptions(LogReader read, LogMapper map = {})
      : read_(std::move(read)), map_(std::move(map)) {}
  void fields(Fields&) override {}
  LogReader reader() const override { return read_; }
  LogMapper mapper() const override { return map_; }

 private:
  LogReader read_;
  LogMapper map_;
};

}  // namespace

ReaderType::ReaderType(std::string type_name, std::string type_help,
                       std::function<std::unique_ptr<LogFormat>()> make_format)
    : name(std::move(type_name)), help(std::move(type_help)), make(std::move(make_format)) {}

ReaderType::ReaderType(std::string type_name, std::string type_help, LogReader read)
    : ReaderType(std::move(type_name), std::move(type_help),
                 [read = std::move(read)]() -> std::unique_ptr<LogFormat> {
                   return std::make_unique<LogFormatWithoutOptions>(read);
                 }) {}

const std::vector<ReaderType>& reader_types() {
  static const std::vector<ReaderType> types = {
      {"tiangong", "TianGong-ST sessions as neural click models read them, a list a line.",
       read_tiangong},
      {"yandex",
       "Yandex relevance prediction challenge (WSCD 2012), queries and clicks line by line.",
       read_yandex},
      {"open_bandit", "Open Bandit Dataset, a CSV of impressions: each is a list of one document.",
       read_open_bandit},
      {"baidu_clicks", "Click log of Baidu-ULTR.",
       [] { return std::make_unique<BaiduClickLogFormat>(); }},
      {"columns",
       "A folder of .npy columns with documents and clicks; one with pairs too, as `convert` and "
       "`simulate` make it, is mapped and trains in memory that does not grow with it.",
       [] {
         return std::make_unique<LogFormatWithoutOptions>(read_columns_log, columns_mapper());
       }},
  };
  return types;
}

LogReader log_reader(std::string_view format) {
  const auto& types = reader_types();
  const auto found = std::find_if(types.begin(), types.end(),
                                  [&](const ReaderType& type) { return type.name == format; });
  if (found == types.end()) throw Error(fmt::format("there is no click-log format '{}'", format));
  return found->make()->reader();
}

}  // namespace ultr
