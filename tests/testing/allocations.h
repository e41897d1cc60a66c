#pragma once

#include <cstddef>

namespace ultr::testing {

/// How often memory was taken from the heap by operator new since the program started, in whatever
/// library. Only for programs that link allocations.cpp, which replaces the global operator new.
std::size_t allocations();

}  // namespace ultr::testing
