#include "base/files/folder_lock.h"

#include <cerrno>

#include <gtest/gtest.h>

#include "testing/temporary_folder.h"

namespace ultr::folder_lock_test {
namespace {

TEST(FolderLockTest, IsHeldOnceAtATime) {
  const testing::TemporaryFolder folder, other;
  std::optional<FolderLock> lock = FolderLock::take(folder.path());
  ASSERT_TRUE(lock);
  const std::optional<FolderLock> elsewhere = FolderLock::take(other.path());
  EXPECT_TRUE(elsewhere);
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_FALSE(FolderLock::take(folder.path()));
    EXPECT_EQ(errno, EWOULDBLOCK);
  }
  std::optional<FolderLock> moved = std::move(lock);
  lock.reset();
  EXPECT_FALSE(FolderLock::take(folder.path())) << "what was moved has it";
  moved.reset();
  EXPECT_TRUE(FolderLock::take(folder.path()));
  EXPECT_EQ(folder.size(), 0u) << "it is no file";
}

TEST(FolderLockTest, DistinguishesItsFolderFromAMovedOne) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "locked";
  EXPECT_FALSE(FolderLock::take(path));
  EXPECT_EQ(errno, ENOENT);
  std::filesystem::create_directory(path);
  std::optional<FolderLock> lock = FolderLock::take(path);
  ASSERT_TRUE(lock);
  EXPECT_TRUE(lock->is_of(path));
  std::filesystem::rename(path, folder.path() / "moved");
  EXPECT_FALSE(lock->is_of(path));
  std::filesystem::create_directory(path);
  EXPECT_FALSE(lock->is_of(path));
  EXPECT_TRUE(lock->is_of(folder.path() / "moved"));
  lock = FolderLock::take(path);
  ASSERT_TRUE(lock);
  EXPECT_TRUE(lock->is_of(path));
  EXPECT_TRUE(FolderLock::take(folder.path() / "moved")) << "its lock was given up";
}

}  // namespace
}  // namespace ultr::folder_lock_test
