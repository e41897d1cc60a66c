#include "apps/program.h"
#include "distributed/mpi_communicator.h"
#include "experiment/experiment.h"

int main(int argc, char** argv) {
  return ultr::with_exit_code([&] {
    const auto ranks = ultr::mpi_communicator();
    return ultr::run_program(argc, argv, {}, ranks.get());
  });
}
