#include "base/log.h"

#include <memory>

#include <spdlog/sinks/stdout_sinks.h>

namespace ultr {

spdlog::logger& log() {
  static const auto logger = [] {
    auto made =
        std::make_shared<spdlog::logger>("ultr", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%v");
    return made;
  }();
  return *logger;
}

}  // namespace ultr
