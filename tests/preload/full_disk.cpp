// Preloaded into a program (LD_PRELOAD), makes the disk look full to files whose path contains the
// text in FULL_DISK.
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <string>

#include <dlfcn.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

template <class Function>
Function* next(const char* name, Function*) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_full(int file) {
  const char* const part = std::getenv("FULL_DISK");
  char path[PATH_MAX];
  const ssize_t length =
      readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), path, sizeof path);
  return part != nullptr && length > 0 &&
         std::string(path, static_cast<std::size_t>(length)).find(part) != std::string::npos;
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
