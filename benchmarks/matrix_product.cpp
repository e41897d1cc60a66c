#include "matrix_product.h"

#include <algorithm>
#include <ctime>
#include <limits>

#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>

#include "kernels/openblas.h"

namespace ultr::bench {
namespace {

std::int64_t stride_a(const Product& p) { return p.left_transposed ? p.rows : p.inner; }
std::int64_t stride_b(const Product& p) { return p.right_transposed ? p.inner : p.columns; }

void by_eigen(const Product& p, const float* a, const float* b, float* c) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto stored = [](const float* data, std::int64_t rows, std::int64_t columns,
                         bool transposed) {
    return Eigen::Map<const Matrix>(data, transposed ? columns : rows, transposed ? rows : columns);
  };
  const auto left = stored(a, p.rows, p.inner, p.left_transposed);
  const auto right = stored(b, p.inner, p.columns, p.right_transposed);
  Eigen::Map<Matrix> result(c, p.rows, p.columns);
  if (p.left_transposed)
    result.noalias() = left.transpose() * right;
  else if (p.right_transposed)
    result.noalias() = left * right.transpose();
  else
    result.noalias() = left * right;
}

void by_openblas(const Product& p, const float* a, const float* b, float* c) {
  const auto size = [](std::int64_t n) { return static_cast<blasint>(n); };
  openblas().multiply(CblasRowMajor, p.left_transposed ? CblasTrans : CblasNoTrans,
                      p.right_transposed ? CblasTrans : CblasNoTrans, size(p.rows), size(p.columns),
                      size(p.inner), 1, a, size(stride_a(p)), b, size(stride_b(p)), 0, c,
                      size(p.columns));
}

}  // namespace

std::vector<Library> libraries() {
  return {{"OpenBLAS_" + openblas().kernels, by_openblas}, {"Eigen", by_eigen}};
}

double seconds_of(const std::function<void()>& work) {
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

double seconds_for(const Library& library, std::span<const Product> products) {
  constexpr int runs = 5;
  double total = 0;
  for (const Product& product : products) {
    const auto numbers = [](std::int64_t count) {
      return std::vector<float>(static_cast<std::size_t>(count), 0.5f);
    };
    const auto a = numbers(product.rows * product.inner),
               b = numbers(product.inner * product.columns);
    auto c = numbers(product.rows * product.columns);
    double least = std::numeric_limits<double>::infinity();
    for (int run = 0; run < runs; ++run)
      least = std::min(
          least, seconds_of([&] { library.multiply(product, a.data(), b.data(), c.data()); }));
    total += least;
  }
  return total;
}

}  // namespace ultr::bench
