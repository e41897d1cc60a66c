#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

/// Products of float matrices by the libraries that were found at configuration, on one core.
namespace ultr::bench {

/// c = a b, where a is [rows, inner], or stored transposed, and b is [inner, columns], likewise.
struct Product {
  std::int64_t rows, columns, inner;
  bool left_transposed = false, right_transposed = false;

  double operations() const {
    return 2 * static_cast<double>(rows) * static_cast<double>(columns) *
           static_cast<double>(inner);
  }
};

struct Library {
  std::string name;
  void (*multiply)(const Product& product, const float* a, const float* b, float* c);
};

/// oneDNN and Eigen; OpenBLAS, with the kernels that it chooses itself, where it is installed.
std::vector<Library> libraries();

/// Processor time of this thread that something takes.
double seconds_of(const std::function<void()>& work);

/// The sum over products of the least time out of several runs.
double seconds_for(const Library& library, std::span<const Product> products);

}  // namespace ultr::bench
