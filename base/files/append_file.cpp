#include "base/files/append_file.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "base/error.h"

namespace ultr {

void append_to_file(const std::filesystem::path& file, std::string_view text) {
  const auto refuse = [&](int error) {
    throw DataError(fmt::format("{}: cannot be written ({})", file.string(), std::strerror(error)));
  };
  const int opened = open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (opened < 0) refuse(errno);
  const off_t before = lseek(opened, 0, SEEK_END);
  int error = before < 0 ? errno : 0;
  while (error == 0 && !text.empty()) {
    const ssize_t written = write(opened, text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      error = errno;
  }
  if (error != 0 && before >= 0 && ftruncate(opened, before) != 0) error = errno;
  if (close(opened) != 0 && error == 0) error = errno;
  if (error != 0) refuse(error);
}

}  // namespace ultr
