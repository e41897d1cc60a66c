#include <cstdlib>

#include <fmt/core.h>

#include "distributed/mpi_communicator.h"
#include "distributed/mpi_launcher.h"

namespace ultr {

std::unique_ptr<Communicator> mpi_communicator() {
  if (launched_processes().value_or(1) <= 1) return nullptr;
  if (is_first_launched())
    fmt::print(stderr,
               "error: started by mpirun, but built without MPI; expected a build that found "
               "libopenmpi-dev, or no mpirun\n");
  std::exit(2);
}

}  // namespace ultr
