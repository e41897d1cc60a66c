#include "autograd/matmul.h"

// Eigen picks the kernel by size and hands large products to OpenBLAS.
#define EIGEN_USE_BLAS
#include <Eigen/Core>

#include <cblas.h>
#include <fmt/core.h>

#include "autograd/error.h"
#include "autograd/tape.h"

namespace ultr {
namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
Eigen::Map<Matrix<T>> map(std::byte* data, Eigen::Index rows, Eigen::Index columns) {
  return {reinterpret_cast<T*>(data), rows, columns};
}

template <class T>
Eigen::Map<Matrix<T>> value_of(const Tape& tape, const Node& node) {
  return map<T>(node.value, tape.size_of(node.shape.rows), node.shape.columns);
}

template <class T>
void matmul_forward(Tape& tape, Node& node) {
  const auto a = value_of<T>(tape, tape.input_of(node, 0));
  const auto b = value_of<T>(tape, tape.input_of(node, 1));
  value_of<T>(tape, node).noalias() = a * b;
}

template <class T>
void matmul_backward(Tape& tape, Node& node) {
  const auto a = value_of<T>(tape, tape.input_of(node, 0));
  const auto b = value_of<T>(tape, tape.input_of(node, 1));
  const auto gradient = map<T>(node.gradient, a.rows(), b.cols());
  const auto add = [](const auto& target, auto to, const auto& product) {
    if (target.add)
      to.noalias() += product;
    else
      to.noalias() = product;
  };
  if (const auto target = tape.gradient_target<T>(node, 0))
    add(target, Eigen::Map<Matrix<T>>(target.data, a.rows(), a.cols()), gradient * b.transpose());
  if (const auto target = tape.gradient_target<T>(node, 1))
    add(target, Eigen::Map<Matrix<T>>(target.data, b.rows(), b.cols()), a.transpose() * gradient);
}

constexpr Kernels matmul_kernels = {{matmul_forward<float>, matmul_backward<float>},
                                    {matmul_forward<double>, matmul_backward<double>}};

}  // namespace

Tensor matmul(Tensor a, Tensor b) {
  static const bool one_thread = (openblas_set_num_threads(1), true);
  static_cast<void>(one_thread);
  Tape& tape = common_tape("matmul", std::array{a, b});
  const Shape &left = a.shape(), &right = b.shape();
  if (left.rank != 2 || right.rank != 2)
    throw ShapeError(fmt::format("matmul: a is {}, b is {}; expected two matrices", to_string(left),
                                 to_string(right)));
  if (right.rows != Extent(left.columns))
    throw ShapeError(fmt::format("matmul: a is {}, b is {}; inner sizes {} and {} differ",
                                 to_string(left), to_string(right), left.columns,
                                 right.rows.capacity()));
  return tape.tensor(tape.record("matmul", NodeKind::real, Shape::matrix(left.rows, right.columns),
                                 &matmul_kernels, std::array{a.node(), b.node()}));
}

}  // namespace ultr
