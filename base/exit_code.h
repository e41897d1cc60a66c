#pragma once

#include <functional>

namespace ultr {

/// Runs `program` and turns what it throws into one line on standard error and an exit code:
/// 2 for a wrong configuration or usage, 3 for missing or wrong data (4 is that of a study of which
/// an expectation failed, which throws nothing), 128 + the signal's number if it was Interrupted, 1
/// for anything else. Standard output that could not be written is such an error, with 3.
int with_exit_code(const std::function<int()>& program);

}  // namespace ultr
