#include <cmath>
#include <functional>

#include <pybind11/stl.h>

#include "autograd/autograd.h"
#include "python/array_values.h"
#include "python/bindings.h"
#include "python/tape_values.h"

namespace ultr::python {
namespace {

namespace py = pybind11;

using T = const PythonTensor&;

/// Puts an array on the tape of a tensor.
PythonTensor beside(T x, const Numbers& values) {
  return x.on_same_tape(x.tape->tape().constant(shape_of(values), span_of(values)));
}

/// Binds an operator on two tensors, and on a tensor with a number or an array on either side.
template <class Operator>
void def_operator(py::class_<PythonTensor>& tensors, const char* name, const char* reflected,
                  Operator op) {
  const auto call = [op](T a, T b) { return a.on_same_tape(op(a.get(), b.get())); };
  tensors.def(name, call, py::is_operator())
      .def(
          name, [op](T a, double b) { return a.on_same_tape(op(a.get(), b)); }, py::is_operator())
      .def(
          name, [call](T a, const Numbers& b) { return call(a, beside(a, b)); }, py::is_operator())
      .def(
          reflected, [op](T a, double b) { return a.on_same_tape(op(b, a.get())); },
          py::is_operator())
      .def(
          reflected, [call](T a, const Numbers& b) { return call(beside(a, b), a); },
          py::is_operator());
}

PythonTensor product(T a, T b) {
  return a.on_same_tape(b.get().shape().rank == 1 ? matvec(a.get(), b.get())
                                                  : matmul(a.get(), b.get()));
}

/// Returns x to a whole power above 0 by repeated squaring, which has slopes for any x.
Tensor whole_power(Tensor x, int exponent) {
  if (exponent == 1) return x;
  const Tensor half = square(whole_power(x, exponent / 2));
  return exponent % 2 == 0 ? half : half * x;
}

Tensor power(Tensor x, double exponent) {
  constexpr double most_squared = 1 << 30;
  const double size = std::abs(exponent);
  if (exponent == 0) return x * 0. + 1.;
  if (size != std::floor(size) || size > most_squared) return exp(log(x) * exponent);
  const Tensor raised = size == 1 ? x : whole_power(x, static_cast<int>(size));
  return exponent > 0 ? raised : x.tape().constant(1) / raised;
}

/// A comparison of two tensors, row by row.
struct PythonMask {
  Mask mask;
  SharedTape tape;
};

PythonMask is_greater(T a, T b) { return {greater(a.get(), b.get()), a.tape}; }

Tensor as_long_as(T like, double value) {
  return repeat(like.tape->tape().constant(value), like.get().shape().rows);
}
PythonMask is_greater(T a, double b) { return is_greater(a, a.on_same_tape(as_long_as(a, b))); }
PythonMask is_less(T a, double b) { return is_greater(a.on_same_tape(as_long_as(a, b)), a); }

bool no_mask_truth(const PythonMask&) {
  throw py::type_error(
      "a comparison of tensors has no value while it is recorded; expected "
      "where(a > b, yes, no) in place of if, and, or and not");
}

void bind_comparisons(py::module_& m, py::class_<PythonTensor>& tensors) {
  py::class_<PythonMask>(m, "Mask", "A comparison of tensors, for where().")
      .def("__bool__", &no_mask_truth);
  tensors
      .def(
          "__gt__", [](T a, T b) { return is_greater(a, b); }, py::is_operator())
      .def(
          "__lt__", [](T a, T b) { return is_greater(b, a); }, py::is_operator())
      .def(
          "__gt__", [](T a, double b) { return is_greater(a, b); }, py::is_operator())
      .def(
          "__lt__", [](T a, double b) { return is_less(a, b); }, py::is_operator());
  const auto def = [&](auto choose) {
    m.def("where", choose, py::arg("condition"), py::arg("yes"), py::arg("no"));
  };
  def([](const PythonMask& condition, T yes, T no) {
    return yes.on_same_tape(where(condition.mask, yes.get(), no.get()));
  });
  def([](const PythonMask& condition, T yes, double no) {
    return yes.on_same_tape(where(condition.mask, yes.get(), no));
  });
  def([](const PythonMask& condition, double yes, T no) {
    return no.on_same_tape(where(condition.mask, yes, no.get()));
  });
}

}  // namespace

void bind_operators(py::module_& m, py::class_<PythonTensor>& tensors) {
  def_operator(tensors, "__add__", "__radd__", std::plus<>());
  def_operator(tensors, "__sub__", "__rsub__", std::minus<>());
  def_operator(tensors, "__mul__", "__rmul__", std::multiplies<>());
  tensors
      .def(
          "__truediv__", [](T a, T b) { return a.on_same_tape(a.get() / b.get()); },
          py::is_operator())
      .def(
          "__truediv__", [](T a, double b) { return a.on_same_tape(a.get() / b); },
          py::is_operator())
      .def(
          "__truediv__",
          [](T a, const Numbers& b) { return a.on_same_tape(a.get() / beside(a, b).get()); },
          py::is_operator())
      .def(
          "__rtruediv__",
          [](T a, double b) { return a.on_same_tape(a.tape->tape().constant(b) / a.get()); },
          py::is_operator())
      .def(
          "__rtruediv__",
          [](T a, const Numbers& b) { return a.on_same_tape(beside(a, b).get() / a.get()); },
          py::is_operator())
      .def(
          "__pow__", [](T a, double b) { return a.on_same_tape(power(a.get(), b)); },
          py::is_operator())
      .def("__neg__", [](T x) { return x.on_same_tape(-x.get()); })
      .def("__abs__", [](T x) { return x.on_same_tape(abs(x.get())); })
      .def("__matmul__", &product, py::is_operator())
      .def(
          "__matmul__", [](T a, const Numbers& b) { return product(a, beside(a, b)); },
          py::is_operator())
      .def(
          "__rmatmul__", [](T a, const Numbers& b) { return product(beside(a, b), a); },
          py::is_operator());
  tensors.attr("__array_ufunc__") = py::none();  // arrays leave operators to tensors
  bind_comparisons(m, tensors);
}

}  // namespace ultr::python
