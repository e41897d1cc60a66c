#include "base/threads/usable_cores.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include <tbb/info.h>

namespace ultr {
namespace {

namespace fs = std::filesystem;

/// Returns the quota in a group's folder: "cpu.max" holds microseconds per period and the period,
/// or "max"; in version 1 these are two files, and a quota of -1 is none.
std::optional<double> quota_of_group(const fs::path& group) {
  double quota = 0, period = 0;
  if (std::ifstream(group / "cpu.max") >> quota >> period && period > 0) return quota / period;
  if (std::ifstream(group / "cpu.cfs_quota_us") >> quota && quota > 0 &&
      std::ifstream(group / "cpu.cfs_period_us") >> period && period > 0)
    return quota / period;
  return std::nullopt;
}

std::optional<double> lower(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::min(a, b) : a ? a : b;
}

/// Returns the lowest quota of a group and of those that contain it. In a container, the path may
/// be one outside of it; then the group is the mount itself.
std::optional<double> lowest_quota(const fs::path& mount, fs::path group) {
  std::optional<double> lowest = quota_of_group(mount);
  for (group = group.relative_path(); !group.empty(); group = group.parent_path())
    lowest = lower(lowest, quota_of_group(mount / group));
  return lowest;
}

/// Returns true if "cpu" is one of the controllers, which are separated by commas.
bool has_cpu(const std::string& controllers) {
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');)
    if (name == "cpu") return true;
  return false;
}

}  // namespace

std::optional<double> cpu_quota(const fs::path& groups, const fs::path& mount) {
  std::optional<double> lowest;
  const auto take = [&](std::optional<double> quota) { lowest = lower(lowest, quota); };
  // Lines: "0::/path" in version 2, "4:cpu,cpuacct:/path" in version 1.
  std::ifstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string number, controllers, path;
    std::getline(std::getline(fields, number, ':'), controllers, ':');
    std::getline(fields, path);
    if (controllers.empty()) {
      take(lowest_quota(mount, path));
      take(lowest_quota(mount / "unified", path));  // if version 1 is in use too
    } else if (has_cpu(controllers)) {
      take(lowest_quota(mount / controllers, path));
      take(lowest_quota(mount / "cpu", path));
    }
  }
  return lowest;
}

int usable_cores() {
  const int cores = tbb::info::default_concurrency();  // that the process may run on
  const auto quota = cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
  if (!quota) return cores;
  return std::clamp(static_cast<int>(std::ceil(std::min<double>(*quota, cores))), 1, cores);
}

}  // namespace ultr
