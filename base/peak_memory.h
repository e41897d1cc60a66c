#pragma once

#include <cstdint>
#include <optional>

namespace ultr {

/// Resets the peak that peak_memory_bytes reports to the memory held now, if the system can
/// (Linux). The allocator may still hold memory that earlier work has freed.
void forget_peak_memory();

/// Returns the peak physical memory of the process, in bytes, since forget_peak_memory or its
/// start; nothing if the system does not tell.
std::optional<std::uint64_t> peak_memory_bytes();

}  // namespace ultr
