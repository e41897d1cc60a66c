#pragma once

#include <cstddef>
#include <iterator>

namespace ultr::testing {

/// A function of arrays that instruction_sets.cpp compiles for one set of instructions. Functions
/// of one number ignore `b`.
struct CompiledKernel {
  const char* name;
  void (*in_float32)(const float* a, const float* b, float* to, std::size_t n);
  void (*in_float64)(const double* a, const double* b, double* to, std::size_t n);
};

/// The function `compiled_kernels` of each library: all kernels, and how many there are.
using CompiledKernels = const CompiledKernel* (*)(std::size_t* count);

/// Returns the sizes of the lists in which sums and ranks divide an array, one after the other:
/// short, longer than a register, and longer than what is ranked by counting.
constexpr std::size_t list_sizes[] = {1, 2, 3, 7, 8, 9, 25, 63, 64, 65, 199, 200, 201, 1000};

/// Calls use(begin, size) for each list that an array of n numbers is divided into.
template <class Use>
void for_each_list(std::size_t n, Use use) {
  for (std::size_t begin = 0, i = 0; begin < n; ++i) {
    const std::size_t size = list_sizes[i % std::size(list_sizes)];
    const std::size_t left = n - begin;
    use(begin, size < left ? size : left);
    begin += size;
  }
}

}  // namespace ultr::testing
