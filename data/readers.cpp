#include "data/readers.h"

#include "data/baidu_clicks.h"
#include "data/columns.h"
#include "data/open_bandit.h"
#include "data/tiangong.h"
#include "data/yandex.h"

namespace ultr {
namespace {

/// A format without options of its own.
class PlainLogFormat final : public LogFormat {
 public:
  explicit PlainLogFormat(LogReader read) : read_(std::move(read)) {}
  void fields(Fields&) override {}
  LogReader reader() const override { return read_; }

 private:
  LogReader read_;
};

OptionType plain(std::string name, std::string help, const LogReader& read) {
  return {std::move(name), std::move(help),
          [read]() -> std::unique_ptr<Options> { return std::make_unique<PlainLogFormat>(read); }};
}

}  // namespace

const std::vector<OptionType>& reader_types() {
  static const std::vector<OptionType> types = {
      plain("tiangong", "TianGong-ST sessions as neural click models read them, a list a line.",
            read_tiangong),
      plain("yandex",
            "Yandex relevance prediction challenge (WSCD 2012), queries and clicks line by line.",
            read_yandex),
      plain("open_bandit",
            "Open Bandit Dataset, a CSV of impressions: each is a list of one document.",
            read_open_bandit),
      option_type<BaiduClickLogFormat>("baidu_clicks", "Click log of Baidu-ULTR."),
      plain("columns", "A folder of .npy columns with documents and clicks, memory-mapped.",
            read_columns_log),
  };
  return types;
}

LogReader log_reader(std::string_view format) {
  return Choice(reader_types(), format, "format").as<LogFormat>().reader();
}

}  // namespace ultr
