#include "base/files/append_file.h"

#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/full_disk.h"
#include "testing/temporary_folder.h"

namespace ultr::append_file_test {
namespace {

using testing::data_message;
using testing::FullDisk;
using testing::read_text;
using testing::TemporaryFolder;

TEST(AppendToFileTest, AppendsToTheSameFile) {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "one\n");
  std::filesystem::create_hard_link(file, folder.path() / "other name");
  append_to_file(file, "two\n");
  append_to_file(file, "");
  append_to_file(file, "three\n");
  EXPECT_EQ(read_text(folder.path() / "other name"), "one\ntwo\nthree\n");
  EXPECT_EQ(folder.size(), 2u);
}

TEST(AppendToFileTest, OnAFullDiskTheFileStays) {
  const TemporaryFolder folder;
  const std::string old(4000, 'x');
  const auto file = folder.write("file", old);
  std::string message;
  {
    const FullDisk full(4096);
    message = data_message([&] { append_to_file(file, std::string(200, 'y')); });
  }
  EXPECT_EQ(message, file.string() + ": cannot be written (File too large)");
  EXPECT_EQ(read_text(file), old);
}

TEST(AppendToFileTest, ExpectsTheFile) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "file";
  EXPECT_EQ(data_message([&] { append_to_file(file, "x"); }),
            file.string() + ": cannot be written (No such file or directory)");
  EXPECT_EQ(folder.size(), 0u);
}

}  // namespace
}  // namespace ultr::append_file_test
