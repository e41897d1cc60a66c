#pragma once

#include <string>

#include <cblas.h>

namespace ultr {

/// OpenBLAS as this program uses it: its own threads are off, so any number of threads may multiply
/// at the same time and each product has one order of summation.
struct OpenBlas {
  decltype(&cblas_sgemm) multiply = nullptr;
  std::string version{};          // "0.3.21"
  std::string kernels{};          // the processor whose kernels it uses: "SkylakeX"
  std::string fitting_kernels{};  // those that fit this processor best; empty if not known
};

/// Loads OpenBLAS on first use and returns it. It is loaded here, not by the linker, because it
/// reads the number of its threads and the choice of its kernels from environment variables while
/// it is loaded. The kernels are those that fit the processor, unless OPENBLAS_CORETYPE names
/// others. If a host program has loaded OpenBLAS for itself, a copy of it is loaded. Thread-safe.
/// Throws Error if the library is missing or is built for OpenMP, whose threads cannot be turned
/// off.
const OpenBlas& openblas();

}  // namespace ultr
