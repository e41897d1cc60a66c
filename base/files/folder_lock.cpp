#include "base/files/folder_lock.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ultr {

std::optional<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  const int opened = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return std::nullopt;
  if (flock(opened, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(opened);
    errno = EWOULDBLOCK;
    return std::nullopt;
  }
  return FolderLock(opened);
}

FolderLock::~FolderLock() {
  if (opened_ >= 0) close(opened_);
}

bool FolderLock::is_of(const std::filesystem::path& folder) const {
  struct stat locked = {}, named = {};
  return fstat(opened_, &locked) == 0 && stat(folder.c_str(), &named) == 0 &&
         locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
}

}  // namespace ultr
