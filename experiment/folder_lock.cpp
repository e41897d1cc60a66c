#include "experiment/folder_lock.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include "options/config_tree.h"

namespace ultr {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : opened_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (opened_ < 0 || flock(opened_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  close(opened_);
  throw ConfigError(fmt::format(
      "{}: another process is at work on it; expected a run that has stopped", folder.string()));
}

FolderLock::~FolderLock() {
  if (opened_ >= 0) close(opened_);
}

}  // namespace ultr
