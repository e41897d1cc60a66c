#include "base/threads/usable_cores.h"

#include <fstream>

#include <gtest/gtest.h>

#include "testing/temporary_folder.h"

namespace ultr::usable_cores_test {
namespace {

namespace fs = std::filesystem;

/// A folder with files as the system writes them about control groups.
class CpuQuotaTest : public ::testing::Test {
 protected:
  void write(const fs::path& file, const std::string& text) {
    fs::create_directories((folder_.path() / file).parent_path());
    std::ofstream(folder_.path() / file) << text << "\n";
  }
  std::optional<double> quota() const {
    return cpu_quota(folder_.path() / "groups", folder_.path() / "mount");
  }

 private:
  testing::TemporaryFolder folder_;
};

TEST_F(CpuQuotaTest, IsNoneIfTheSystemSetsNone) {
  EXPECT_FALSE(quota());  // nor does it say which groups there are
  write("groups", "0::/job");
  EXPECT_FALSE(quota());
  write("mount/job/cpu.max", "max 100000");
  EXPECT_FALSE(quota());
  write("groups", "3:cpu:/old\n0::/");
  write("mount/cpu/old/cpu.cfs_quota_us", "-1");
  write("mount/cpu/old/cpu.cfs_period_us", "100000");
  EXPECT_FALSE(quota());
}

TEST_F(CpuQuotaTest, IsTheLowestOfTheGroupAndOfThoseAround) {
  write("groups", "0::/jobs/mine");
  write("mount/jobs/mine/cpu.max", "300000 100000");
  EXPECT_EQ(quota(), 3);
  write("mount/jobs/cpu.max", "150000 100000");
  EXPECT_EQ(quota(), 1.5);
  write("mount/jobs/other/cpu.max", "50000 100000");
  EXPECT_EQ(quota(), 1.5);
  write("mount/cpu.max", "25000 50000");
  EXPECT_EQ(quota(), 0.5);
}

TEST_F(CpuQuotaTest, IsThatOfTheMountIfThePathIsOneOutsideTheContainer) {
  write("groups", "0::/docker/7f3a");
  write("mount/cpu.max", "200000 100000");
  EXPECT_EQ(quota(), 2);
}

TEST_F(CpuQuotaTest, ReadsVersionOne) {
  write("groups", "5:memory:/mine\n4:cpu,cpuacct:/mine\n0::/");
  write("mount/cpu,cpuacct/mine/cpu.cfs_quota_us", "250000");
  write("mount/cpu,cpuacct/mine/cpu.cfs_period_us", "100000");
  write("mount/memory/mine/cpu.cfs_quota_us", "1");
  EXPECT_EQ(quota(), 2.5);
}

TEST(UsableCoresTest, AreAtLeastOne) { EXPECT_GE(usable_cores(), 1); }

}  // namespace
}  // namespace ultr::usable_cores_test
