// Preloaded into a program (LD_PRELOAD), makes the disk look full to files whose path contains the
// text in FULL_DISK.
#include <cerrno>

#include <sys/uio.h>

#include "preload/interposed.h"

namespace {

using ultr::preload::next;

bool is_full(int file) {
  const std::string part = ultr::preload::variable("FULL_DISK");
  return !part.empty() && ultr::preload::path_of(file).find(part) != std::string::npos;
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* bytes, size_t count) {
  if (!is_full(file)) return next("write", &write)(file, bytes, count);
  errno = ENOSPC;
  return -1;
}

ssize_t writev(int file, const iovec* parts, int count) {
  if (!is_full(file)) return next("writev", &writev)(file, parts, count);
  errno = ENOSPC;
  return -1;
}
}
