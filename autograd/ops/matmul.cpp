#include "autograd/ops/matmul.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "autograd/tape/tape.h"
#include "base/error.h"
#include "kernels/openblas.h"
#include "kernels/pack.h"
#include "kernels/products.h"

namespace ultr {
namespace {

template <class T>
Factor<T> value_of(const Tape& tape, const Node& node) {
  return {reinterpret_cast<const T*>(node.value), tape.size_of(node.shape.rows), node.shape.columns,
          node.shape.columns};
}

/// Writes a b to `to`, whose rows are contiguous, or adds it if `add`.
template <class T>
void multiply(const Factor<T>& a, const Factor<T>& b, T* to, bool add) {
  ultr::multiply(a, b, to, b.columns, add);
}

/// Writes factor * from to `to`, or adds it if `add`.
template <class T>
void add_multiple(T factor, const T* from, std::size_t size, T* to, bool add) {
  using P = Pack<T>;
  const P factors = P::broadcast(factor);
  std::size_t i = 0;
  for (; i + P::size <= size; i += P::size) {
    const P product = factors * P::load(from + i);
    (add ? P::load(to + i) + product : product).store(to + i);
  }
  if (i == size) return;
  const P product = factors * P::load_few(from + i, size - i);
  (add ? P::load_few(to + i, size - i) + product : product).store_few(to + i, size - i);
}

template <class T>
void matmul_forward(Tape& tape, Node& node) {
  multiply(value_of<T>(tape, tape.input_of(node, 0)), value_of<T>(tape, tape.input_of(node, 1)),
           reinterpret_cast<T*>(node.value), false);
}

template <class T>
void matmul_backward(Tape& tape, Node& node) {
  const auto a = value_of<T>(tape, tape.input_of(node, 0));
  const auto b = value_of<T>(tape, tape.input_of(node, 1));
  const Factor<T> gradient{reinterpret_cast<const T*>(node.gradient), a.rows, b.columns, b.columns};
  if (const auto target = tape.gradient_target<T>(node, 0))
    multiply(gradient, b.transpose(), target.data, target.add);
  if (const auto target = tape.gradient_target<T>(node, 1))
    multiply(a.transpose(), gradient, target.data, target.add);
}

constexpr Kernels matmul_kernels = {{matmul_forward<float>, matmul_backward<float>},
                                    {matmul_forward<double>, matmul_backward<double>}};

template <class T>
void matmul_transposed_forward(Tape& tape, Node& node) {
  multiply(value_of<T>(tape, tape.input_of(node, 0)),
           value_of<T>(tape, tape.input_of(node, 1)).transpose(), reinterpret_cast<T*>(node.value),
           false);
}

template <class T>
void matmul_transposed_backward(Tape& tape, Node& node) {
  const auto a = value_of<T>(tape, tape.input_of(node, 0));
  const auto b = value_of<T>(tape, tape.input_of(node, 1));
  const Factor<T> gradient{reinterpret_cast<const T*>(node.gradient), a.rows, b.rows, b.rows};
  if (const auto target = tape.gradient_target<T>(node, 0))
    multiply(gradient, b, target.data, target.add);
  if (const auto target = tape.gradient_target<T>(node, 1))
    multiply(gradient.transpose(), a, target.data, target.add);
}

constexpr Kernels matmul_transposed_kernels = {
    {matmul_transposed_forward<float>, matmul_transposed_backward<float>},
    {matmul_transposed_forward<double>, matmul_transposed_backward<double>}};

template <class T>
void affine_forward(Tape& tape, Node& node) {
  const auto rows = tape.size_of(node.shape.rows), columns = node.shape.columns;
  const T* bias = reinterpret_cast<const T*>(tape.input_of(node, 2).value);
  T* value = reinterpret_cast<T*>(node.value);
  for (std::int64_t i = 0; i < rows; ++i) std::copy_n(bias, columns, value + i * columns);
  multiply(value_of<T>(tape, tape.input_of(node, 0)), value_of<T>(tape, tape.input_of(node, 1)),
           value, true);
}

template <class T>
void affine_backward(Tape& tape, Node& node) {
  matmul_backward<T>(tape, node);
  const auto target = tape.gradient_target<T>(node, 2);
  if (!target) return;
  const auto rows = static_cast<std::size_t>(tape.size_of(node.shape.rows));
  const auto columns = static_cast<std::size_t>(node.shape.columns);
  if (!target.add) std::fill_n(target.data, columns, T(0));
  for (std::size_t i = 0; i < rows; ++i)
    add_multiple(T(1), reinterpret_cast<const T*>(node.gradient) + i * columns, columns,
                 target.data, true);
}

constexpr Kernels affine_kernels = {{affine_forward<float>, affine_backward<float>},
                                    {affine_forward<double>, affine_backward<double>}};

template <class T>
void matvec_forward(Tape& tape, Node& node) {
  const Node &a = tape.input_of(node, 0), &x = tape.input_of(node, 1);
  const auto rows = static_cast<std::size_t>(tape.size_of(node.shape));
  const auto columns = static_cast<std::size_t>(a.shape.columns);
  const T* vector = reinterpret_cast<const T*>(x.value);
  for (std::size_t i = 0; i < rows; ++i) {
    const T* row = reinterpret_cast<const T*>(a.value) + i * columns;
    Pack<T> total(0);
    std::size_t c = 0;
    for (; c + Pack<T>::size <= columns; c += Pack<T>::size)
      total += Pack<T>::load(row + c) * Pack<T>::load(vector + c);
    if (c < columns)
      total += Pack<T>::load_few(row + c, columns - c) * Pack<T>::load_few(vector + c, columns - c);
    reinterpret_cast<T*>(node.value)[i] = sum(total);
  }
}

template <class T>
void matvec_backward(Tape& tape, Node& node) {
  const Node &a = tape.input_of(node, 0), &x = tape.input_of(node, 1);
  const auto rows = static_cast<std::size_t>(tape.size_of(node.shape));
  const auto columns = static_cast<std::size_t>(a.shape.columns);
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  if (const auto target = tape.gradient_target<T>(node, 0))
    for (std::size_t i = 0; i < rows; ++i)
      add_multiple(gradient[i], reinterpret_cast<const T*>(x.value), columns,
                   target.data + i * columns, target.add);
  if (const auto target = tape.gradient_target<T>(node, 1)) {
    if (!target.add) std::fill_n(target.data, columns, T(0));
    for (std::size_t i = 0; i < rows; ++i)
      add_multiple(gradient[i], reinterpret_cast<const T*>(a.value) + i * columns, columns,
                   target.data, true);
  }
}

Demand matvec_demand(const Tape&, const Node&, std::size_t input, const Demand& own) {
  return input == 0 ? own : Demand::everywhere();
}

constexpr Kernels matvec_kernels = {
    {matvec_forward<float>, matvec_backward<float>, matvec_demand},
    {matvec_forward<double>, matvec_backward<double>, matvec_demand}};

/// Returns the shape of a matrix product. Throws ShapeError if the factors do not fit.
Shape product_shape(const char* op, const Shape& left, const Shape& right) {
  if (left.rank != 2 || right.rank != 2)
    throw ShapeError(fmt::format("{}: a is {}, b is {}; expected two matrices", op, to_string(left),
                                 to_string(right)));
  if (right.rows != Extent(left.columns))
    throw ShapeError(fmt::format("{}: a is {}, b is {}; inner sizes {} and {} differ", op,
                                 to_string(left), to_string(right), left.columns,
                                 right.rows.capacity()));
  return Shape::matrix(left.rows, right.columns);
}

}  // namespace

std::string matmul_kernel() {
  const OpenBlas& library = openblas();
  const bool fit = library.fitting_kernels.empty() || library.kernels == library.fitting_kernels;
  return fmt::format("OpenBLAS {} with {} kernels{}", library.version, library.kernels,
                     fit ? "" : fmt::format(" (the processor's are {})", library.fitting_kernels));
}

Tensor matmul(Tensor a, Tensor b) {
  Tape& tape = common_tape("matmul", std::array{a, b});
  const Shape shape = product_shape("matmul", a.shape(), b.shape());
  return tape.tensor(tape.record("matmul", NodeKind::real, shape, &matmul_kernels,
                                 std::array{a.node(), b.node()}));
}

Tensor matmul_transposed(Tensor a, Tensor b) {
  Tape& tape = common_tape("matmul_transposed", std::array{a, b});
  const Shape &left = a.shape(), &right = b.shape();
  if (left.rank != 2 || right.rank != 2 || left.columns != right.columns || !right.rows.fixed())
    throw ShapeError(fmt::format(
        "matmul_transposed: a is {}, b is {}; expected two matrices with equal columns, b of a "
        "fixed number of rows",
        to_string(left), to_string(right)));
  return tape.tensor(tape.record("matmul_transposed", NodeKind::real,
                                 Shape::matrix(left.rows, right.rows.capacity()),
                                 &matmul_transposed_kernels, std::array{a.node(), b.node()}));
}

Tensor affine(Tensor x, Tensor weights, Tensor bias) {
  Tape& tape = common_tape("affine", std::array{x, weights, bias});
  const Shape shape = product_shape("affine", x.shape(), weights.shape());
  if (bias.shape().rank == 2 || bias.shape().rows != Extent(shape.columns))
    throw ShapeError(fmt::format("affine: the bias is {}; expected [{}]", to_string(bias.shape()),
                                 shape.columns));
  return tape.tensor(tape.record("affine", NodeKind::real, shape, &affine_kernels,
                                 std::array{x.node(), weights.node(), bias.node()}));
}

Tensor matvec(Tensor a, Tensor x) {
  Tape& tape = common_tape("matvec", std::array{a, x});
  const Shape &left = a.shape(), &right = x.shape();
  if (left.rank != 2 || right.rank == 2)
    throw ShapeError(fmt::format("matvec: a is {}, x is {}; expected a matrix and a vector",
                                 to_string(left), to_string(right)));
  if (right.rows != Extent(left.columns))
    throw ShapeError(fmt::format("matvec: a is {}, x is {}; inner sizes {} and {} differ",
                                 to_string(left), to_string(right), left.columns,
                                 right.rows.capacity()));
  return tape.tensor(tape.record("matvec", NodeKind::real, Shape::vector(left.rows),
                                 &matvec_kernels, std::array{a.node(), x.node()}));
}

}  // namespace ultr
