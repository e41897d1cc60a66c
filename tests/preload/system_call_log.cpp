// Preloaded into a program (LD_PRELOAD), logs the calls that decide which files survive a power
// loss, into the file that SYSTEM_CALL_LOG names. One line per call: its name and absolute paths,
// divided by tabs. After the fsync of a folder, a line "entry" for each name in it.
#include <filesystem>

#include <fcntl.h>

#include "preload/interposed.h"

namespace {

namespace fs = std::filesystem;

using ultr::preload::next;
using ultr::preload::path_of;

void log_line(const std::string& line) {
  const char* const file = std::getenv("SYSTEM_CALL_LOG");
  if (file == nullptr) return;
  const int log = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string whole = line + "\n";
  if (log < 0 || write(log, whole.data(), whole.size()) < 0) std::abort();
  close(log);
}

std::string absolute(const char* path) { return fs::absolute(path).lexically_normal(); }

}  // namespace

extern "C" {

int fsync(int file) {
  const int result = next("fsync", &fsync)(file);
  const std::string path = path_of(file);
  log_line("fsync\t" + path);
  if (fs::is_directory(path))
    for (const auto& entry : fs::directory_iterator(path))
      log_line("entry\t" + entry.path().string());
  return result;
}

int rename(const char* from, const char* to) noexcept {
  log_line("rename\t" + absolute(from) + "\t" + absolute(to));
  return next("rename", &rename)(from, to);
}

int remove(const char* path) noexcept {
  log_line("remove\t" + absolute(path));
  return next("remove", &remove)(path);
}

int unlink(const char* path) noexcept {
  log_line("remove\t" + absolute(path));
  return next("unlink", &unlink)(path);
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  log_line("remove\t" +
           (folder == AT_FDCWD || *path == '/' ? absolute(path) : path_of(folder) + "/" + path));
  return next("unlinkat", &unlinkat)(folder, path, flags);
}
}
