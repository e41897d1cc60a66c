#include <cmath>
#include <memory>

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "autograd/autograd.h"
#include "python/array_values.h"
#include "python/bindings.h"
#include "python/tape_values.h"

namespace ultr::python {
namespace {

namespace py = pybind11;

py::array array_of_shape(const std::vector<double>& values, const Shape& shape) {
  std::vector<py::ssize_t> sizes;
  if (shape.rank > 0) sizes.push_back(shape.rows.capacity());
  if (shape.rank > 1) sizes.push_back(shape.columns);
  py::array_t<double> array(sizes);
  std::copy(values.begin(), values.end(), array.mutable_data());
  return array;
}

Axis axis_of(std::optional<int> axis) {
  if (!axis) return Axis::all;
  if (*axis == 0) return Axis::rows;
  if (*axis == 1) return Axis::columns;
  throw ShapeError("axis is " + std::to_string(*axis) + "; expected 0, 1 or None");
}

Segments segments_of(const PythonTensor& x, const std::vector<std::uint32_t>& offsets) {
  if (offsets.empty() || offsets.front() != 0 ||
      offsets.back() != x.get().shape().rows.capacity() ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    throw ShapeError("offsets of segments do not rise from 0 to " +
                     std::to_string(x.get().shape().rows.capacity()) +
                     ", the number of elements; expected that");
  Tape& tape = x.tape->own();  // offsets of a recorded loss are those of its lists
  const std::vector<std::uint32_t>& kept = x.tape->offsets.emplace_back(offsets);
  const auto size = static_cast<std::int64_t>(kept.size());
  const Index index = tape.index(size);
  tape.bind(index, kept);
  return {index, size - 1};
}

using Unary = Tensor (*)(Tensor);
using Binary = Tensor (*)(Tensor, Tensor);
using Reduction = Tensor (*)(Tensor, Axis);
using Segmented = Tensor (*)(Tensor, Segments);

void def(py::module_& m, const char* name, Unary op) {
  m.def(
      name, [op](const PythonTensor& x) { return x.on_same_tape(op(x.get())); }, py::arg("x"));
}
void def(py::module_& m, const char* name, Binary op) {
  m.def(
      name,
      [op](const PythonTensor& a, const PythonTensor& b) {
        return a.on_same_tape(op(a.get(), b.get()));
      },
      py::arg("a"), py::arg("b"));
}
void def(py::module_& m, const char* name, Reduction op) {
  m.def(
      name,
      [op](const PythonTensor& x, std::optional<int> axis) {
        return x.on_same_tape(op(x.get(), axis_of(axis)));
      },
      py::arg("x"), py::arg("axis") = py::none());
}
void def(py::module_& m, const char* name, Segmented op) {
  m.def(
      name,
      [op](const PythonTensor& x, const std::vector<std::uint32_t>& offsets) {
        return x.on_same_tape(op(x.get(), segments_of(x, offsets)));
      },
      py::arg("x"), py::arg("offsets"));
}

void bind_ops(py::module_& m) {
  for (const auto& [name, op] : std::initializer_list<std::pair<const char*, Unary>>{
           {"exp", exp},
           {"log", log},
           {"log1p", log1p},
           {"expm1", expm1},
           {"sqrt", sqrt},
           {"square", square},
           {"abs", abs},
           {"relu", relu},
           {"elu", elu},
           {"tanh", tanh},
           {"sigmoid", sigmoid},
           {"log_sigmoid", log_sigmoid},
           {"log_one_minus_sigmoid", log_one_minus_sigmoid},
           {"softplus", softplus},
           {"softplus_inverse", softplus_inverse},
           {"log1mexp", log1mexp},
           {"log_softmax", log_softmax},
           {"stop_gradient", stop_gradient}})
    def(m, name, op);
  for (const auto& [name, op] : std::initializer_list<std::pair<const char*, Binary>>{
           {"maximum", maximum},
           {"minimum", minimum},
           {"logaddexp", logaddexp},
           {"logsubexp", logsubexp},
           {"matmul", matmul},
           {"matvec", matvec},
           {"sigmoid_cross_entropy", sigmoid_cross_entropy}})
    def(m, name, op);
  for (const auto& [name, op] : std::initializer_list<std::pair<const char*, Reduction>>{
           {"sum", sum}, {"mean", mean}, {"max", max}, {"logsumexp", logsumexp}})
    def(m, name, op);
  for (const auto& [name, op] : std::initializer_list<std::pair<const char*, Segmented>>{
           {"segment_sum", segment_sum},
           {"segment_logsumexp", segment_logsumexp},
           {"segment_log_softmax", segment_log_softmax},
           {"segment_shares", segment_shares},
           {"segment_ranks", segment_ranks}})
    def(m, name, op);
  m.def(
      "pairwise_logistic",
      [](const PythonTensor& scores, const PythonTensor& order,
         const std::vector<std::uint32_t>& offsets) {
        return scores.on_same_tape(
            pairwise_logistic(scores.get(), order.get(), segments_of(scores, offsets)));
      },
      py::arg("scores"), py::arg("order"), py::arg("offsets"));
  m.def(
      "cumulative_sum",
      [](const PythonTensor& x) { return x.on_same_tape(cumulative_sum(x.get())); }, py::arg("x"));
  m.def(
      "clamp",
      [](const PythonTensor& x, double low, double high) {
        return x.on_same_tape(clamp(x.get(), low, high));
      },
      py::arg("x"), py::arg("low"), py::arg("high"));
}

/// Returns a tensor that has values. Throws ShapeError if it is on another tape.
const Tensor& of_tape(const SharedTape& tape, const PythonTensor& x, const std::string& method) {
  if (x.tape != tape)
    throw ShapeError(method + ": the tensor is on another tape; expected one of this tape");
  return x.own();
}

/// Checks the gradients of a Python function of tensors at the given inputs. Returns the largest
/// error and a line that describes it. The tape is one that tensors keep alive, unlike that of
/// check_gradient on a TensorFunction.
std::pair<double, std::string> check_gradient_of(
    const std::function<PythonTensor(std::vector<PythonTensor>)>& function,
    const std::vector<std::pair<std::string, Numbers>>& inputs, bool hold_stopped) {
  const SharedTape shared = std::make_shared<PythonTape>();
  Tape& tape = shared->own();
  std::vector<std::vector<double>> values;
  std::vector<PythonTensor> variables;
  for (const auto& [name, input] : inputs) {
    values.emplace_back(input.data(), input.data() + input.size());
    variables.push_back({tape.variable(shape_of(input), values.back()), shared});
  }
  Tensor loss = function(variables).tensor;
  if (&loss.tape() != &tape) throw ShapeError("the function returned a tensor of another tape");
  std::vector<double> weights(static_cast<std::size_t>(loss.size()));
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = 0.5 + std::sin(1.0 + static_cast<double>(i));
  if (!loss.shape().single()) loss = sum(loss * tape.constant(loss.shape(), weights));
  loss.values();  // runs the program
  tape.backward(loss);
  tape.freeze_stopped_values(hold_stopped);
  std::vector<CheckedValues> checked;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    checked.push_back({inputs[i].first, values[i], variables[i].tensor.gradient()});
  const GradientReport report = check_gradient(
      [&] {
        for (std::size_t i = 0; i < inputs.size(); ++i) tape.assign(variables[i].tensor, values[i]);
        tape.replay();
        return loss.item();
      },
      checked);
  return {report.worst.error, report.to_string()};
}

}  // namespace

void bind_autograd(py::module_& package) {
  py::module_ m = package.def_submodule("autograd");
  py::class_<PythonTape, SharedTape>(m, "Tape")
      .def(py::init<>())
      .def("variable",
           [](const SharedTape& self, const Numbers& values) {
             return PythonTensor{self->own().variable(shape_of(values), span_of(values)), self};
           })
      .def("constant",
           [](const SharedTape& self, const Numbers& values) {
             return PythonTensor{self->own().constant(shape_of(values), span_of(values)), self};
           })
      .def("assign",
           [](const SharedTape& self, const PythonTensor& x, const Numbers& values) {
             self->own().assign(of_tape(self, x, "assign"), span_of(values));
           })
      .def("replay", [](const SharedTape& self) { self->own().replay(); })
      .def("backward", [](const SharedTape& self, const PythonTensor& loss) {
        const Tensor& own = of_tape(self, loss, "backward");
        own.values();  // runs what has not run
        self->own().backward(own);
      });
  using T = const PythonTensor&;
  py::class_<PythonTensor> tensors(m, "Tensor", "A scalar, vector or matrix of a tape.");
  tensors
      .def_property_readonly("values",
                             [](T x) { return array_of_shape(x.own().values(), x.get().shape()); })
      .def_property_readonly(
          "gradient", [](T x) { return array_of_shape(x.own().gradient(), x.get().shape()); })
      .def("item", [](T x) { return x.own().item(); })
      .def("__repr__",
           [](T x) { return "<ultr.autograd.Tensor " + to_string(x.get().shape()) + ">"; });
  bind_operators(m, tensors);
  bind_ops(m);
  m.def("check_gradient", &check_gradient_of);
}

}  // namespace ultr::python
