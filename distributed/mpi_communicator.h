#pragma once

#include <memory>

#include "distributed/communicator.h"

namespace ultr {

/// The processes that a launcher of MPI (mpirun, srun) has started as one program, which MPI lets
/// talk to each other as long as the communicator lives; null if this one was started alone. To be
/// called once, first. Being one of several is an error without MPI in this build, or if the
/// launcher is that of another MPI: a line on standard error, and the program ends with code 2.
std::unique_ptr<Communicator> mpi_communicator();

}  // namespace ultr
