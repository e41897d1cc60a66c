#include "data/formats/log_format.h"

namespace ultr {
namespace {

class LogFormatWithoutOptions final : public LogFormat {
 public:
  explicit LogFormatWithoutOptions(LogReader read, LogMapper map)
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

ReaderType::ReaderType(std::string type_name, std::string type_help, LogReader read, LogMapper map)
    : ReaderType(std::move(type_name), std::move(type_help),
                 [read = std::move(read), map = std::move(map)]() -> std::unique_ptr<LogFormat> {
                   return std::make_unique<LogFormatWithoutOptions>(read, map);
                 }) {}

}  // namespace ultr
