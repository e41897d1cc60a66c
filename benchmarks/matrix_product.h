#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

/// Products of float matrices on one core, by the libraries that ultr uses.
namespace ultr::bench {

/// A product c = a b, where a is [rows, inner] and b is [inner, columns]. Either may be stored
/// transposed.
struct Product {
  std::int64_t rows, columns, inner;
  bool left_transposed = false, right_transposed = false;

  double operations() const {
    return 2 * static_cast<double>(rows) * static_cast<double>(columns) *
           static_cast<double>(inner);
  }
};

/// A library and its product of float matrices.
struct Library {
  std::string name;
  void (*multiply)(const Product& product, const float* a, const float* b, float* c);
};

/// Returns OpenBLAS, named with its kernels, and Eigen compiled for this machine.
std::vector<Library> libraries();

/// Returns the processor time that this thread spends on `work`.
double seconds_of(const std::function<void()>& work);

/// Returns the sum over products of the shortest time of several runs.
double seconds_for(const Library& library, std::span<const Product> products);

}  // namespace ultr::bench
