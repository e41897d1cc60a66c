#pragma once

#include <functional>
#include <thread>

namespace ultr {

/// Starts a thread that runs a function, or throws std::system_error.
using StartThread = std::function<std::thread(const std::function<void()>&)>;

/// Returns how many of `wanted` threads the system lets this process use, at least 1, the calling
/// one. Finds out by starting that many for a moment, twice: training has threads of its own beside
/// those of TBB, and neither can go on if one of them cannot be started.
int usable_threads(int wanted, const StartThread& start);

/// Returns the same, with threads of the system. Asks it once for each number, and logs a note if
/// there are fewer than wanted.
int usable_threads(int wanted);

}  // namespace ultr
