#include "apps/program.h"
#include "distributed/mpi_communicator.h"

int main(int argc, char** argv) {
  const auto ranks = ultr::mpi_communicator();
  return ultr::run_program(argc, argv, {}, ranks.get());
}
