#include "experiment/folder_lock.h"

#include <optional>

#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::folder_lock_test {
namespace {

TEST(FolderLockTest, IsHeldOnceAtATime) {
  const testing::TemporaryFolder folder, other;
  std::optional<FolderLock> lock(folder.path());
  const FolderLock elsewhere(other.path());
  for (int attempt = 0; attempt < 2; ++attempt)
    EXPECT_EQ(testing::config_message([&] { FolderLock second(folder.path()); }),
              folder.path().string() +
                  ": another process is at work on it; expected a run that has stopped");
  lock.reset();
  EXPECT_NO_THROW(FolderLock again(folder.path()));
  EXPECT_EQ(folder.size(), 0u) << "it is no file";
}

}  // namespace
}  // namespace ultr::folder_lock_test
