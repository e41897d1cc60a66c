#include <memory>
#include <mutex>

#include <pybind11/pybind11.h>
#include <spdlog/sinks/base_sink.h>

#include "base/log.h"
#include "python/bindings.h"

namespace ultr::python {
namespace {

namespace py = pybind11;

/// Passes messages to logging.getLogger("ultr"). The GIL serves as its lock: with one of its own
/// beside it, two threads could wait for each other.
class LoggingSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (Py_IsInitialized() == 0) return;
    const py::gil_scoped_acquire gil;
    const char* const method = message.level >= spdlog::level::err    ? "error"
                               : message.level >= spdlog::level::warn ? "warning"
                                                                      : "info";
    try {
      const py::object logger = py::module_::import("logging").attr("getLogger")("ultr");
      logger.attr(method)("%s", std::string(message.payload.data(), message.payload.size()));
    } catch (const py::error_already_set& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      PyErr_SetInterrupt();  // the logger would drop it: it comes again where work can end
    }
  }
  void flush_() override {}
};

}  // namespace

void log_to_python() { log().sinks() = {std::make_shared<LoggingSink>()}; }

}  // namespace ultr::python
