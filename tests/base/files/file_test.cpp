#include "base/files/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/full_disk.h"
#include "testing/temporary_folder.h"
#include "testing/working_folder.h"

namespace ultr::file_test {
namespace {

using testing::data_message;
using testing::FullDisk;
using testing::read_text;
using testing::TemporaryFolder;

TEST(WriteFileTest, WritesPartsOneAfterTheOther) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "x";
  write_file(file, {"ab", "", "c"});
  EXPECT_EQ(read_text(file), "abc");
}

TEST(WriteFileTest, WritesAllBytesAndNothingElse) {
  const TemporaryFolder folder;
  std::string content("a\0b\r\n\xff", 6);
  content += std::string(1 << 20, 'x');
  write_file(folder.path() / "new", content);
  EXPECT_EQ(read_text(folder.path() / "new"), content);
  EXPECT_EQ(folder.size(), 1u) << "the temporary file is gone";
}

TEST(WriteFileTest, ReplacesAnExistingFile) {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "a longer text than the new one");
  write_file(file, "new");
  EXPECT_EQ(read_text(file), "new");
  write_file(file, "");
  EXPECT_EQ(read_text(file), "");
  EXPECT_EQ(folder.size(), 1u);
}

TEST(WriteFileTest, ALeftoverTemporaryFileIsNoObstacle) {
  const TemporaryFolder folder;
  folder.write("file.part", "half of an earlier attempt, longer than the new content");
  write_file(folder.path() / "file", "new");
  EXPECT_EQ(read_text(folder.path() / "file"), "new");
  EXPECT_EQ(folder.size(), 1u);
}

TEST(WriteFileTest, OnAFullDiskTheOldFileStays) {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "old");
  for (const std::size_t size : {std::size_t{5000}, std::size_t{1} << 20}) {
    const std::string content(size, 'x');
    std::string message;
    {
      const FullDisk full(4096);
      message = data_message([&] { write_file(file, content); });
    }
    EXPECT_EQ(message, file.string() + ": cannot be written (File too large)");
    EXPECT_EQ(read_text(file), "old");
    EXPECT_EQ(folder.size(), 1u) << "nothing is left behind";
  }
}

TEST(WriteFileTest, AFolderInItsPlaceStays) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "taken");
  const auto inside = folder.write("taken/file", "old");
  EXPECT_EQ(data_message([&] { write_file(folder.path() / "taken", "new"); }),
            (folder.path() / "taken").string() + ": cannot be written (Is a directory)");
  EXPECT_EQ(read_text(inside), "old");
  EXPECT_EQ(folder.size(), 1u);
}

TEST(WriteFileTest, IfTheTemporaryFileCannotBeMadeTheOldOneStays) {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "old");
  std::filesystem::create_directory(folder.path() / "file.part");
  EXPECT_EQ(data_message([&] { write_file(file, "new"); }),
            file.string() + ": cannot be written (Is a directory)");
  EXPECT_EQ(read_text(file), "old");
  EXPECT_TRUE(std::filesystem::is_directory(folder.path() / "file.part")) << "it was not ours";
}

TEST(WriteFileTest, SaysThatThereIsNoSuchFolder) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "missing" / "file";
  EXPECT_EQ(data_message([&] { write_file(file, "x"); }),
            file.string() + ": cannot be written (No such file or directory)");
  EXPECT_EQ(folder.size(), 0u);
}

TEST(NewFileTest, AppearsOnlyWhenFinished) {
  const TemporaryFolder folder;
  const auto path = folder.write("file", "old");
  NewFile file(path);
  file.write("a");
  file.write("bc");
  EXPECT_EQ(read_text(path), "old");
  file.finish();
  EXPECT_EQ(read_text(path), "abc");
  EXPECT_EQ(folder.size(), 1u);
}

TEST(NewFileTest, LeavesNothingIfUnfinished) {
  const TemporaryFolder folder;
  { NewFile(folder.path() / "file").write("abc"); }
  EXPECT_EQ(folder.size(), 0u);
}

TEST(NewFileTest, OnAFullDiskItFailsAndLeavesNothing) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  {
    const FullDisk full(1000);
    EXPECT_EQ(data_message([&] {
                NewFile file(path);
                for (int i = 0; i < 1000; ++i) file.write("a line that is written\n");
                file.finish();
              }),
              path.string() + ": cannot be written (File too large)");
  }
  EXPECT_EQ(folder.size(), 0u);
}

TEST(NewFileTest, SaysThatAnEarlierWriteFailed) {
  const TemporaryFolder folder;
  const FullDisk full(1000);
  NewFile file(folder.path() / "file");
  const std::string start = (folder.path() / "file").string() + ": cannot be written (";
  const std::string text(100'000, 'x');
  EXPECT_EQ(data_message([&] { file.write(text); }), start + "File too large)");
  EXPECT_EQ(data_message([&] { file.write(text); }), start + "an earlier write failed)");
  EXPECT_EQ(data_message([&] { file.finish(); }), start + "an earlier write failed)");
  EXPECT_EQ(folder.size(), 0u);
}

TEST(NewFileTest, AppearsOnDiskLikewise) {
  const TemporaryFolder folder;
  const testing::WorkingFolder in(folder.path());
  for (const std::filesystem::path& path :
       {folder.path() / "file", std::filesystem::path("here")}) {
    NewFile file(path);
    file.write("abc");
    EXPECT_FALSE(std::filesystem::exists(path));
    file.finish_on_disk();
    EXPECT_EQ(read_text(path), "abc");
  }
  EXPECT_EQ(folder.size(), 2u);
}

TEST(NewFileTest, DoesNotAppearOnAFullDisk) {
  const TemporaryFolder folder;
  const auto path = folder.write("file", "old");
  {
    const FullDisk full(1000);
    EXPECT_EQ(data_message([&] {
                NewFile file(path);
                file.write(std::string(4000, 'x'));
                file.finish_on_disk();
              }),
              path.string() + ": cannot be written (File too large)");
  }
  EXPECT_EQ(read_text(path), "old");
  EXPECT_EQ(folder.size(), 1u);
}

TEST(NewFolderTest, TakesItsNameWhenFinished) {
  const TemporaryFolder parent;
  const auto path = parent.path() / "new";
  {
    NewFolder folder(path / "");
    write_file(folder.temporary() / "file", "abc");
    EXPECT_FALSE(std::filesystem::exists(path));
    folder.finish();
  }
  EXPECT_EQ(read_text(path / "file"), "abc");
  EXPECT_EQ(parent.size(), 1u);
  EXPECT_EQ(data_message([&] { NewFolder again(path); }),
            path.string() + ": already exists; expected a new name");
}

TEST(NewFolderTest, LeavesNothingIfUnfinished) {
  const TemporaryFolder parent;
  {
    NewFolder folder(parent.path() / "new");
    write_file(folder.temporary() / "file", "abc");
  }
  EXPECT_EQ(parent.size(), 0u);
  { NewFolder folder(parent.path() / "a" / "b" / "new"); }
  EXPECT_EQ(parent.size(), 0u) << "nor folders above it";
  parent.write("file", "");
  EXPECT_THAT(data_message([&] { NewFolder folder(parent.path() / "file" / "new"); }),
              ::testing::HasSubstr("cannot be written"));
}

TEST(NewFolderTest, IsFilledByOneAtATime) {
  const TemporaryFolder parent;
  const auto path = parent.path() / "new";
  {
    NewFolder first(path);
    write_file(first.temporary() / "file", "abc");
    EXPECT_EQ(data_message([&] { NewFolder second(path); }),
              path.string() + ": cannot be written (another process is writing it)");
    first.finish();
  }
  EXPECT_EQ(read_text(path / "file"), "abc");
  std::filesystem::remove_all(path);
  { NewFolder abandoned(path); }
  NewFolder(path).finish();
  EXPECT_TRUE(std::filesystem::is_empty(path));
}

TEST(ExpectNewNameTest, RefusesFilesAndFolders) {
  const TemporaryFolder folder;
  expect_new_name(folder.path() / "new");
  const auto file = folder.write("file", "");
  for (const std::filesystem::path& path : {file, file / "", folder.path()})
    EXPECT_EQ(data_message([&] { expect_new_name(path); }),
              path.string() + ": already exists; expected a new name");
}

TEST(BytesOfTest, SumsTheFilesOfAFolder) {
  const TemporaryFolder folder;
  const auto file = folder.write("a", "123");
  folder.write("b", "4567");
  std::filesystem::create_directory(folder.path() / "c");
  EXPECT_EQ(bytes_of(file), 3u);
  EXPECT_EQ(bytes_of(folder.path()), 3u + 4);
  EXPECT_EQ(bytes_of(folder.path() / "gone"), 0u);
}

TEST(CopyFileTest, ReplacesAnExistingFile) {
  const TemporaryFolder folder;
  folder.write("from", std::string(100'000, 'x'));
  folder.write("to", "old");
  ultr::copy_file(folder.path() / "from", folder.path() / "to");
  EXPECT_EQ(read_text(folder.path() / "to"), std::string(100'000, 'x'));
  EXPECT_EQ(folder.size(), 2u);
}

TEST(CopyFileTest, NamesTheFailureAndLeavesNothing) {
  const TemporaryFolder folder;
  const auto from = folder.path() / "from", to = folder.path() / "to";
  EXPECT_EQ(data_message([&] { ultr::copy_file(from, to); }),
            to.string() + ": cannot be written as a copy of " + from.string() +
                " (No such file or directory)");
  EXPECT_EQ(folder.size(), 0u);
}

}  // namespace
}  // namespace ultr::file_test
