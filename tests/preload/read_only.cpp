// Preloaded into a program (LD_PRELOAD), makes the folder READ_ONLY_FOLDER one that cannot be
// written to, also for a superuser, as on a disk that is mounted so.
#include <cerrno>
#include <cstdarg>
#include <cstdio>

#include <fcntl.h>
#include <sys/stat.h>

#include "preload/interposed.h"

namespace {

using ultr::preload::next;

bool is_read_only(const char* path) {
  const std::string folder = ultr::preload::variable("READ_ONLY_FOLDER");
  return !folder.empty() && ultr::preload::absolute(path).starts_with(folder);
}

/// Performs a call that writes to a path, or fails if it cannot be written to.
template <class Call>
int unless_read_only(const char* path, Call call) {
  if (!is_read_only(path)) return call();
  errno = EROFS;
  return -1;
}

template <class Open>
int open_with(Open open_file, const char* path, int flags, mode_t mode) {
  if ((flags & O_ACCMODE) == O_RDONLY && (flags & O_CREAT) == 0)
    return open_file(path, flags, mode);
  return unless_read_only(path, [&] { return open_file(path, flags, mode); });
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) == 0
             ? 0
             : static_cast<mode_t>(va_arg(arguments, unsigned int));
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_with(next("open", &open), path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_with(next("open64", &open64), path, flags, mode);
}
FILE* fopen(const char* path, const char* mode) {
  if (mode[0] == 'r' && mode[1] != '+') return next("fopen", &fopen)(path, mode);
  const int result = unless_read_only(path, [] { return 0; });
  return result == 0 ? next("fopen", &fopen)(path, mode) : nullptr;
}
FILE* fopen64(const char* path, const char* mode) { return fopen(path, mode); }
int access(const char* path, int mode) noexcept {
  const auto call = [&] { return next("access", &access)(path, mode); };
  return (mode & W_OK) == 0 ? call() : unless_read_only(path, call);
}
int rename(const char* from, const char* to) noexcept {
  return unless_read_only(to, [&] { return next("rename", &rename)(from, to); });
}
int remove(const char* path) noexcept {
  return unless_read_only(path, [&] { return next("remove", &remove)(path); });
}
int unlink(const char* path) noexcept {
  return unless_read_only(path, [&] { return next("unlink", &unlink)(path); });
}
int rmdir(const char* path) noexcept {
  return unless_read_only(path, [&] { return next("rmdir", &rmdir)(path); });
}
char* mkdtemp(char* name) noexcept {
  const int result = unless_read_only(name, [] { return 0; });
  return result == 0 ? next("mkdtemp", &mkdtemp)(name) : nullptr;
}
int mkdir(const char* path, mode_t mode) noexcept {
  return unless_read_only(path, [&] { return next("mkdir", &mkdir)(path, mode); });
}
}
