#include "base/exit_code.h"
#include "commands/program.h"
#include "distributed/mpi_communicator.h"

int main(int argc, char** argv) {
  return ultr::with_exit_code([&] {
    const auto processes = ultr::mpi_communicator();
    return ultr::run_program(argc, argv, ultr::built_in_registry(), processes.get());
  });
}
