#pragma once

#include <optional>

namespace ultr {

/// Returns the number of processes that an MPI launcher (mpirun, srun) started as one program with
/// this one, by the environment: 1 without a launcher, empty if the launcher does not say how many.
std::optional<int> launched_processes();

/// True in the first of these processes, which prints errors for all; also true without a launcher.
bool is_first_launched();

}  // namespace ultr
