#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>

namespace ultr {

/// Returns the bytes of memory that the system can still give this process without swapping, or
/// nothing if it does not tell. `meminfo` is the system's file of memory in use, `cgroup` the
/// folder in which it describes the limits of a container (versions 1 and 2).
std::optional<std::size_t> available_memory(const std::filesystem::path& meminfo = "/proc/meminfo",
                                            const std::filesystem::path& cgroup = "/sys/fs/cgroup");

/// Throws Error, naming `what`, if it needs more bytes than are available. Needs of less than 64
/// MiB are not checked.
void expect_memory(
    std::size_t needed, std::string_view what,
    std::optional<std::size_t> (*available)() = [] { return available_memory(); });

}  // namespace ultr
