#pragma once

#include <filesystem>
#include <optional>
#include <utility>

namespace ultr {

/// While it lives, no other process (nor a second one of this) has a lock of the same folder. The
/// system lets go of it when the process ends, however it does.
class FolderLock {
 public:
  /// None if the folder is locked already, where errno is EWOULDBLOCK, or cannot be opened, as
  /// errno says. File systems that know no locks lock nothing.
  static std::optional<FolderLock> take(const std::filesystem::path& folder);
  FolderLock(FolderLock&& other) noexcept : opened_(std::exchange(other.opened_, -1)) {}
  FolderLock& operator=(FolderLock&& other) noexcept {
    std::swap(opened_, other.opened_);
    return *this;
  }
  ~FolderLock();

  /// Whether the folder of that name is the one that is locked: it may have been replaced.
  bool is_of(const std::filesystem::path& folder) const;

 private:
  explicit FolderLock(int opened) : opened_(opened) {}

  int opened_;  // -1 if it was moved from
};

}  // namespace ultr
