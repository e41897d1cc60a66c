// Preloaded into a program (LD_PRELOAD), makes one of its calls to the file system go wrong. Only
// calls that touch something in the folder FAULT_FOLDER count; the one with the number FAULT_AT
// (from 1)
//   FAULT=fail     fails: the disk is full, or cannot be read
//   FAULT=shorten  reads or writes fewer bytes than it is asked for, as the system may
//   FAULT=kill     ends the program, after half of the bytes if it writes
// The program leaves the number of calls, one line, in the file FAULT_COUNT when it ends.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "preload/interposed.h"

namespace {

using ultr::preload::absolute;
using ultr::preload::next;
using ultr::preload::path_of;
using ultr::preload::variable;

enum class Fault : char { none, fail, shorten, kill };

/// The calls so far, and the one that goes wrong.
class Plan {
 public:
  ~Plan() {
    const std::string file = variable("FAULT_COUNT");
    if (file.empty()) return;
    const int opened = next("open", &open)(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const std::string text = std::to_string(count_) + "\n";
    if (opened < 0 || next("write", &write)(opened, text.data(), text.size()) < 0) std::abort();
    next("close", &close)(opened);
  }
  /// Counts a call on a path; returns what happens to it.
  Fault of_path(std::string_view path) {
    if (folder_.empty() || !absolute(path).starts_with(folder_)) return Fault::none;
    if (++count_ != at_) return Fault::none;
    return kind_ == "fail" ? Fault::fail : kind_ == "shorten" ? Fault::shorten : Fault::kill;
  }
  /// Counts a call on an open file.
  Fault of_file(int file) {
    const std::string path = folder_.empty() ? "" : path_of(file);
    return path.empty() ? Fault::none : of_path(path);
  }

 private:
  std::string folder_ = variable("FAULT_FOLDER"), kind_ = variable("FAULT");
  long at_ = std::atol(variable("FAULT_AT").c_str());
  std::atomic<long> count_ = 0;
};

Plan& plan() {
  static Plan plan;
  return plan;
}

/// Applies a fault to a call that moves no bytes: performs it, or fails with an error number.
template <class Result, class Call>
Result perform(Fault fault, Result failure, int error, Call call) {
  if (fault == Fault::kill) raise(SIGKILL);
  if (fault != Fault::fail) return call();
  errno = error;
  return failure;
}

/// Applies a fault to a call that moves `bytes`: `call(bytes)` moves so many of them.
template <class Call>
ssize_t move_bytes(Fault fault, std::size_t bytes, int error, Call call) {
  const std::size_t some = bytes > 1 ? bytes / 2 : bytes;
  if (fault == Fault::kill) {
    if (error == ENOSPC) call(some);
    raise(SIGKILL);
  }
  if (fault == Fault::shorten) return call(some);
  if (fault != Fault::fail) return call(bytes);
  errno = error;
  return -1;
}

/// Returns the permissions that the caller of open gave, if it makes files.
#define MODE_OF(flags)                                           \
  mode_t mode = 0;                                               \
  if (((flags) & (O_CREAT | O_TMPFILE)) != 0) {                  \
    va_list arguments;                                           \
    va_start(arguments, flags);                                  \
    mode = static_cast<mode_t>(va_arg(arguments, unsigned int)); \
    va_end(arguments);                                           \
  }

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  MODE_OF(flags)
  return perform(plan().of_path(path), -1, EIO,
                 [&] { return next("open", &open)(path, flags, mode); });
}
int open64(const char* path, int flags, ...) {
  MODE_OF(flags)
  return perform(plan().of_path(path), -1, EIO,
                 [&] { return next("open64", &open64)(path, flags, mode); });
}
FILE* fopen(const char* path, const char* mode) {
  return perform(plan().of_path(path), static_cast<FILE*>(nullptr), EIO,
                 [&] { return next("fopen", &fopen)(path, mode); });
}
FILE* fopen64(const char* path, const char* mode) {
  return perform(plan().of_path(path), static_cast<FILE*>(nullptr), EIO,
                 [&] { return next("fopen64", &fopen64)(path, mode); });
}
DIR* opendir(const char* path) {
  return perform(plan().of_path(path), static_cast<DIR*>(nullptr), EIO,
                 [&] { return next("opendir", &opendir)(path); });
}
ssize_t read(int file, void* to, std::size_t bytes) {
  return move_bytes(plan().of_file(file), bytes, EIO,
                    [&](std::size_t some) { return next("read", &read)(file, to, some); });
}
ssize_t pread(int file, void* to, std::size_t bytes, off_t at) {
  return move_bytes(plan().of_file(file), bytes, EIO,
                    [&](std::size_t some) { return next("pread", &pread)(file, to, some, at); });
}
ssize_t write(int file, const void* from, std::size_t bytes) {
  return move_bytes(plan().of_file(file), bytes, ENOSPC,
                    [&](std::size_t some) { return next("write", &write)(file, from, some); });
}
ssize_t pwrite(int file, const void* from, std::size_t bytes, off_t at) {
  return move_bytes(plan().of_file(file), bytes, ENOSPC, [&](std::size_t some) {
    return next("pwrite", &pwrite)(file, from, some, at);
  });
}
ssize_t writev(int file, const iovec* from, int count) {
  const Fault fault = plan().of_file(file);
  if (fault == Fault::shorten && count > 1) --count;
  return perform<ssize_t>(fault, -1, ENOSPC,
                          [&] { return next("writev", &writev)(file, from, count); });
}
ssize_t sendfile(int to, int from, off_t* at, std::size_t bytes) noexcept {
  return move_bytes(plan().of_file(to), bytes, ENOSPC, [&](std::size_t some) {
    return next("sendfile", &sendfile)(to, from, at, some);
  });
}
void* mmap(void* at, std::size_t bytes, int protection, int flags, int file, off_t from) noexcept {
  return perform(file < 0 ? Fault::none : plan().of_file(file), MAP_FAILED, ENOMEM,
                 [&] { return next("mmap", &mmap)(at, bytes, protection, flags, file, from); });
}
int fsync(int file) {
  return perform(plan().of_file(file), -1, EIO, [&] { return next("fsync", &fsync)(file); });
}
int ftruncate(int file, off_t bytes) noexcept {
  return perform(plan().of_file(file), -1, ENOSPC,
                 [&] { return next("ftruncate", &ftruncate)(file, bytes); });
}
int rename(const char* from, const char* to) noexcept {
  return perform(plan().of_path(to), -1, EIO, [&] { return next("rename", &rename)(from, to); });
}
int remove(const char* path) noexcept {
  return perform(plan().of_path(path), -1, EIO, [&] { return next("remove", &remove)(path); });
}
int unlink(const char* path) noexcept {
  return perform(plan().of_path(path), -1, EIO, [&] { return next("unlink", &unlink)(path); });
}
int unlinkat(int folder, const char* path, int flags) noexcept {
  const Fault fault = folder == AT_FDCWD ? plan().of_path(path) : plan().of_file(folder);
  return perform(fault, -1, EIO, [&] { return next("unlinkat", &unlinkat)(folder, path, flags); });
}
int rmdir(const char* path) noexcept {
  return perform(plan().of_path(path), -1, EIO, [&] { return next("rmdir", &rmdir)(path); });
}
char* mkdtemp(char* name) noexcept {
  return perform(plan().of_path(name), static_cast<char*>(nullptr), ENOSPC,
                 [&] { return next("mkdtemp", &mkdtemp)(name); });
}
int mkdir(const char* path, mode_t mode) noexcept {
  return perform(plan().of_path(path), -1, ENOSPC,
                 [&] { return next("mkdir", &mkdir)(path, mode); });
}
}
