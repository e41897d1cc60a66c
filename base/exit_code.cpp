#include "base/exit_code.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>

#include "base/error.h"
#include "base/log.h"
#include "base/standard_output.h"
#include "base/stop_signals.h"

namespace ultr {
namespace {

void say_that_memory_is_short() {
  std::fputs("error: there is too little memory\n", stderr);  // the log would allocate
}

/// A scope in which the program ends with a message and exit code 1 if memory runs out where no
/// exception may leave: destructors of nlohmann::json allocate.
class OutOfMemoryHandler {
 public:
  OutOfMemoryHandler() : before_(std::set_terminate(&end_program)) {
    if (before_ != &end_program) usual() = before_;
  }
  ~OutOfMemoryHandler() { std::set_terminate(before_); }
  OutOfMemoryHandler(const OutOfMemoryHandler&) = delete;
  OutOfMemoryHandler& operator=(const OutOfMemoryHandler&) = delete;

 private:
  /// Returns the handler for all else.
  static std::terminate_handler& usual() {
    static std::terminate_handler handler = nullptr;
    return handler;
  }
  [[noreturn]] static void end_program() {
    try {
      if (std::current_exception()) throw;
    } catch (const std::bad_alloc&) {
      say_that_memory_is_short();
      std::_Exit(1);
    } catch (...) {
      usual()();
    }
    std::abort();
  }

  std::terminate_handler before_;
};

/// with_exit_code, which throws std::bad_alloc if there is too little memory, also for messages.
int with_message(const std::function<int()>& program) {
  try {
    const int code = program();
    flush_standard_output();
    return code;
  } catch (const Interrupted& stop) {
    log().error("{}", stop.what());
    return 128 + stop.signal();
  } catch (const ConfigError& error) {
    log().error("error: {}", error.what());
    return 2;
  } catch (const DataError& error) {
    log().error("error: {}", error.what());
    return 3;
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string path = error.path1().string();
    log().error("error: {}: {}", path.empty() ? "the working folder" : path,
                error.code().message());
    return 3;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    log().error("error: {}", error.what());
    return 1;
  }
}

}  // namespace

int with_exit_code(const std::function<int()>& program) {
  open_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // files above the system's limit are an error of their writes
  const OutOfMemoryHandler handler;
  try {
    return with_message(program);
  } catch (const std::bad_alloc&) {
    say_that_memory_is_short();
    return 1;
  }
}

}  // namespace ultr
