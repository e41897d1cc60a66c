#include "base/standard_output.h"

#include <atomic>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"

namespace ultr {
namespace {

std::atomic<Console*> used_console = nullptr;

}  // namespace

void use_console(Console* console) { used_console = console; }

Console* console() { return used_console; }

void write_to(std::FILE* out, std::string_view text) {
  if (Console* const shown_on = console(); shown_on != nullptr && out == stdout)
    shown_on->print(text);
  else
    std::fwrite(text.data(), 1, text.size(), out);
}

bool is_terminal(std::FILE* out) { return console() == nullptr && isatty(fileno(out)) != 0; }

void open_standard_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor)
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      static_cast<void>(open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

void flush_standard_output() {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  const int error = errno;
  if (flushed && std::ferror(stdout) == 0) return;
  std::clearerr(stdout);
  throw DataError(fmt::format("standard output: cannot be written ({})",
                              error != 0 ? std::strerror(error) : "an earlier write failed"));
}

}  // namespace ultr
