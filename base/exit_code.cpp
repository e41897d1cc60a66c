#include "base/exit_code.h"

#include <filesystem>
#include <new>

#include "base/error.h"
#include "base/log.h"
#include "base/standard_output.h"
#include "base/stop_signals.h"

namespace ultr {

int with_exit_code(const std::function<int()>& program) {
  open_standard_descriptors();
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
    log().error("error: there is too little memory");
    return 1;
  } catch (const std::exception& error) {
    log().error("error: {}", error.what());
    return 1;
  }
}

}  // namespace ultr
