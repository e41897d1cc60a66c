#pragma once

#include <memory>

#include "distributed/communicator.h"

namespace ultr {

/// Connects the processes that an MPI launcher (mpirun, srun) started as one program, for as long
/// as the communicator lives. Returns null if this process was started alone. Must be called once,
/// before any other use of MPI. If this is one of several processes, but the build has no MPI or
/// the launcher is that of another MPI, the function prints one line to standard error and ends the
/// program with exit code 2.
std::unique_ptr<Communicator> mpi_communicator();

}  // namespace ultr
