#pragma once

#include <optional>

namespace ultr {

/// Processes that a launcher of MPI (mpirun, srun) says, in the environment, to have started as one
/// program with this one: 1 without a launcher, nothing if it does not say how many.
std::optional<int> launched_processes();

/// Whether this one is the first of them, which says what is wrong for all.
bool is_first_launched();

}  // namespace ultr
