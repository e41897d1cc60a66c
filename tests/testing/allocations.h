#pragma once

#include <cstddef>

namespace ultr::testing {

/// How often memory was taken from the heap by operator new since the program started, in whatever
/// library. Only for programs that link allocations.cpp, which replaces the global operator new.
std::size_t allocations();

/// The most bytes that were taken at once since the last call of forget_largest_allocation, by any
/// thread.
std::size_t largest_allocation();
void forget_largest_allocation();

}  // namespace ultr::testing
