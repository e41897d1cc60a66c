#pragma once

#include <filesystem>

namespace ultr {

/// While it lives, no other process (nor a second one of this) has a lock of the same folder. The
/// system lets go of it when the process ends, however it does.
class FolderLock {
 public:
  /// Throws ConfigError if the folder is locked. File systems that know no locks lock nothing.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int opened_ = -1;
};

}  // namespace ultr
