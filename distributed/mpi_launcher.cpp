#include "distributed/mpi_launcher.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace ultr {
namespace {

/// Reads a number from an environment variable. Empty if the variable has none.
std::optional<int> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const char* const end = text + std::strlen(text);
  int number = 0;
  const auto [stop, error] = std::from_chars(text, end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace

std::optional<int> launched_processes() {
  // Set by OpenMPI's mpirun; by MPICH's, Intel's and srun --mpi=pmi2.
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const auto processes = number_in(variable)) return processes;
  if (!number_in("PMIX_RANK")) return 1;
  return number_in("SLURM_STEP_NUM_TASKS");  // set by srun --mpi=pmix
}

bool is_first_launched() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    if (const auto rank = number_in(variable)) return *rank == 0;
  return true;
}

}  // namespace ultr
