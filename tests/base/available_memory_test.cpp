#include "base/available_memory.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "testing/temporary_folder.h"

namespace ultr::available_memory_test {
namespace {

using ::testing::StrEq;
using ::testing::ThrowsMessage;

class AvailableMemoryTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name) << text;
  }
  std::optional<std::size_t> available() const {
    return available_memory(folder_.path() / "meminfo", folder_.path() / "cgroup");
  }

  const testing::TemporaryFolder folder_;
};

TEST_F(AvailableMemoryTest, IsTheLeastOfTheSystemAndTheContainer) {
  EXPECT_EQ(available(), std::nullopt);
  write("meminfo", "MemTotal:       900 kB\nMemFree:        10 kB\nMemAvailable:   70 kB\n");
  EXPECT_EQ(available(), 70 * 1024);
  write("cgroup/memory.max", "max\n");
  write("cgroup/memory.current", "5000\n");
  EXPECT_EQ(available(), 70 * 1024);
  write("cgroup/memory.max", "6000\n");
  EXPECT_EQ(available(), 1000);
  write("cgroup/memory.current", "7000\n");
  EXPECT_EQ(available(), 0);
}

TEST_F(AvailableMemoryTest, ReadsBothVersionsOfContainers) {
  write("cgroup/memory/memory.limit_in_bytes", "9000\n");
  write("cgroup/memory/memory.usage_in_bytes", "2000\n");
  EXPECT_EQ(available(), 7000);
}

TEST(ExpectMemoryTest, RefusesMoreThanIsAvailableWithBothNumbers) {
  const auto two_gigabytes = [] { return std::optional<std::size_t>(2'000'000'000); };
  EXPECT_NO_THROW(expect_memory(1'900'000'000, "ubm", two_gigabytes));
  EXPECT_THAT([&] { expect_memory(16'000'000'000, "ubm", two_gigabytes); },
              ThrowsMessage<Error>(
                  StrEq("ubm: needs 16 GB of memory; expected at most the 2 GB available")));
  EXPECT_NO_THROW(
      expect_memory(16'000'000'000, "ubm", [] { return std::optional<std::size_t>(); }));
  EXPECT_NO_THROW(expect_memory(1000, "ubm", [] { return std::optional<std::size_t>(0); }));
}

}  // namespace
}  // namespace ultr::available_memory_test
