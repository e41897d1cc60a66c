#pragma once

#include <filesystem>
#include <optional>
#include <utility>

namespace ultr {

/// An exclusive lock on a folder, held until it is destroyed. No other process, nor another
/// FolderLock of this one, can lock the folder meanwhile. The system releases the lock when the
/// process ends, however it ends.
class FolderLock {
 public:
  /// Locks a folder. Returns nothing if it is locked already (errno is EWOULDBLOCK) or cannot be
  /// opened (errno says why). On file systems without locks it locks nothing, and succeeds.
  static std::optional<FolderLock> take(const std::filesystem::path& folder);
  FolderLock(FolderLock&& other) noexcept : opened_(std::exchange(other.opened_, -1)) {}
  FolderLock& operator=(FolderLock&& other) noexcept {
    std::swap(opened_, other.opened_);
    return *this;
  }
  ~FolderLock();

  /// Returns true if the folder of that name is the locked one: it may have been replaced.
  bool is_of(const std::filesystem::path& folder) const;

 private:
  explicit FolderLock(int opened) : opened_(opened) {}

  int opened_;  // descriptor of the folder; -1 after a move
};

}  // namespace ultr
