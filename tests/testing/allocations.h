#pragma once

#include <cstddef>

namespace ultr::testing {

/// Returns the number of calls of operator new since the program started, from any library. Only
/// for programs that link allocations.cpp, which replaces the global operator new.
std::size_t allocations();

/// Returns the largest number of bytes requested at once by any thread since the last call of
/// forget_largest_allocation.
std::size_t largest_allocation();
void forget_largest_allocation();

/// Returns the bytes that are allocated now, and the most that were at any time since the last call
/// of forget_peak_memory.
std::size_t allocated_memory();
std::size_t peak_memory();
void forget_peak_memory();

}  // namespace ultr::testing
