#include "base/files/column.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/npy.h"
#include "testing/temporary_folder.h"

namespace ultr::column_test {
namespace {

using ::testing::ElementsAre;

TEST(ColumnTest, CopiesShareTheValues) {
  Column<int> column = std::vector<int>{3, 1, 2};
  const int* address = column.values().data();
  const Column<int> copy = column;
  EXPECT_EQ(copy.values().data(), address);
  column = {};
  EXPECT_TRUE(column.empty());
  EXPECT_THAT(copy, ElementsAre(3, 1, 2)) << "it outlives the first";
  EXPECT_EQ(copy.size(), 3u);
  EXPECT_EQ(copy[1], 1);
}

TEST(ColumnTest, KeepsTheOwnerOfItsValuesAlive) {
  auto owner = std::make_shared<std::vector<int>>(std::vector<int>{5, 6, 7});
  const std::weak_ptr<std::vector<int>> watch = owner;
  {
    const Column<int> part(std::span<const int>(*owner).subspan(1), owner);
    owner.reset();
    EXPECT_FALSE(watch.expired());
    EXPECT_THAT(part, ElementsAre(6, 7));
  }
  EXPECT_TRUE(watch.expired());
}

TEST(ColumnTest, ReleasedMemoryOfAFileIsReadAgain) {
  const testing::TemporaryFolder folder;
  std::vector<std::uint32_t> written(100'000);
  std::iota(written.begin(), written.end(), 0u);
  write_npy(folder.path() / "column.npy", written);
  const Column<std::uint32_t> column = map_npy<std::uint32_t>(folder.path() / "column.npy").values;
  // Covers all entries, parts that begin and end within a page, and an empty part.
  for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>(0, 100'000),
                                     {5, 1},
                                     {4321, 54321},
                                     {99'999, 1},
                                     {7, 0}}) {
    column.read_ahead(first, count);
    EXPECT_TRUE(std::ranges::equal(column, written));
    column.release(first, count);
    EXPECT_TRUE(std::ranges::equal(column, written));
  }
  column.release();
  EXPECT_TRUE(std::ranges::equal(column, written));
}

/// Returns how many pages of files this process holds in memory.
std::size_t file_pages() {
  std::ifstream statm("/proc/self/statm");
  std::size_t all = 0, resident = 0, of_files = 0;
  statm >> all >> resident >> of_files;
  return of_files;
}

TEST(ColumnTest, ReleasedMemoryIsGivenBack) {
  const testing::TemporaryFolder folder;
  constexpr std::size_t pages = 4096;
  write_npy(folder.path() / "column.npy", std::vector<std::uint8_t>(pages * 4096));
  const Column<std::uint8_t> column = map_npy<std::uint8_t>(folder.path() / "column.npy").values;
  const std::size_t before = file_pages();
  EXPECT_EQ(std::ranges::count(column, 0), column.size());
  EXPECT_GT(file_pages(), before + pages / 2) << "it has been read";
  column.release();
  EXPECT_LT(file_pages(), before + pages / 4);
}

/// Returns the flags that the system keeps of the mapped memory at an address (proc(5), smaps).
std::string flags_of_memory_at(const void* address) {
  std::ifstream smaps("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(smaps, line);) {
    std::uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &begin, &end) == 2)
      here = begin <= reinterpret_cast<std::uintptr_t>(address) &&
             reinterpret_cast<std::uintptr_t>(address) < end;
    else if (here && line.starts_with("VmFlags:"))
      return line + " ";
  }
  return "";
}

TEST(ColumnTest, TheSystemReadsOnlyWhatIsAskedForWhileToldSo) {
  const testing::TemporaryFolder folder;
  write_npy(folder.path() / "column.npy", std::vector<int>(100'000, 7));
  const Column<int> column = map_npy<int>(folder.path() / "column.npy").values;
  const auto reads_at_random = [&] {
    return flags_of_memory_at(&column[50'000]).find(" rr ") != std::string::npos;
  };
  if (flags_of_memory_at(&column[50'000]).empty()) GTEST_SKIP() << "the system does not tell";
  EXPECT_FALSE(reads_at_random());
  column.read_only_what_is_asked_for(true);
  EXPECT_TRUE(reads_at_random());
  EXPECT_EQ(std::ranges::count(column, 7), 100'000);
  column.read_only_what_is_asked_for(false);
  EXPECT_FALSE(reads_at_random());
}

TEST(ColumnTest, OwnedValuesAreNeverReleased) {
  const Column<int> column = std::vector<int>(100'000, 7);
  column.release();
  column.read_ahead(0, 100'000);
  column.read_only_what_is_asked_for(true);
  EXPECT_EQ(std::ranges::count(column, 7), 100'000);
}

}  // namespace
}  // namespace ultr::column_test
