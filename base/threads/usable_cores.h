#pragma once

#include <filesystem>
#include <optional>

namespace ultr {

/// Returns the number of cores that the process can keep busy, at least 1: those that it may run
/// on, or the CPU quota of its control groups, rounded up, if that is less.
int usable_cores();

/// Returns the lowest CPU quota of the control groups that a process belongs to, in cores; nothing
/// if there is none. `groups` is the file that lists them (/proc/self/cgroup), `mount` the folder
/// in which the system describes them (/sys/fs/cgroup). Reads versions 1 and 2.
std::optional<double> cpu_quota(const std::filesystem::path& groups,
                                const std::filesystem::path& mount);

}  // namespace ultr
