#pragma once

#include <cstdint>
#include <optional>

namespace ultr {

/// Lets peak_memory_bytes start from what the process holds now, where the system can (Linux). What
/// earlier work has freed may still be held by the allocator.
void forget_peak_memory();

/// The most physical memory that the process has held at once since then, or since its start, in
/// bytes; nothing if the system does not tell.
std::optional<std::uint64_t> peak_memory_bytes();

}  // namespace ultr
